import { idToBytes } from '@gatehouse/service-kit';
import { createBatchedLookup, type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { NewStatusBlock, StatusRange } from './status-block.ts';
import { createStatusBlockQueue } from './status-block-queue.ts';
import { createStatusBlockStore } from './status-block-store.ts';
import type { StatusBlockRow } from './status-block-table.ts';
import type { StatusRevocationRow } from './status-revocation-table.ts';

export interface StatusStore {
  /** Reserves `size` indices for the registration and gives the first; no index is given out twice. */
  reserve(block: NewStatusBlock): Promise<number>;
  /** Whether this very index was revoked; not whether a range was that holds it. */
  isRevoked(status: TokenStatus): Promise<boolean>;
  revoke(range: StatusRange & { expiresAt: number }): Promise<void>;
  /** Those of the registration, or those of its generations before one. */
  listBlocks(registrationId: string, beforeGeneration?: number): Promise<StatusRange[]>;
  /** How many indices of the list are reserved, and which of them are revoked. */
  read(listId: number): Promise<{ length: number; revoked: { first: number; size: number }[] }>;
  /** How much there is of each list, by one statement; of a list that nothing was reserved of, nothing. */
  readExtents(listIds: readonly number[]): Promise<StatusListExtent[]>;
}

/** Rows are only added to a list. So it says the same as long as its extent is the same. */
export interface StatusListExtent {
  listId: number;
  /** Indices that are reserved. */
  length: number;
  /** Ranges that were revoked. */
  revocations: number;
}

/** Each part reads a range of a primary key, and answers for a list that has no rows too. */
const extent = `SELECT ? AS list_id,
  (SELECT first_index + size FROM status_blocks WHERE list_id = ? ORDER BY first_index DESC LIMIT 1) AS length,
  (SELECT COUNT(*) FROM status_revocations WHERE list_id = ?) AS revocations`;

/** `random` gives a number from 0 up to 1. */
export function createStatusStore(database: Database, random: () => number): StatusStore {
  const blocks = createStatusBlockStore(database);
  const findRevoked = createBatchedLookup<true>(async (keys) => {
    const statuses = keys.map((key) => key.split('.').map(Number));
    const isOneOf = statuses.map(() => '(list_id = ? AND first_index = ?)').join(' OR ');
    const sql = `SELECT list_id, first_index FROM status_revocations WHERE ${isOneOf}`;
    const found = await database.query<StatusRevocationRow>(sql, statuses.flat());
    return new Map(found.map((row) => [`${row.list_id}.${row.first_index}`, true]));
  });

  return {
    reserve: createStatusBlockQueue({ blocks, random }),
    isRevoked: async ({ listId, index }) => (await findRevoked(`${listId}.${index}`)) === true,
    async revoke({ listId, first, size, expiresAt }) {
      const row: StatusRevocationRow = { list_id: listId, first_index: first, size, expires_at: expiresAt };
      await insertUnlessTaken(database, 'status_revocations', row);
    },
    async listBlocks(registrationId, beforeGeneration) {
      const ofAll = 'SELECT list_id, first_index, size FROM status_blocks WHERE registration_id = ?';
      const sql = beforeGeneration === undefined ? ofAll : `${ofAll} AND generation < ?`;
      const values = [idToBytes(registrationId), ...(beforeGeneration === undefined ? [] : [beforeGeneration])];
      const found = await database.query<StatusBlockRow>(sql, values);
      return found.map(({ list_id: listId, first_index: first, size }) => ({ listId, first, size }));
    },
    async read(listId) {
      const sql = 'SELECT first_index, size FROM status_revocations WHERE list_id = ?';
      const [length, revoked] = await Promise.all([
        blocks.findEnd(listId),
        database.query<Pick<StatusRevocationRow, 'first_index' | 'size'>>(sql, [listId]),
      ]);
      return { length, revoked: revoked.map(({ first_index: first, size }) => ({ first, size })) };
    },
    async readExtents(listIds) {
      if (listIds.length === 0) return [];
      const sql = listIds.map(() => extent).join(' UNION ALL ');
      const rows = await database.query<{ list_id: number; length: number | null; revocations: number }>(
        sql,
        listIds.flatMap((listId) => [listId, listId, listId]),
      );
      return rows.flatMap(({ list_id, length, revocations }) =>
        length === null ? [] : [{ listId: Number(list_id), length: Number(length), revocations: Number(revocations) }],
      );
    },
  };
}
