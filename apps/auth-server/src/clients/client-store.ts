import { idToBytes } from '@gatehouse/service-kit';
import { createBatchedLookup, createRecentLookup, type Database, type Lookup } from '@gatehouse/service-kit/database';
import { createTermStore } from '@gatehouse/service-kit/terms';
import { clientIdPattern } from '@gatehouse/shared';
import { hashResourceUri } from '../protocol/resource-uri.ts';
import type { Client, ClientDocument } from './client.ts';
import { createClientOriginStore } from './client-origin-store.ts';
import {
  clientFromRow,
  formatCeiling,
  type ReadClientRow,
  readColumns,
  rowFromClient,
  type WrittenClientRow,
} from './client-row.ts';
import type { ClientRow } from './client-table.ts';
import { termedClient } from './client-terms.ts';
import { clientTermTable } from './client-terms-table.ts';
import { createClientUseStore } from './client-use-store.ts';
import { isWellFormedDocumentUrl } from './document-url.ts';
import { formatImported } from './imported-secret.ts';
import { insertClient } from './insert-client.ts';

export interface ClientPageRequest {
  /** The client_id of the last client of the page before. */
  after: string | undefined;
  limit: number;
}

/** A new secret, and what comes with it. */
export interface SecretChange extends Pick<Client, 'ceiling' | 'tokenGeneration' | 'updatedAt'> {
  newHash: string;
  /** Where the server made the secret. */
  newDigest: string | undefined;
  /** Where another server hashed the secret. */
  newImported?: string | undefined;
  setAt: number;
  previousExpiresAt: number;
}

export interface ClientStore {
  /**
   * False where the client_id is taken, of which exactly one of several at the same moment is inserted; or where its
   * default resource is gone; or where another client has the hash. `unusedHash`: what a client of open registration came with.
   */
  insert(client: Client, unusedHash?: Buffer): Promise<boolean>;
  /** A row comes before a built-in client of its name. */
  find(clientId: string): Promise<Client | undefined>;
  /** The client of a registration. */
  findByRegistration(registrationId: string): Promise<Client | undefined>;
  /** As it was at most a second ago; what was changed here is known here at once. */
  findRecent(clientId: string): Promise<Client | undefined>;
  /** In the order of their client_ids. */
  list(page: ClientPageRequest): Promise<Client[]>;
  /**
   * Everything but the secret. False where the client is gone or was changed since `seenUpdatedAt`, or where its new
   * default resource is gone. A caller that ends the client's access tokens raises `tokenGeneration` by it.
   */
  update(client: Client, seenUpdatedAt: number): Promise<boolean>;
  /** Everything, also the registration and the secret. False where the client is gone or is not as in `seen` any more. */
  replace(seen: Client, client: Client): Promise<boolean>;
  /** The secret in `seen` becomes the previous one. False where the client is gone or is not as in `seen` any more. */
  replaceSecret(seen: Client, change: SecretChange): Promise<boolean>;
  /** Puts a hash of ours in the place of an imported one; nothing else of the client changes. False where it is another one meanwhile. */
  replaceImportedSecret(seen: Client, newHash: string): Promise<boolean>;
  /** False where the client is gone or is not as in `seen` any more. */
  endPreviousSecret(seen: Client, updatedAt: number): Promise<boolean>;
  /** False where the client is gone or is not as in `seen` any more. */
  delete(seen: Client): Promise<boolean>;
  /** Notes that the document of a client was read again, and says the same. The version stays. */
  noteReading(client: Client, reading: Pick<ClientDocument, 'readAt' | 'expiresAt'>): Promise<void>;
  /** The client_ids of those with this default resource, in their order. */
  listByDefaultResource(uri: string, limit: number): Promise<string[]>;
}

const isClientId = new RegExp(clientIdPattern);

/** Milliseconds after which a client in demand is read again, and for which clients are gathered for one statement. */
const renewAfter = 500;
const gatherFor = 25;

