import { randomInt } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Keys } from '../keys/room.ts';
import { createAuthorizationCodeStore } from './authorization-code-store.ts';
import { createDeviceCodeStore } from './device-code-store.ts';
import { createDeviceCodes } from './device-codes.ts';
import { createPushedRequestStore } from './pushed-request-store.ts';
import { createPushedRequests } from './pushed-requests.ts';

interface Needs {
  database: Database;
  keys: Keys;
  clock: Clock;
}

export type Codes = ReturnType<typeof createCodes>;

/** Authorization codes, device codes and pushed requests, which work once. */
export function createCodes({ database, keys, clock }: Needs) {
  const deviceCodeStore = createDeviceCodeStore(database);
  return {
    codes: createAuthorizationCodeStore(database),
    deviceCodeStore,
    deviceCodes: createDeviceCodes({
      deviceCodes: deviceCodeStore,
      userCodeKey: keys.deriveKey('user code'),
      draw: (below) => randomInt(below),
      clock,
    }),
    pushedRequests: createPushedRequests({ pushedRequests: createPushedRequestStore(database), clock }),
  };
}
