import type { Database } from '@gatehouse/service-kit/database';
import type { Client } from './client.ts';
import { clientFromRow } from './client-row.ts';
import type { ClientRow } from './client-table.ts';

/** The values that a client gets that registers once more before it was ever used. */
export interface Renewal {
  tokenHash: Buffer;
  lapsesAt: number;
  now: number;
}

/** The clients of open registration that never had a token. */
export type UnusedClientStore = ReturnType<typeof createUnusedClientStore>;

export function createUnusedClientStore(database: Database) {
  return {
    async count(): Promise<number> {
      // No hash is less. MySQL and SQLite read this from the index alone.
      const sql = "SELECT COUNT(*) AS clients FROM clients WHERE unused_hash >= x'00'";
      const [row] = await database.query<{ clients: number }>(sql);
      return Number(row?.clients);
    },
    /** Finds the one that came with the hash. */
    async find(unusedHash: Buffer): Promise<Client | undefined> {
      const [row] = await database.query<ClientRow>('SELECT * FROM clients WHERE unused_hash = ?', [unusedHash]);
      return row && clientFromRow(row);
    },
    /**
     * False where it was used or changed meanwhile, or is gone: each of these takes the hash away. The version is a later
     * one, so that a change that the former token began is not stored.
     */
    async renew(unusedHash: Buffer, { tokenHash, lapsesAt, now }: Renewal): Promise<boolean> {
      const sql = `UPDATE clients SET registration_token_hash = ?, lapses_at = ?,
        updated_at = CASE WHEN updated_at < ? THEN ? ELSE updated_at + 1 END WHERE unused_hash = ?`;
      return (await database.execute(sql, [tokenHash, lapsesAt, now, now, unusedHash])) === 1;
    },
    /** Notes of a client that it was used: a release that knows no hash noted the use alone. */
    async release(unusedHash: Buffer): Promise<void> {
      await database.execute('UPDATE clients SET unused_hash = NULL WHERE unused_hash = ?', [unusedHash]);
    },
  };
}