/** `builtIn`: clients that have no rows. They are found, and not listed. */
export function createClientStore(database: Database, builtIn: readonly Client[] = []): ClientStore {
  const withoutRow = new Map(builtIn.map((client) => [client.clientId, client]));
  const lookUp = (clientIds: readonly string[]) => findRows(database, clientIds);
  const find = createFind(createBatchedLookup(lookUp), withoutRow);
  const renew = createFind(createBatchedLookup(lookUp, { gatherFor }), withoutRow);
  const recent = createRecentLookup(find, { renewal: { after: renewAfter, lookup: renew } });
  /** Says whether the change was made, and that the next one who asks has to see it. */
  const changed = (clientId: string, rowsChanged: number) => {
    recent.forget(clientId);
    return rowsChanged === 1;
  };
  const origins = createClientOriginStore(database);
  const uses = createClientUseStore(database);
  const terms = createTermStore(database, clientTermTable);
  /** The origins of a client that registered itself are there before the change is, and those that it took away go after it. */
  const writeWithOrigins = async (client: Client, writeIt: () => Promise<number>): Promise<boolean> => {
    if (client.dynamic === undefined) return changed(client.clientId, await writeIt());
    await origins.put(client);
    const isWritten = changed(client.clientId, await writeIt());
    if (isWritten) await origins.deleteEarlier(client);
    return isWritten;
  };
  const insertWithOrigins = async (client: Client, unusedHash: Buffer | undefined): Promise<boolean> => {
    const row = { ...rowFromClient(client), unused_hash: unusedHash ?? null };
    if (client.dynamic === undefined) return insertClient(database, row);
    await origins.put(client);
    const isNew = await insertClient(database, row);
    if (!isNew) await origins.deleteOfGone(client.clientId);
    return isNew;
  };
  /** The terms of a client come after its row. */
  const withTerms = async (client: Client, writing: Promise<boolean>): Promise<boolean> => {
    const isWritten = await writing;
    if (isWritten) await terms.writeAfter(termedClient(client));
    return isWritten;
  };
  return {
    insert: (client, unusedHash) => withTerms(client, insertWithOrigins(client, unusedHash)),
    find,
    async findByRegistration(registrationId) {
      const sql = 'SELECT * FROM clients WHERE registration_id = ?';
      const [row] = await database.query<ClientRow>(sql, [idToBytes(registrationId)]);
      if (row !== undefined) return clientFromRow(row);
      return builtIn.find((client) => client.registrationId === registrationId);
    },
    findRecent: recent.find,
    list: (page) => list(database, page),
    update: (client, seenUpdatedAt) =>
      withTerms(
        client,
        writeWithOrigins(client, () => updateSettings(database, client, seenUpdatedAt)),
      ),
    async replace(seen, client) {
      const { lapses_at: _, ...row } = rowFromClient(client);
      const isReplaced = await withTerms(
        client,
        writeWithOrigins(client, () => writeRow(database, row, seen)),
      );
      if (isReplaced && client.registrationId !== seen.registrationId) await uses.deleteOf(seen.registrationId);
      return isReplaced;
    },
    async replaceSecret(seen, change) {
      const isReplaced = changed(seen.clientId, await replaceSecret(database, seen, change));
      if (isReplaced) await uses.passOnSecret(seen.registrationId, seen.secretSetAt);
      return isReplaced;
    },
    async replaceImportedSecret({ clientId, secretHash, importedSecret }, newHash) {
      const sql = `UPDATE clients SET secret_hash = ?, secret_digest = NULL, imported_secret_hash = NULL
        WHERE client_id = ? AND secret_hash = ? AND imported_secret_hash = ?`;
      return changed(
        clientId,
        await database.execute(sql, [
          newHash,
          clientId,
          secretHash ?? null,
          formatImported(secretHash, importedSecret),
        ]),
      );
    },
    async endPreviousSecret(seen, updatedAt) {
      const sql = `UPDATE clients SET previous_secret_hash = NULL, previous_secret_digest = NULL,
        imported_previous_hash = NULL, previous_secret_expires_at = NULL, updated_at = ? WHERE ${isVersion}`;
      return changed(seen.clientId, await database.execute(sql, [updatedAt, ...versionOf(seen)]));
    },
    async delete(seen) {
      const sql = `DELETE FROM clients WHERE ${isVersion}`;
      const isDeleted = changed(seen.clientId, await database.execute(sql, versionOf(seen)));
      if (!isDeleted) return false;
      await Promise.all([terms.deleteOfGone(seen.clientId), uses.deleteOf(seen.registrationId)]);
      if (seen.dynamic !== undefined) await origins.deleteOfGone(seen.clientId);
      return true;
    },
    async noteReading({ clientId, registrationId }, { readAt, expiresAt }) {
      const sql =
        'UPDATE clients SET document_read_at = ?, document_expires_at = ? WHERE client_id = ? AND registration_id = ?';
      await database.execute(sql, [readAt, expiresAt, clientId, idToBytes(registrationId)]);
      recent.forget(clientId);
    },
    async listByDefaultResource(uri, limit) {
      const sql = 'SELECT client_id FROM clients WHERE default_resource_hash = ? ORDER BY client_id LIMIT ?';
      const found = await database.query<Pick<ClientRow, 'client_id'>>(sql, [hashResourceUri(uri), limit]);
      return found.map((row) => row.client_id);
    },
  };
}

/** A text that cannot be a client_id is not looked up: MySQL compares no other text with an ASCII column. */
function createFind(findRow: Lookup<ReadClientRow>, withoutRow: ReadonlyMap<string, Client>): ClientStore['find'] {
  return async (clientId) => {
    const isId = isClientId.test(clientId) || isWellFormedDocumentUrl(clientId);
    const row = isId ? await findRow(clientId) : undefined;
    return row === undefined ? withoutRow.get(clientId) : clientFromRow(row);
  };
}

