import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import {
  createBatchedLookup,
  createRecentLookup,
  type Database,
  insertUnlessTaken,
} from '@gatehouse/service-kit/database';
import { isLevel } from '@gatehouse/shared';
import { hashResourceUri } from '../protocol/resource-uri.ts';
import type { Resource, ResourceScope, TokenGroups } from './resource.ts';
import type { ResourceRow } from './resource-table.ts';
import type { TaggedTexts } from './tagged-texts.ts';

export interface ResourcePageRequest {
  /** The id of the last resource of the page before. */
  after: string | undefined;
  limit: number;
}

export interface ResourceStore {
  /** False where the URI is taken: exactly one of several at the same moment is inserted. */
  insert(resource: Resource): Promise<boolean>;
  /** Any text may stand for the id. */
  find(id: string): Promise<Resource | undefined>;
  /** As it is now: all who ask in one turn of the event loop share one statement. */
  findByUri(uri: string): Promise<Resource | undefined>;
  /** In the order of their registration. */
  list(page: ResourcePageRequest): Promise<Resource[]>;
  /** Those that are open to clients which register themselves, in the order of their registration. */
  listOpen(limit: number): Promise<Resource[]>;
  /** The URIs of those, as they were at most a second ago, in no order; what was changed here is known here at once. */
  listOpenUrisRecent(): Promise<string[]>;
  count(): Promise<number>;
  /** All but the URI. False where the resource is gone or was changed since `seenUpdatedAt`. */
  update(resource: Resource, seenUpdatedAt: number): Promise<boolean>;
  /** False where it is gone, or was changed since `seenUpdatedAt`, or where it is the default resource of a client. */
  deleteUnlessDefault(id: string, seenUpdatedAt?: number): Promise<boolean>;
}

const changeable = [
  'name',
  'names',
  'scopes',
  'access_token_validity',
  'dynamic_clients',
  'required_acr',
  'max_age',
  'updated_at',
  'token_groups',
  'managed_by',
] as const satisfies (keyof ResourceRow)[];

/** The one key of the list of open URIs. */
const openKey = '';

export function createResourceStore(database: Database): ResourceStore {
  const findRow = createBatchedLookup<ResourceRow>((hashes) => findRows(database, hashes));
  const openUris = createRecentLookup(() => listOpenUris(database));
  /** Passes on whether a change was made. The next one who asks for the open URIs has to see it. */
  const changed = (isChanged: boolean) => {
    openUris.forget(openKey);
    return isChanged;
  };
  return {
    insert: async (resource) => changed(await insertUnlessTaken(database, 'resources', rowFromResource(resource))),
    async find(id) {
      const bytes = findIdBytes(id);
      if (bytes === undefined) return undefined;
      const [row] = await database.query<ResourceRow>('SELECT * FROM resources WHERE id = ?', [bytes]);
      return row && resourceFromRow(row);
    },
    async findByUri(uri) {
      const row = await findRow(hashResourceUri(uri).toString('hex'));
      return row && resourceFromRow(row);
    },
    list: (page) => list(database, page),
    async listOpen(limit) {
      const sql = 'SELECT * FROM resources WHERE dynamic_clients = 1 ORDER BY id LIMIT ?';
      return (await database.query<ResourceRow>(sql, [limit])).map(resourceFromRow);
    },
    listOpenUrisRecent: async () => (await openUris.find(openKey)) ?? [],
    async count() {
      const [row] = await database.query<{ found: number }>('SELECT COUNT(*) AS found FROM resources');
      return Number(row?.found ?? 0);
    },
    async update(resource, seenUpdatedAt) {
      const row = rowFromResource(resource);
      const set = changeable.map((name) => `${name} = ?`).join(', ');
      const sql = `UPDATE resources SET ${set} WHERE id = ? AND updated_at = ?`;
      const values = [...changeable.map((name) => row[name]), row.id, seenUpdatedAt];
      return changed((await database.execute(sql, values)) === 1);
    },
    async deleteUnlessDefault(id, seenUpdatedAt) {
      // One statement, as is the insert of a client that names a default resource: InnoDB locks what the subquery reads.
      const isSeen = seenUpdatedAt === undefined ? '' : 'AND updated_at = ?';
      const sql = `DELETE FROM resources WHERE id = ? ${isSeen}
        AND NOT EXISTS (SELECT 1 FROM clients WHERE clients.default_resource_hash = resources.uri_hash)`;
      const values = seenUpdatedAt === undefined ? [] : [seenUpdatedAt];
      return changed((await database.execute(sql, [idToBytes(id), ...values])) === 1);
    },
  };
}

async function findRows(database: Database, hashes: readonly string[]): Promise<Map<string, ResourceRow>> {
  const sql = `SELECT * FROM resources WHERE uri_hash IN (${hashes.map(() => '?').join(', ')})`;
  const keys = hashes.map((hash) => Buffer.from(hash, 'hex'));
  const found = await database.query<ResourceRow>(sql, keys);
  return new Map(found.map((row) => [row.uri_hash.toString('hex'), row]));
}

async function listOpenUris(database: Database): Promise<string[]> {
  const sql = 'SELECT resource FROM resources WHERE dynamic_clients = 1';
  return (await database.query<Pick<ResourceRow, 'resource'>>(sql)).map(({ resource }) => resource);
}

async function list(database: Database, { after, limit }: ResourcePageRequest): Promise<Resource[]> {
  const start = after === undefined ? undefined : findIdBytes(after);
  const where = start === undefined ? '' : 'WHERE id > ?';
  const sql = `SELECT * FROM resources ${where} ORDER BY id LIMIT ?`;
  const found = await database.query<ResourceRow>(sql, [...(start === undefined ? [] : [start]), limit]);
  return found.map(resourceFromRow);
}

function resourceFromRow(row: ResourceRow): Resource {
  return {
    id: idFromBytes(row.id),
    resource: row.resource,
    name: row.name,
    ...(row.names === null ? {} : { names: JSON.parse(row.names) as TaggedTexts }),
    scopes: JSON.parse(row.scopes) as ResourceScope[],
    accessTokenValidity: row.access_token_validity ?? undefined,
    dynamicClients: Boolean(row.dynamic_clients),
    requiredAcr: isLevel(row.required_acr) ? row.required_acr : undefined,
    maxAge: row.max_age ?? undefined,
    ...(row.token_groups === null ? {} : { tokenGroups: JSON.parse(row.token_groups) as TokenGroups }),
    ...(row.managed_by === null ? {} : { managedBy: row.managed_by }),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

function rowFromResource(resource: Resource): ResourceRow {
  return {
    id: idToBytes(resource.id),
    uri_hash: hashResourceUri(resource.resource),
    resource: resource.resource,
    name: resource.name,
    names: resource.names === undefined ? null : JSON.stringify(resource.names),
    scopes: JSON.stringify(resource.scopes),
    access_token_validity: resource.accessTokenValidity ?? null,
    dynamic_clients: resource.dynamicClients ? 1 : 0,
    required_acr: resource.requiredAcr ?? null,
    max_age: resource.maxAge ?? null,
    created_at: resource.createdAt,
    updated_at: resource.updatedAt,
    token_groups: resource.tokenGroups === undefined ? null : JSON.stringify(resource.tokenGroups),
    managed_by: resource.managedBy ?? null,
  };
}
