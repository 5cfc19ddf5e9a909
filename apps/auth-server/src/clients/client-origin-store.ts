import { hash } from 'node:crypto';
import type { Database } from '@gatehouse/service-kit/database';
import type { Client } from './client.ts';
import { listOrigins } from './client-origins.ts';

/**
 * The origins of the pages of clients that registered themselves, for look-ups. They are written before the client is, so
 * a process that is killed in between leaves rows of no client, which no look-up finds.
 */
export type ClientOriginStore = ReturnType<typeof createClientOriginStore>;

export function createClientOriginStore(database: Database) {
  const replace =
    database.dialect === 'mysql'
      ? 'ON DUPLICATE KEY UPDATE written_at = VALUES(written_at)'
      : 'ON CONFLICT (origin_hash, client_id) DO UPDATE SET written_at = excluded.written_at';
  return {
    /** Adds those that the client has in this version. */
    async put(client: Client): Promise<void> {
      const rows = listOrigins(client).map((origin) => [hashOrigin(origin), client.clientId, client.updatedAt]);
      if (rows.length === 0) return;
      const marks = rows.map(() => '(?, ?, ?)').join(', ');
      const sql = `INSERT INTO client_origins (origin_hash, client_id, written_at) VALUES ${marks} ${replace}`;
      await database.execute(sql, rows.flat());
    },
    /** Deletes those that no version wrote from this one on. A later version may be on its way meanwhile. */
    async deleteEarlier({ clientId, updatedAt }: Pick<Client, 'clientId' | 'updatedAt'>): Promise<void> {
      const sql = 'DELETE FROM client_origins WHERE client_id = ? AND written_at < ?';
      await database.execute(sql, [clientId, updatedAt]);
    },
    /** Deletes those of a client that is not there. */
    async deleteOfGone(clientId: string): Promise<void> {
      const sql = `DELETE FROM client_origins WHERE client_id = ?
        AND NOT EXISTS (SELECT 1 FROM clients WHERE clients.client_id = ?)`;
      await database.execute(sql, [clientId, clientId]);
    },
    /** Says of each of these origins whether a client has it. Each is found by the first client that has it. */
    async findAll(origins: readonly string[]): Promise<ReadonlyMap<string, { isHeld: boolean }>> {
      const isHeld = `EXISTS (SELECT 1 FROM client_origins JOIN clients ON clients.client_id = client_origins.client_id
        AND clients.origins_indexed = 1 WHERE client_origins.origin_hash = ?)`;
      const sql = `SELECT ${origins.map((_, index) => `${isHeld} AS origin_${index}`).join(', ')}`;
      const [row = {}] = await database.query<Record<string, number>>(sql, origins.map(hashOrigin));
      return new Map(origins.map((origin, index) => [origin, { isHeld: Number(row[`origin_${index}`]) === 1 }]));
    },
  };
}

function hashOrigin(origin: string): Buffer {
  return hash('sha256', origin, 'buffer');
}