async function findRows(database: Database, clientIds: readonly string[]): Promise<Map<string, ReadClientRow>> {
  const marks = clientIds.map(() => '?').join(', ');
  const sql = `SELECT ${readColumns} FROM clients WHERE client_id IN (${marks})`;
  const found = await database.query<ReadClientRow>(sql, clientIds);
  return new Map(found.map((row) => [row.client_id, row]));
}

async function list(database: Database, { after, limit }: ClientPageRequest): Promise<Client[]> {
  const where = after === undefined ? '' : 'WHERE client_id > ?';
  const sql = `SELECT * FROM clients ${where} ORDER BY client_id LIMIT ?`;
  const found = await database.query<ClientRow>(sql, [...(after === undefined ? [] : [after]), limit]);
  return found.map(clientFromRow);
}

/**
 * Writes everything but the secret and the lapse, which uses put off meanwhile. A disabled client of a document has no lapse: the release
 * before knows no other reason to let it stay. Gives the count of rows.
 */
function updateSettings(database: Database, client: Client, seenUpdatedAt: number): Promise<number> {
  const {
    secret_hash: _1,
    secret_digest: _2,
    previous_secret_hash: _3,
    previous_secret_digest: _4,
    previous_secret_expires_at: _5,
    secret_set_at: _6,
    imported_secret_hash: _7,
    imported_previous_hash: _8,
    lapses_at,
    ...settings
  } = rowFromClient(client);
  const lapse = client.document === undefined ? {} : { lapses_at: client.enabled ? lapses_at : null };
  return writeRow(database, { ...settings, ...lapse }, { ...client, updatedAt: seenUpdatedAt });
}

type Written = Pick<WrittenClientRow, 'default_resource_hash'> & Partial<Pick<WrittenClientRow, 'lapses_at'>>;

/**
 * Writes columns of a client while it is as in `seen`, and while its default resource is there. Gives the count of rows. A
 * client that was never used stays one, but equals none that registers: what it registered with is not what it is now.
 */
function writeRow(database: Database, row: Written, seen: Client): Promise<number> {
  const { default_resource_hash: defaultHash, lapses_at: lapse = null } = row;
  const isStillUnused = 'unused_hash = CASE WHEN unused_hash IS NULL THEN NULL ELSE ? END';
  const assign = (column: string) =>
    column === 'lapses_at' && lapse !== null ? 'lapses_at = COALESCE(lapses_at, ?)' : `${column} = ?`;
  const assignments = [...Object.keys(row).map(assign), isStillUnused];
  const isThere = '(default_resource_hash = ? OR EXISTS (SELECT 1 FROM resources WHERE uri_hash = ?))';
  const condition = defaultHash === null ? isVersion : `${isVersion} AND ${isThere}`;
  return database.execute(`UPDATE clients SET ${assignments.join(', ')} WHERE ${condition}`, [
    ...Object.values(row),
    Buffer.concat([idToBytes(seen.registrationId), Buffer.alloc(16)]),
    ...versionOf(seen),
    ...(defaultHash === null ? [] : [defaultHash, defaultHash]),
  ]);
}

/**
 * MySQL assigns from left to right: what is kept is read before it is replaced. A public client has no secret, and
 * nothing equals NULL. Gives the count of rows.
 */
function replaceSecret(database: Database, seen: Client, change: SecretChange): Promise<number> {
  const { clientId, registrationId, secretHash } = seen;
  const { newHash, newDigest, newImported, setAt, previousExpiresAt, ceiling, tokenGeneration, updatedAt } = change;
  return database.execute(
    `UPDATE clients SET previous_secret_hash = secret_hash, previous_secret_digest = secret_digest,
      imported_previous_hash = imported_secret_hash, previous_secret_expires_at = ?,
      secret_hash = ?, secret_digest = ?, imported_secret_hash = ?, secret_set_at = ?, ceiling = ?,
      token_generation = ?, updated_at = ?
      WHERE client_id = ? AND registration_id = ? AND secret_hash = ? AND updated_at = ?`,
    [
      ...[previousExpiresAt, newHash, newDigest ?? null, formatImported(newHash, newImported), setAt],
      ...[formatCeiling(ceiling), tokenGeneration, updatedAt],
      ...[clientId, idToBytes(registrationId), secretHash ?? null, seen.updatedAt],
    ],
  );
}

/** The values that a statement names to change a client as it was seen, and no other. */
const isVersion = 'client_id = ? AND registration_id = ? AND updated_at = ?';

function versionOf({ clientId, registrationId, updatedAt }: Client) {
  return [clientId, idToBytes(registrationId), updatedAt];
}
