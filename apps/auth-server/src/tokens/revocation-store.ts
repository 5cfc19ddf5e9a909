import { createBatchedLookup, type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import type { RevocationRow } from './revocation-table.ts';

/** Access tokens and grants that ended before their time, until they would have expired anyway. */
export interface RevocationStore {
  /** False where it is there already. */
  add(subjectHash: Buffer, expiresAt: number): Promise<boolean>;
  containsAny(subjectHashes: readonly Buffer[]): Promise<boolean>;
}

export function createRevocationStore(database: Database): RevocationStore {
  const contains = createBatchedLookup<true>(async (hashes) => {
    const sql = `SELECT subject_hash FROM revocations WHERE subject_hash IN (${hashes.map(() => '?').join(', ')})`;
    const keys = hashes.map((hash) => Buffer.from(hash, 'hex'));
    const found = await database.query<Pick<RevocationRow, 'subject_hash'>>(sql, keys);
    return new Map(found.map((row) => [row.subject_hash.toString('hex'), true]));
  });
  return {
    async add(subjectHash, expiresAt) {
      const row: RevocationRow = { subject_hash: subjectHash, expires_at: expiresAt };
      return insertUnlessTaken(database, 'revocations', row);
    },
    async containsAny(subjectHashes) {
      const found = await Promise.all(subjectHashes.map((hash) => contains(hash.toString('hex'))));
      return found.includes(true);
    },
  };
}
