import { createBatchedLookup, type Database, idToBytes } from '@gatehouse/service-kit';
import type { StatusStore } from '../stores.ts';
import { insertUnlessTaken, rowsOf } from './rows.ts';
import { createStatusBlocks } from './status-blocks.ts';
import type { StatusBlockRow, StatusRevocationRow } from './tables/status-tables.ts';

export function createStatusStore(database: Database): StatusStore {
  const { findEnd, reserve } = createStatusBlocks(database);
  const findRevoked = createBatchedLookup<true>(async (keys) => {
    const statuses = keys.map((key) => key.split('.').map(Number));
    const isOneOf = statuses.map(() => '(list_id = ? AND first_index = ?)').join(' OR ');
    const sql = `SELECT list_id, first_index FROM status_revocations WHERE ${isOneOf}`;
    const found = await database.query<StatusRevocationRow>(sql, statuses.flat());
    return new Map(found.map((row) => [`${row.list_id}.${row.first_index}`, true]));
  });

  return {
    reserve,
    isRevoked: async ({ listId, index }) => (await findRevoked(`${listId}.${index}`)) === true,
    async revoke({ listId, first, size, expiresAt }) {
      const row: StatusRevocationRow = { list_id: listId, first_index: first, size, expires_at: expiresAt };
      await insertUnlessTaken(rowsOf<StatusRevocationRow>(database, 'StatusRevocation'), row);
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
        findEnd(listId),
        database.query<Pick<StatusRevocationRow, 'first_index' | 'size'>>(sql, [listId]),
      ]);
      return { length, revoked: revoked.map(({ first_index: first, size }) => ({ first, size })) };
    },
  };
}
