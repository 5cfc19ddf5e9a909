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
}

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
  };
}
