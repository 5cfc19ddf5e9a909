import type { Database } from '@gatehouse/service-kit';
import type { RevocationStore } from '../stores.ts';
import { insertUnlessTaken, rowsOf } from './rows.ts';
import type { RevocationRow } from './tables/grant-tables.ts';

export function createRevocationStore(database: Database): RevocationStore {
  return {
    async add(subjectHash, expiresAt) {
      const row: RevocationRow = { subject_hash: subjectHash, expires_at: expiresAt };
      await insertUnlessTaken(rowsOf<RevocationRow>(database, 'Revocation'), row);
    },
    async containsAny(subjectHashes) {
      const marks = subjectHashes.map(() => '?').join(', ');
      const sql = `SELECT 1 FROM revocations WHERE subject_hash IN (${marks}) LIMIT 1`;
      return (await database.query(sql, subjectHashes)).length > 0;
    },
  };
}
