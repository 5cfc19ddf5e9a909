import {
  createBatchedLookup,
  createRecentLookup,
  type Database,
  idFromBytes,
  idToBytes,
  insertUnlessTaken,
} from '@gatehouse/service-kit';
import {
  type ClientMetadata,
  clientIdPattern,
  type GrantType,
  isEveryRole,
  parseScope,
  type Role,
  roles,
} from '@gatehouse/shared';
import type { Client } from './client.ts';
import type { ClientRow } from './client-table.ts';

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
  previousExpiresAt: number;
}

export interface ClientStore {
  /** False where the client_id is taken: exactly one of several at the same moment is inserted. */
  insert(client: Client): Promise<boolean>;
  find(clientId: string): Promise<Client | undefined>;
  /** As it was at most a second ago; what was changed here is known here at once. */
  findRecent(clientId: string): Promise<Client | undefined>;
  /** In the order of their client_ids. */
  list(page: ClientPageRequest): Promise<Client[]>;
  /**
   * Everything but the secret. False where the client is gone or was changed since `seenUpdatedAt`. Who ends the
   * client's access tokens raises `tokenGeneration` by it.
   */
  update(client: Client, seenUpdatedAt: number): Promise<boolean>;
  /** The secret in `seen` becomes the previous one. False where the client is gone or is not as in `seen` any more. */
  replaceSecret(seen: Client, change: SecretChange): Promise<boolean>;
  /** False where the client is gone or is not as in `seen` any more. */
  delete(seen: Client): Promise<boolean>;
}

const isClientId = new RegExp(clientIdPattern);

export function createClientStore(database: Database): ClientStore {
  const findRow = createBatchedLookup<ClientRow>(async (clientIds) => {
    const marks = clientIds.map(() => '?').join(', ');
    const found = await database.query<ClientRow>(`SELECT * FROM clients WHERE client_id IN (${marks})`, clientIds);
    return new Map(found.map((row) => [row.client_id, row]));
  });
  // What cannot be a client_id is not asked for: MySQL compares no other text with an ASCII column.
  const find = async (clientId: string): Promise<Client | undefined> => {
    const row = isClientId.test(clientId) ? await findRow(clientId) : undefined;
    return row && clientFromRow(row);
  };
  const recent = createRecentLookup<Client>(find);
  /** Says whether the change was made, and that whoever asks next has to see it. */
  const changed = (clientId: string, rowsChanged: number) => {
    recent.forget(clientId);
    return rowsChanged === 1;
  };
  return {
    insert: (client) => insertUnlessTaken(database, 'clients', rowFromClient(client)),
    find,
    findRecent: recent.find,
    async list({ after, limit }) {
      const where = after === undefined ? '' : 'WHERE client_id > ?';
      const sql = `SELECT * FROM clients ${where} ORDER BY client_id LIMIT ?`;
      const found = await database.query<ClientRow>(sql, [...(after === undefined ? [] : [after]), limit]);
      return found.map(clientFromRow);
    },
    async update(client, seenUpdatedAt) {
      const {
        secret_hash: _1,
        secret_digest: _2,
        previous_secret_hash: _3,
        previous_secret_digest: _4,
        previous_secret_expires_at: _5,
        ...settings
      } = rowFromClient(client);
      const assignments = Object.keys(settings).map((column) => `${column} = ?`);
      const updated = await database.execute(`UPDATE clients SET ${assignments.join(', ')} WHERE ${isVersion}`, [
        ...Object.values(settings),
        ...versionOf({ ...client, updatedAt: seenUpdatedAt }),
      ]);
      return changed(client.clientId, updated);
    },
    async replaceSecret(seen, { newHash, newDigest, previousExpiresAt, ceiling, tokenGeneration, updatedAt }) {
      const { clientId, registrationId, secretHash } = seen;
      // MySQL assigns from left to right: what is kept is read before it is replaced. A public client has no secret, and
      // nothing equals NULL.
      const replaced = await database.execute(
        `UPDATE clients SET previous_secret_hash = secret_hash, previous_secret_digest = secret_digest,
          previous_secret_expires_at = ?, secret_hash = ?, secret_digest = ?, ceiling = ?, token_generation = ?, updated_at = ?
          WHERE client_id = ? AND registration_id = ? AND secret_hash = ? AND updated_at = ?`,
        [
          ...[previousExpiresAt, newHash, newDigest ?? null, formatCeiling(ceiling), tokenGeneration, updatedAt],
          ...[clientId, idToBytes(registrationId), secretHash ?? null, seen.updatedAt],
        ],
      );
      return changed(clientId, replaced);
    },
    async delete(seen) {
      return changed(seen.clientId, await database.execute(`DELETE FROM clients WHERE ${isVersion}`, versionOf(seen)));
    },
  };
}

function clientFromRow(row: ClientRow): Client {
  const { previous_secret_hash: previousHash, service_account_user_id: userId } = row;
  return {
    clientId: row.client_id,
    registrationId: idFromBytes(row.registration_id),
    secretHash: row.secret_hash ?? undefined,
    secretDigest: row.secret_digest ?? undefined,
    previousSecret:
      previousHash === null
        ? undefined
        : {
            hash: previousHash,
            digest: row.previous_secret_digest ?? undefined,
            expiresAt: Number(row.previous_secret_expires_at),
          },
    scope: parseScope(row.scope),
    grantTypes: row.grant_types.split(' ') as GrantType[],
    redirectUri: row.redirect_uri ?? undefined,
    accessTokenValidity: row.access_token_validity,
    serviceAccount: userId === null ? undefined : { userId, username: row.service_account_username ?? '' },
    metadata: row.metadata === null ? {} : (JSON.parse(row.metadata) as ClientMetadata),
    ceiling: parseCeiling(row.ceiling),
    tokenGeneration: row.token_generation,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

/** What a statement names to change a client as it was seen, and no other. */
const isVersion = 'client_id = ? AND registration_id = ? AND updated_at = ?';

function versionOf({ clientId, registrationId, updatedAt }: Client) {
  return [clientId, idToBytes(registrationId), updatedAt];
}

function formatCeiling(ceiling: readonly Role[]): string | null {
  return isEveryRole(ceiling) ? null : ceiling.join(' ');
}

function parseCeiling(text: string | null): readonly Role[] {
  const names = text?.split(' ');
  return names === undefined ? roles : roles.filter((role) => names.includes(role));
}

function rowFromClient(client: Client): ClientRow {
  return {
    client_id: client.clientId,
    registration_id: idToBytes(client.registrationId),
    secret_hash: client.secretHash ?? null,
    secret_digest: client.secretDigest ?? null,
    previous_secret_hash: client.previousSecret?.hash ?? null,
    previous_secret_digest: client.previousSecret?.digest ?? null,
    previous_secret_expires_at: client.previousSecret?.expiresAt ?? null,
    scope: client.scope.join(' '),
    grant_types: client.grantTypes.join(' '),
    redirect_uri: client.redirectUri ?? null,
    access_token_validity: client.accessTokenValidity,
    service_account_user_id: client.serviceAccount?.userId ?? null,
    service_account_username: client.serviceAccount?.username ?? null,
    metadata: JSON.stringify(client.metadata),
    ceiling: formatCeiling(client.ceiling),
    token_generation: client.tokenGeneration,
    created_at: client.createdAt,
    updated_at: client.updatedAt,
  };
}
