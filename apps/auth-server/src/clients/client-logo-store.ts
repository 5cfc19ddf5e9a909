import { idToBytes } from '@gatehouse/service-kit';
import { createRecentLookup, type Database } from '@gatehouse/service-kit/database';
import type { Client } from './client.ts';
import type { ClientLogo } from './client-logo.ts';
import type { ClientLogoRow } from './client-logo-table.ts';

type Registration = Pick<Client, 'clientId' | 'registrationId'>;

export interface ClientLogoStore {
  /** Puts a logo, in place of an earlier one. False where the client is gone. */
  put(client: Registration, logo: ClientLogo): Promise<boolean>;
  find(client: Registration): Promise<ClientLogo | undefined>;
  /** The version as it was at most a second ago; undefined where there is no logo. */
  findRecentDigest(client: Registration): Promise<Buffer | undefined>;
  /** False where there was none. */
  delete(client: Registration): Promise<boolean>;
}

export function createClientLogoStore(database: Database): ClientLogoStore {
  const recent = createRecentLookup<{ digest: Buffer | undefined }>(async (registrationId) => {
    const sql = 'SELECT digest FROM client_logos WHERE registration_id = ?';
    const [row] = await database.query<Pick<ClientLogoRow, 'digest'>>(sql, [idToBytes(registrationId)]);
    return { digest: row?.digest };
  });
  return {
    async put({ clientId, registrationId }, { bytes, digest }) {
      const id = idToBytes(registrationId);
      await deleteAbandoned(database);
      await putForClient(database, { registration_id: id, client_id: clientId, image: bytes, digest });
      recent.forget(registrationId);
      // A client without a row was deleted before, and its logo is abandoned.
      const sql = 'SELECT 1 FROM client_logos WHERE registration_id = ?';
      return (await database.query(sql, [id])).length === 1;
    },
    async find({ registrationId }) {
      const sql = 'SELECT * FROM client_logos WHERE registration_id = ?';
      const [row] = await database.query<ClientLogoRow>(sql, [idToBytes(registrationId)]);
      return row && { bytes: row.image, digest: row.digest };
    },
    async findRecentDigest({ registrationId }) {
      return (await recent.find(registrationId))?.digest;
    },
    async delete({ registrationId }) {
      const sql = 'DELETE FROM client_logos WHERE registration_id = ?';
      const deleted = await database.execute(sql, [idToBytes(registrationId)]);
      recent.forget(registrationId);
      return deleted === 1;
    },
  };
}

/** The statement that writes the logo reads the row of the client: no logo is put for a client that is gone. */
async function putForClient(database: Database, row: ClientLogoRow): Promise<void> {
  const replace =
    database.dialect === 'mysql'
      ? 'ON DUPLICATE KEY UPDATE image = VALUES(image), digest = VALUES(digest)'
      : 'ON CONFLICT (registration_id) DO UPDATE SET image = excluded.image, digest = excluded.digest';
  await database.execute(
    `INSERT INTO client_logos (registration_id, client_id, image, digest)
      SELECT registration_id, client_id, ?, ? FROM clients WHERE client_id = ? AND registration_id = ? ${replace}`,
    [row.image, row.digest, row.client_id, row.registration_id],
  );
}

/** Deletes the logos of clients that are gone, however they went. There are few rows, and few logos are put. */
async function deleteAbandoned(database: Database): Promise<void> {
  await database.execute(`DELETE FROM client_logos WHERE NOT EXISTS (SELECT 1 FROM clients
    WHERE clients.client_id = client_logos.client_id AND clients.registration_id = client_logos.registration_id)`);
}
