import { causally, type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import type { PublicJwk, SigningAlgorithm, StoredSigningKey } from './signing-key.ts';
import type { SigningKeyRow } from './signing-key-table.ts';

export interface SigningKeyStore {
  /** Those that are not past their time at `now`. */
  list(now: number): Promise<StoredSigningKey[]>;
  /** False where this generation of the algorithm's keys is there already. */
  insert(key: StoredSigningKey): Promise<boolean>;
  /** The keys of earlier generations cease to be shown at `expiresAt`, unless they do before. */
  retire(algorithm: SigningAlgorithm, beforeGeneration: number, expiresAt: number): Promise<void>;
  /** Does nothing where the stored text is not `seen` any more. */
  replaceEncryptedKey(kid: string, seen: string, encryptedPrivateKey: string): Promise<void>;
  delete(kid: string): Promise<void>;
}

export function createSigningKeyStore(database: Database): SigningKeyStore {
  return {
    async list(now) {
      const sql = 'SELECT * FROM signing_keys WHERE expires_at > ?';
      return (await database.query<SigningKeyRow>(sql, [now])).map(keyFromRow);
    },
    insert: (key) => insertUnlessTaken(database, 'signing_keys', rowFromKey(key)),
    async retire(algorithm, beforeGeneration, expiresAt) {
      const sql = 'UPDATE signing_keys SET expires_at = ? WHERE algorithm = ? AND generation < ? AND expires_at > ?';
      await database.execute(sql, [expiresAt, algorithm, beforeGeneration, expiresAt], causally);
    },
    async replaceEncryptedKey(kid, seen, encryptedPrivateKey) {
      const sql = 'UPDATE signing_keys SET encrypted_private_key = ? WHERE kid = ? AND encrypted_private_key = ?';
      await database.execute(sql, [encryptedPrivateKey, kid, seen]);
    },
    async delete(kid) {
      await database.execute('DELETE FROM signing_keys WHERE kid = ?', [kid]);
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
    publishAt: Number(row.publish_at),
    signFrom: Number(row.sign_from),
    expiresAt: Number(row.expires_at),
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
