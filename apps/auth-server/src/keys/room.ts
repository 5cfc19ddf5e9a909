import { type Clock, deriveKey, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { registerJwks } from './jwks-endpoint.ts';
import { keepKeysCurrent } from './keep-keys-current.ts';
import { createKeyEncryption } from './key-encryption.ts';
import { createKeyRotation } from './key-rotation.ts';
import { meterSigningKeys } from './meter-signing-keys.ts';
import { createSigningKeyStore } from './signing-key-store.ts';
import { createSigningKeys } from './signing-keys.ts';

interface Needs {
  config: Pick<Config, 'keyEncryptionKey' | 'previousKeyEncryptionKey'>;
  database: Database;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
}

export type Keys = ReturnType<typeof createKeys>;

/** The keys that sign, and the keys derived from the one that encrypts them. */
export function createKeys({ config, database, metrics, clock, log }: Needs) {
  const encryption = createKeyEncryption(config.keyEncryptionKey, config.previousKeyEncryptionKey);
  const store = createSigningKeyStore(database);
  const ownKeys = createSigningKeys({ signingKeys: store, encryption, clock, log });
  const signingKeys = meterSigningKeys(ownKeys, metrics, clock);
  return {
    signingKeys,
    encryption,
    keyRotation: createKeyRotation({ signingKeys: store, encryption, clock }),
    /** The same on every replica; `purpose` tells it from the others. */
    deriveKey: (purpose: string) => deriveKey(config.keyEncryptionKey, purpose),
    routes: { api: (app: FastifyInstance) => registerJwks(app, { signingKeys }) },
    close: keepKeysCurrent({ signingKeys, repeat: repeatByTimer, log }),
  };
}
