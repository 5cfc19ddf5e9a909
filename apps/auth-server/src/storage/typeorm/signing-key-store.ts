import type { Database } from '@gatehouse/service-kit';
import { LessThan, MoreThan } from 'typeorm';
import type { PublicJwk, SigningAlgorithm, StoredSigningKey } from '../../keys/signing-key.ts';
import type { SigningKeyStore } from '../stores.ts';
import { insertUnlessTaken, rowsOf } from './rows.ts';
import type { SigningKeyRow } from './tables/key-tables.ts';

export function createSigningKeyStore(database: Database): SigningKeyStore {
  const rows = () => rowsOf<SigningKeyRow>(database, 'SigningKey');
  return {
    list: async (now) => (await rows().findBy({ expires_at: MoreThan(now) })).map(keyFromRow),
    insert: (key) => insertUnlessTaken(rows(), rowFromKey(key)),
    async retire(algorithm, beforeGeneration, expiresAt) {
      const earlier = { algorithm, generation: LessThan(beforeGeneration), expires_at: MoreThan(expiresAt) };
      await rows().update(earlier, { expires_at: expiresAt });
    },
    async replaceEncryptedKey(kid, seen, encryptedPrivateKey) {
      await rows().update({ kid, encrypted_private_key: seen }, { encrypted_private_key: encryptedPrivateKey });
    },
  };
}

function keyFromRow(row: SigningKeyRow): StoredSigningKey {
  return {
    kid: row.kid,
    algorithm: row.algorithm as SigningAlgorithm,
    generation: row.generation,
    publicJwk: JSON.parse(row.public_jwk) as PublicJwk,
    encryptedPrivateKey: row.encrypted_private_key,
    publishAt: row.publish_at,
    signFrom: row.sign_from,
    expiresAt: row.expires_at,
  };
}

function rowFromKey(key: StoredSigningKey): SigningKeyRow {
  return {
    kid: key.kid,
    algorithm: key.algorithm,
    generation: key.generation,
    public_jwk: JSON.stringify(key.publicJwk),
    encrypted_private_key: key.encryptedPrivateKey,
    publish_at: key.publishAt,
    sign_from: key.signFrom,
    expires_at: key.expiresAt,
  };
}
