import { createBatchedLookup, type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { StatusRange } from './status-block-store.ts';
import type { StatusRevocationRow } from './status-revocation-table.ts';

/**
 * Rows that a look for changes compares. A row that is stored late, with a lower number than others, is found among them.
 * So many revocations of one list, each numbered after the one before, take longer than `lateAfter`.
 */
export const comparedRows = 256;
/** Milliseconds after which a row may have been stored too late to be found by its number. */
export const lateAfter = 50;

export interface StatusRevocationStore {
  /** Whether this very index was revoked; not whether a range was that holds it. */
  isRevoked(status: TokenStatus): Promise<boolean>;
  add(range: StatusRange & { expiresAt: number }): Promise<void>;
  /** Gives a stored row another number, so that a look for changes finds it, and what was stored with it. */
  renumber(range: StatusRange): Promise<void>;
  list(listId: number): Promise<Pick<StatusRange, 'first' | 'size'>[]>;
}

/** `now` gives milliseconds that only grow. */
export function createStatusRevocationStore(
  database: Database,
  now: () => number = () => performance.now(),
): StatusRevocationStore {
  const findRevoked = createBatchedLookup<true>(async (keys) => {
    const statuses = keys.map((key) => key.split('.').map(Number));
    const isOneOf = statuses.map(() => '(list_id = ? AND first_index = ?)').join(' OR ');
    const sql = `SELECT list_id, first_index FROM status_revocations WHERE ${isOneOf}`;
    const found = await database.query<StatusRevocationRow>(sql, statuses.flat());
    return new Map(found.map((row) => [`${row.list_id}.${row.first_index}`, true]));
  });
  /** Many at the same moment may get the same. */
  const findNextNumber = async (listId: number): Promise<number> => {
    const sql = 'SELECT change_number FROM status_revocations WHERE list_id = ? ORDER BY change_number DESC LIMIT 1';
    const [newest] = await database.query<Pick<StatusRevocationRow, 'change_number'>>(sql, [listId]);
    return (newest?.change_number ?? 0) + 1;
  };

  const renumber = async ({ listId, first, size }: StatusRange): Promise<void> => {
    const sql = 'UPDATE status_revocations SET change_number = ? WHERE list_id = ? AND first_index = ? AND size = ?';
    await database.execute(sql, [await findNextNumber(listId), listId, first, size]);
  };

  return {
    isRevoked: async ({ listId, index }) => (await findRevoked(`${listId}.${index}`)) === true,
    async add({ expiresAt, ...range }) {
      const startedAt = now();
      const { listId, first, size } = range;
      const row: StatusRevocationRow = {
        ...{ list_id: listId, first_index: first, size, expires_at: expiresAt },
        change_number: await findNextNumber(listId),
      };
      const isNew = await insertUnlessTaken(database, 'status_revocations', row);
      if (isNew && now() - startedAt >= lateAfter) await renumber(range);
    },
    renumber,
    async list(listId) {
      const sql = 'SELECT first_index, size FROM status_revocations WHERE list_id = ?';
      const rows = await database.query<Pick<StatusRevocationRow, 'first_index' | 'size'>>(sql, [listId]);
      return rows.map(({ first_index: first, size }) => ({ first, size }));
    },
  };
}
