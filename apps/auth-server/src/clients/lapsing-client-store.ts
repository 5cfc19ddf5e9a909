import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createTermStore } from '@gatehouse/service-kit/terms';
import type { Client } from './client.ts';
import { createClientOriginStore } from './client-origin-store.ts';
import type { ClientRow } from './client-table.ts';
import { clientTermTable } from './client-terms-table.ts';
import { createClientUseStore } from './client-use-store.ts';

/** One registration of a client that is deleted when nobody uses it. */
export type LapsingClient = Pick<Client, 'clientId' | 'registrationId'>;

export interface LapsingClientStore {
  /** Notes a use. False where the client is gone, or is another registration now. */
  putOff(client: LapsingClient, lapsesAt: number): Promise<boolean>;
  /** Those that lapsed first come first. */
  list(now: number, limit: number): Promise<LapsingClient[]>;
  /** True for exactly one caller, and for none where the client was used meanwhile. */
  delete(client: LapsingClient, now: number): Promise<boolean>;
}

/** A disabled client of a document stays: without its row the document would make an enabled one. */
const stays = '(enabled = 0 AND document_read_at IS NOT NULL)';

export function createLapsingClientStore(database: Database): LapsingClientStore {
  const origins = createClientOriginStore(database);
  const uses = createClientUseStore(database);
  const terms = createTermStore(database, clientTermTable);
  return {
    async putOff({ clientId, registrationId }, lapsesAt) {
      const sql = 'UPDATE clients SET lapses_at = ?, unused_hash = NULL WHERE client_id = ? AND registration_id = ?';
      return (await database.execute(sql, [lapsesAt, clientId, idToBytes(registrationId)])) === 1;
    },
    async list(now, limit) {
      const sql = `SELECT client_id, registration_id FROM clients WHERE lapses_at <= ? AND NOT ${stays}
        ORDER BY lapses_at LIMIT ?`;
      const found = await database.query<Pick<ClientRow, 'client_id' | 'registration_id'>>(sql, [now, limit]);
      return found.map((row) => ({ clientId: row.client_id, registrationId: idFromBytes(row.registration_id) }));
    },
    async delete({ clientId, registrationId }, now) {
      const sql = `DELETE FROM clients WHERE client_id = ? AND registration_id = ? AND lapses_at <= ? AND NOT ${stays}`;
      if ((await database.execute(sql, [clientId, idToBytes(registrationId), now])) !== 1) return false;
      await origins.deleteOfGone(clientId);
      await uses.deleteOf(registrationId);
      await terms.deleteOfGone(clientId);
      return true;
    },
  };
}
