import type { Database } from '@gatehouse/service-kit/database';
import type { ClientMetadata } from '@gatehouse/shared';
import type { Client } from './client.ts';
import type { ClientRow } from './client-table.ts';

/** Of a client, when it was changed last, and where its pages are. */
export type ChangedClient = Pick<Client, 'clientId' | 'updatedAt' | 'redirectUri' | 'metadata'>;

/** The place of a client in the order of changes. */
export type ChangePlace = Pick<Client, 'clientId' | 'updatedAt'>;

export interface ChangedClientStore {
  /**
   * The clients that were registered or changed after that place, in the order of their changes. Those whose origins have
   * rows of their own are left out.
   */
  list(after: ChangePlace, limit: number): Promise<ChangedClient[]>;
}

type Row = Pick<ClientRow, 'client_id' | 'updated_at' | 'redirect_uri' | 'metadata'>;

export function createChangedClientStore(database: Database): ChangedClientStore {
  return {
    async list({ clientId, updatedAt }, limit) {
      const sql = `SELECT client_id, updated_at, redirect_uri, metadata FROM clients
        WHERE origins_indexed = 0 AND updated_at >= ? AND (updated_at > ? OR client_id > ?) ORDER BY updated_at, client_id LIMIT ?`;
      const found = await database.query<Row>(sql, [updatedAt, updatedAt, clientId, limit]);
      return found.map(changedFromRow);
    },
  };
}

function changedFromRow({ client_id, updated_at, redirect_uri, metadata }: Row): ChangedClient {
  return {
    clientId: client_id,
    updatedAt: Number(updated_at),
    redirectUri: redirect_uri ?? undefined,
    metadata: metadata === null ? {} : (JSON.parse(metadata) as ClientMetadata),
  };
}
