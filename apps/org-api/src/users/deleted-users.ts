import { type Clock, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, putRow } from '@gatehouse/service-kit/database';
import { type DeletedUserRow, deletedUserTable } from './deleted-user-table.ts';
import { erasureTable } from './erasure-table.ts';

/** Milliseconds for which auth-server can learn of a deletion. */
const keptFor = 30 * 86_400_000;
const pageSize = 1_000;

export type DeletedUsers = ReturnType<typeof createDeletedUsers>;

/** Users that are gone. auth-server asks for them, and forgets their sessions and consents. */
export function createDeletedUsers({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** Before the user is deleted. */
    async add(userId: string): Promise<void> {
      const now = clock();
      const row: DeletedUserRow = { user_id: idToBytes(userId), deleted_at: now, expires_at: now + keptFor };
      await putRow(database, deletedUserTable, row, ['user_id']);
    },
    /** Whether a user who is not there was deleted. */
    async includes(userId: string): Promise<boolean> {
      const sql = `SELECT 1 FROM ${deletedUserTable} WHERE user_id = ?`;
      return (await database.query(sql, [idToBytes(userId)])).length > 0;
    },
    /**
     * The oldest first, a thousand at most. A user whose deletion was refused is still there, and is none of them. `erased`: no name is to
     * stay.
     */
    async listSince(deletedAt: number): Promise<{ id: string; deletedAt: number; erased?: true }[]> {
      const isErased = `SELECT COUNT(*) FROM ${erasureTable} WHERE ${erasureTable}.user_id = ${deletedUserTable}.user_id`;
      const sql = `SELECT user_id, deleted_at, (${isErased}) AS erased FROM ${deletedUserTable} WHERE deleted_at >= ?
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = ${deletedUserTable}.user_id) ORDER BY deleted_at LIMIT ${pageSize}`;
      const rows = await database.query<DeletedUserRow & { erased: number }>(sql, [deletedAt]);
      return rows.map((row) => ({
        ...{ id: idFromBytes(row.user_id), deletedAt: Number(row.deleted_at) },
        ...(Number(row.erased) > 0 && { erased: true as const }),
      }));
    },
  };
}
