import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, isInserted, type StatementReading } from '@gatehouse/service-kit/database';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { StatusBlockRow } from './status-block-table.ts';

/** A run of indices in a status list. */
export interface StatusRange {
  listId: number;
  first: number;
  size: number;
}

/** Indices of a list that are to be a registration's own. */
export interface NewStatusBlock {
  listId: number;
  registrationId: string;
  /** `tokenGeneration` of the client. */
  generation: number;
  size: number;
  expiresAt: number;
}

export interface StatusBlockStore {
  /** The index behind the last block of the list. */
  findEnd(listId: number, reading?: StatementReading): Promise<number>;
  /** The registration that the index was reserved for. */
  findRegistration(status: TokenStatus): Promise<string | undefined>;
  /** Stores blocks of one list, one after the other from `first` on; false where another replica was faster. */
  insertAt(first: number, blocks: readonly NewStatusBlock[]): Promise<boolean>;
}

export function createStatusBlockStore(database: Database): StatusBlockStore {
  return {
    async findEnd(listId, reading) {
      const sql = 'SELECT first_index, size FROM status_blocks WHERE list_id = ? ORDER BY first_index DESC LIMIT 1';
      const [last] = await database.query<Pick<StatusBlockRow, 'first_index' | 'size'>>(sql, [listId], reading);
      return last === undefined ? 0 : last.first_index + last.size;
    },
    async findRegistration({ listId, index }) {
      const sql = `SELECT registration_id, first_index, size FROM status_blocks
        WHERE list_id = ? AND first_index <= ? ORDER BY first_index DESC LIMIT 1`;
      const [block] = await database.query<StatusBlockRow>(sql, [listId, index]);
      return block && index < block.first_index + block.size ? idFromBytes(block.registration_id) : undefined;
    },
    async insertAt(first, blocks) {
      const marks = blocks.map(() => '(?, ?, ?, ?, ?, ?)').join(', ');
      const columns = 'list_id, first_index, size, registration_id, generation, expires_at';
      const sql = `INSERT INTO status_blocks (${columns}) VALUES ${marks}`;
      return isInserted(database.execute(sql, blocks.flatMap(rowAt(first))));
    },
  };
}

/** The values of a block's row; each block begins where the one before it ends. */
function rowAt(first: number) {
  let next = first;
  return ({ listId, size, registrationId, generation, expiresAt }: NewStatusBlock) => {
    const row = [listId, next, size, idToBytes(registrationId), generation, expiresAt];
    next += size;
    return row;
  };
}
