import { idToBytes } from '@gatehouse/service-kit';
import { createInsert, type Database } from '@gatehouse/service-kit/database';
import type { RecoveryCodeRow } from './recovery-code-table.ts';

/** The codes that a user has left. */
export interface RecoveryCodeSet {
  salt: Buffer;
  left: number;
  /** Milliseconds. */
  createdAt: number;
}

export type RecoveryCodeStore = ReturnType<typeof createRecoveryCodeStore>;

/** The recovery codes of users, as digests. */
export function createRecoveryCodeStore(database: Database) {
  const insert = createInsert<RecoveryCodeRow>(database, 'recovery_codes');
  const deleteAll = async (userId: string) => {
    await database.execute('DELETE FROM recovery_codes WHERE user_id = ?', [idToBytes(userId)]);
  };
  return {
    /** The newest set; undefined where no code is left. */
    async find(userId: string): Promise<RecoveryCodeSet | undefined> {
      const sql = `SELECT salt, COUNT(*) AS codes, created_at FROM recovery_codes WHERE user_id = ?
        GROUP BY salt, created_at ORDER BY created_at DESC LIMIT 1`;
      type Found = Pick<RecoveryCodeRow, 'salt' | 'created_at'> & { codes: number };
      const [row] = await database.query<Found>(sql, [idToBytes(userId)]);
      return row && { salt: row.salt, left: Number(row.codes), createdAt: Number(row.created_at) };
    },
    /** Replaces all codes of a user. None stays where the last second step, with which codes go, was removed meanwhile. */
    async replace(userId: string, set: { salt: Buffer; digests: readonly Buffer[] }, now: number): Promise<void> {
      await deleteAll(userId);
      const common = { user_id: idToBytes(userId), salt: set.salt, created_at: now };
      await Promise.all(set.digests.map((digest) => insert({ ...common, digest })));
      const sql = `DELETE FROM recovery_codes WHERE user_id = ? AND salt = ?
        AND NOT EXISTS (SELECT 1 FROM code_apps WHERE code_apps.user_id = ?)
        AND NOT EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = ?)`;
      const id = idToBytes(userId);
      await database.execute(sql, [id, set.salt, id, id]);
    },
    /** False where the user has no such code, or used it. Of several who use it at the same moment one does. */
    async use(userId: string, digest: Buffer): Promise<boolean> {
      const sql = 'DELETE FROM recovery_codes WHERE user_id = ? AND digest = ?';
      return (await database.execute(sql, [idToBytes(userId), digest])) === 1;
    },
    deleteAll,
  };
}
