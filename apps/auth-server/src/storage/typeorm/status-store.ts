import { type Database, idToBytes } from '@gatehouse/service-kit';
import type { StatusStore } from '../stores.ts';
import { insertUnlessTaken, rowsOf } from './rows.ts';
import type { StatusBlockRow, StatusRevocationRow } from './tables/status-tables.ts';

/** Tries to reserve before it is given up: each failed one means that somebody else got a block. */
const tries = 50;

export function createStatusStore(database: Database): StatusStore {
  const findEnd = async (listId: number): Promise<number> => {
    const sql = 'SELECT first_index, size FROM status_blocks WHERE list_id = ? ORDER BY first_index DESC LIMIT 1';
    const [last] = await database.query<Pick<StatusBlockRow, 'first_index' | 'size'>>(sql, [listId]);
    return last === undefined ? 0 : last.first_index + last.size;
  };

  return {
    async reserve({ listId, registrationId, size, expiresAt }) {
      const rows = rowsOf<StatusBlockRow>(database, 'StatusBlock');
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const first = await findEnd(listId);
        const block = { list_id: listId, first_index: first, size, registration_id: idToBytes(registrationId) };
        if (await insertUnlessTaken(rows, { ...block, expires_at: expiresAt })) return first;
      }
      throw new Error('no block of the status list could be reserved');
    },
    async revoke({ listId, first, size, expiresAt }) {
      const row: StatusRevocationRow = { list_id: listId, first_index: first, size, expires_at: expiresAt };
      await insertUnlessTaken(rowsOf<StatusRevocationRow>(database, 'StatusRevocation'), row);
    },
    async listBlocks(registrationId) {
      const sql = 'SELECT list_id, first_index, size FROM status_blocks WHERE registration_id = ?';
      const found = await database.query<StatusBlockRow>(sql, [idToBytes(registrationId)]);
      return found.map(({ list_id: listId, first_index: first, size }) => ({ listId, first, size }));
    },
    async read(listId) {
      const sql = 'SELECT first_index, size FROM status_revocations WHERE list_id = ?';
      const [length, revoked] = await Promise.all([
        findEnd(listId),
        database.query<Pick<StatusRevocationRow, 'first_index' | 'size'>>(sql, [listId]),
      ]);
      return { length, revoked: revoked.map(({ first_index: first, size }) => ({ first, size })) };
    },
  };
}
