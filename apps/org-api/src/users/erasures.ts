import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, putRow } from '@gatehouse/service-kit/database';
import { type ErasureRow, erasureTable } from './erasure-table.ts';

/** A user who is to be forgotten for good. `erasedAt`: milliseconds. */
export interface Erasure {
  id: string;
  erasedAt: number;
}

const dayLength = 86_400_000;

export type Erasures = ReturnType<typeof createErasures>;

/** Users of whom no name is to stay. They are known for as long as audit events are. */
export function createErasures({ database, retentionDays }: { database: Database; retentionDays: number }) {
  const read = async (rest: string, values: readonly unknown[]): Promise<Erasure[]> => {
    const rows = await database.query<ErasureRow>(`SELECT * FROM ${erasureTable} WHERE ${rest}`, values);
    return rows.map((row) => ({ id: idFromBytes(row.user_id), erasedAt: Number(row.erased_at) }));
  };
  return {
    /** Before the user is deleted: a deletion that is cut is done by {@link createEraseUsers}. */
    async add({ id, erasedAt }: Erasure): Promise<void> {
      const row: ErasureRow = {
        ...{ user_id: idToBytes(id), erased_at: erasedAt },
        expires_at: erasedAt + retentionDays * dayLength,
      };
      await putRow(database, erasureTable, row, ['user_id']);
    },
    /** The user stays. */
    async remove(userId: string): Promise<void> {
      await database.execute(`DELETE FROM ${erasureTable} WHERE user_id = ?`, [idToBytes(userId)]);
    },
    /** In the order of the ids. `after`: the last one of the page before; `since`: milliseconds, inclusive. */
    list({ after, since = 0, limit }: { after?: string | undefined; since?: number | undefined; limit: number }) {
      const start = (after === undefined ? undefined : findIdBytes(after)) ?? Buffer.alloc(16);
      return read('user_id > ? AND erased_at >= ? ORDER BY user_id LIMIT ?', [start, since, limit]);
    },
    /** `since`: milliseconds, inclusive. */
    listSince: (since: number): Promise<Erasure[]> => read('erased_at >= ?', [since]),
    /** Those whose user is still there. */
    listUndone: (): Promise<Erasure[]> =>
      read(`EXISTS (SELECT 1 FROM users WHERE users.id = ${erasureTable}.user_id)`, []),
  };
}
