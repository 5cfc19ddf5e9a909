import { idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { TokenStatus } from '../protocol/token-status.ts';
import { createStatusBlockQueue } from './status-block-queue.ts';
import type { NewStatusBlock, StatusRange } from './status-block-store.ts';
import { createStatusBlockStore } from './status-block-store.ts';
import type { StatusBlockRow } from './status-block-table.ts';
import { comparedRows, createStatusRevocationStore } from './status-revocation-store.ts';

export interface StatusStore {
  /** Reserves `size` indices for the registration and gives the first; no index is given out twice. */
  reserve(block: NewStatusBlock): Promise<number>;
  /** The registration that the index was reserved for; undefined for one that nobody reserved. */
  findRegistration(status: TokenStatus): Promise<string | undefined>;
  /** Whether this very index was revoked; not whether a range was that holds it. */
  isRevoked(status: TokenStatus): Promise<boolean>;
  revoke(range: StatusRange & { expiresAt: number }): Promise<void>;
  /** Those of the registration, or those of its generations before one. */
  listBlocks(registrationId: string, beforeGeneration?: number): Promise<StatusRange[]>;
  /** How many indices of the list are reserved, and which of them are revoked. */
  read(listId: number): Promise<{ length: number; revoked: Pick<StatusRange, 'first' | 'size'>[] }>;
  /** How far each list has come, by one statement; of a list that nothing was reserved of, nothing. */
  readExtents(listIds: readonly number[]): Promise<StatusListExtent[]>;
}

/** Rows are only added to a list. So it says the same as long as its extent is the same. */
export interface StatusListExtent {
  listId: number;
  /** Indices that are reserved. */
  length: number;
  /** Another text after each revocation. */
  changes: string;
}

/**
 * Each part reads a range of a key, and answers for a list that has no rows too. Its cost does not depend on the number
 * of revocations: a row that is added among the newest makes their sum greater. Rows of the release before have no number,
 * and are counted.
 */
const extent = `SELECT ? AS list_id,
  (SELECT first_index + size FROM status_blocks WHERE list_id = ? ORDER BY first_index DESC LIMIT 1) AS length,
  (SELECT SUM(change_number) FROM (SELECT change_number FROM status_revocations WHERE list_id = ?
    ORDER BY change_number DESC LIMIT ${comparedRows}) AS newest) AS numbers,
  (SELECT COUNT(*) FROM status_revocations WHERE list_id = ? AND change_number = 0) AS unnumbered`;

interface ExtentRow {
  list_id: number;
  length: number | null;
  numbers: number | string | null;
  unnumbered: number;
}

/** `random` gives a number from 0 up to 1. */
export function createStatusStore(database: Database, random: () => number): StatusStore {
  const blocks = createStatusBlockStore(database);
  const revocations = createStatusRevocationStore(database);

  return {
    reserve: createStatusBlockQueue({ blocks, random }),
    findRegistration: blocks.findRegistration,
    isRevoked: revocations.isRevoked,
    revoke: revocations.add,
    async listBlocks(registrationId, beforeGeneration) {
      const ofAll = 'SELECT list_id, first_index, size FROM status_blocks WHERE registration_id = ?';
      const sql = beforeGeneration === undefined ? ofAll : `${ofAll} AND generation < ?`;
      const values = [idToBytes(registrationId), ...(beforeGeneration === undefined ? [] : [beforeGeneration])];
      const found = await database.query<StatusBlockRow>(sql, values);
      return found.map(({ list_id: listId, first_index: first, size }) => ({ listId, first, size }));
    },
    async read(listId) {
      const [length, revoked] = await Promise.all([blocks.findEnd(listId), revocations.list(listId)]);
      return { length, revoked };
    },
    async readExtents(listIds) {
      if (listIds.length === 0) return [];
      const sql = listIds.map(() => extent).join(' UNION ALL ');
      const values = listIds.flatMap((listId) => [listId, listId, listId, listId]);
      const rows = await database.query<ExtentRow>(sql, values);
      return rows.flatMap(({ list_id, length, numbers, unnumbered }) =>
        length === null
          ? []
          : [{ listId: Number(list_id), length: Number(length), changes: `${numbers ?? 0} ${unnumbered}` }],
      );
    },
  };
}
