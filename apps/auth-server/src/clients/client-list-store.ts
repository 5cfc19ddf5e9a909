import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import {
  type Condition,
  createTermSearch,
  type FoundPage,
  isFound,
  mostExamined,
  type SearchQuery,
  type SearchRequest,
  type Total,
  totalOf,
} from '@gatehouse/service-kit/terms';
import type { ChangePlace } from './changed-client-store.ts';
import type { Client } from './client.ts';
import { clientFromRow } from './client-row.ts';
import type { ClientRow } from './client-table.ts';
import { describeClient } from './client-terms.ts';
import { clientTermTable } from './client-terms-table.ts';

/** A page of clients; `next`: where the one after it begins. A page that examined its 10,000 entries may be short, and not be the last. */
export interface ClientPage<Place> {
  clients: Client[];
  next: Place | undefined;
}

/** Which clients a list has. */
export interface ClientListFilter extends SearchQuery {
  /** Milliseconds: those that got no token since then, and those that never did. */
  unusedSince?: number | undefined;
  /** A further condition on the row. */
  isListed?: Condition | undefined;
}

/** Where a list by the last use goes on: after a client that was never used, or after a use. */
export type UsePlace = { never: string } | { usedAt: number; registrationId: string };

export interface OrderedPage<Place> {
  /** The last client of the page before. */
  after: Place | undefined;
  limit: number;
}
export type ChangedPage = OrderedPage<ChangePlace>;

/** Lists of clients by what they have. */
export type ClientListStore = ReturnType<typeof createClientListStore>;

export function createClientListStore(database: Database) {
  const search = createTermSearch(database, clientTermTable);
  /** The clients of a page, as they are now: one that was deleted or changed since its terms were written may not be found any more. */
  const readPage = async (ids: readonly string[], query: SearchQuery): Promise<Client[]> => {
    if (ids.length === 0) return [];
    const sql = `SELECT * FROM clients WHERE client_id IN (${ids.map(() => '?').join(', ')})`;
    const rows = new Map((await database.query<ClientRow>(sql, ids)).map((row) => [row.client_id, row]));
    const found = ids.flatMap((id) => rows.get(id) ?? []).map(clientFromRow);
    return found.filter((client) => isFound(query, describeClient(client)));
  };
  const showPage = async <Place>(
    { ids, next }: { ids: string[]; next: Place | undefined },
    filter: ClientListFilter,
  ) => ({
    clients: await readPage(ids, { words: [], facets: filter.facets }),
    next,
  });
  return {
    /** Those that are found, in the order of their client_ids where they are found by a value, of a word otherwise. */
    async search(request: SearchRequest & ClientListFilter): Promise<ClientPage<FoundPage['next']>> {
      const { words, facets, place, limit } = request;
      const { ids, next } = await search.find({ words, facets, place, limit, isListed: ofRow(request) });
      return { clients: await readPage(ids, { words, facets }), next };
    },
    /** Those with these values, in the order of their client_ids. */
    listById: async (filter: ClientListFilter, page: OrderedPage<ChangePlace>) =>
      showPage(await listOrdered(database, byId, conditionsOf(filter), page), filter),
    /** Those with these values, the last change first. */
    listChanged: async (filter: ClientListFilter, page: ChangedPage): Promise<ClientPage<ChangePlace>> =>
      showPage(await listOrdered(database, byChange, conditionsOf(filter), page), filter),
    /** Those with these values: first those that never got a token, then those that got the last one the longest ago. */
    async listByUse(filter: ClientListFilter, { after, limit }: OrderedPage<UsePlace>): Promise<ClientPage<UsePlace>> {
      if (after !== undefined && 'usedAt' in after)
        return showPage(await listUsed(database, filter, { after, limit }), filter);
      const start = after && { clientId: after.never, updatedAt: 0 };
      const never = await listOrdered(database, byId, [...conditionsOf(filter), neverUsed], { after: start, limit });
      if (never.next !== undefined) return showPage({ ...never, next: { never: never.next.clientId } }, filter);
      const left = limit - never.ids.length;
      if (left === 0) return showPage({ ...never, next: { never: never.ids.at(-1) ?? '' } }, filter);
      const used = await listUsed(database, filter, { after: undefined, limit: left });
      return showPage({ ids: [...never.ids, ...used.ids], next: used.next }, filter);
    },
    async count(filter: ClientListFilter): Promise<Total> {
      const query = { words: filter.words, facets: filter.facets };
      const isListed = ofRow(filter);
      if (query.words.length + query.facets.length > 0) return search.count(query, { isListed });
      const { sql, values } = isListed ?? everyRow;
      const some = `SELECT client_id, CASE WHEN ${sql} THEN 1 ELSE 0 END AS listed FROM clients LIMIT ${mostExamined + 1}`;
      const counted = `SELECT COUNT(*) AS examined, SUM(c.listed) AS found FROM (${some}) c`;
      const [row] = await database.query<{ examined: number; found: number | null }>(counted, values);
      const { isExact } = totalOf(Number(row?.examined));
      return { total: Math.min(Number(row?.found), mostExamined), isExact };
    },
  };
}

const everyRow: Condition = { sql: '1 = 1', values: [] };
const usesOf = "SELECT COUNT(*) FROM client_uses u WHERE u.registration = clients.registration_id AND u.kind = 'token'";
const neverUsed: Condition = { sql: `(${usesOf}) = 0`, values: [] };

/** The condition on the row of a client, beyond its terms. */
function ofRow({ unusedSince, isListed }: ClientListFilter): Condition | undefined {
  if (unusedSince === undefined) return isListed;
  const unused = { sql: `(${usesOf} AND u.used_at >= ?) = 0`, values: [unusedSince] };
  if (isListed === undefined) return unused;
  return { sql: `${unused.sql} AND ${isListed.sql}`, values: [...unused.values, ...isListed.values] };
}

function conditionsOf(filter: ClientListFilter): Condition[] {
  const hasFacet = '(SELECT COUNT(*) FROM client_terms t WHERE t.client_id = clients.client_id AND t.term = ?) > 0';
  const row = ofRow(filter);
  return [...filter.facets.map((facet) => ({ sql: hasFacet, values: [facet] })), ...(row === undefined ? [] : [row])];
}

/** The SQL of an order. Comparisons of two columns are written out. */
interface Order {
  sql: string;
  isAfter: string;
  isUpTo: string;
  valuesOf(place: ChangePlace): unknown[];
}

const byId: Order = {
  sql: 'client_id',
  isAfter: 'client_id > ?',
  isUpTo: 'client_id <= ?',
  valuesOf: ({ clientId }) => [clientId],
};
const byChange: Order = {
  sql: 'updated_at DESC, client_id DESC',
  isAfter: 'updated_at <= ? AND (updated_at < ? OR updated_at = ? AND client_id < ?)',
  isUpTo: 'updated_at >= ? AND (updated_at > ? OR updated_at = ? AND client_id >= ?)',
  valuesOf: ({ clientId, updatedAt }) => [updatedAt, updatedAt, updatedAt, clientId],
};

type Row = Pick<ClientRow, 'client_id' | 'updated_at'>;

/** Reads an index in its order, and asks of each of its entries whether the client is one of the list. */
async function listOrdered(
  database: Database,
  order: Order,
  listed: readonly Condition[],
  { after, limit }: OrderedPage<ChangePlace>,
) {
  const list = async (conditions: readonly Condition[], limited: string) => {
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
    const sql = `SELECT client_id, updated_at FROM clients ${where} ORDER BY ${order.sql} ${limited}`;
    const rows = await database.query<Row>(
      sql,
      conditions.flatMap(({ values }) => values),
    );
    return rows.map((row): ChangePlace => ({ clientId: row.client_id, updatedAt: Number(row.updated_at) }));
  };
  const start = after === undefined ? [] : [{ sql: order.isAfter, values: order.valuesOf(after) }];
  const [end] = await list(start, `LIMIT 1 OFFSET ${mostExamined - 1}`);
  const until = end === undefined ? [] : [{ sql: order.isUpTo, values: order.valuesOf(end) }];
  const found = await list([...start, ...until, ...listed], `LIMIT ${limit + 1}`);
  const page = found.slice(0, limit);
  return { ids: page.map(({ clientId }) => clientId), next: found.length > limit ? page.at(-1) : end };
}

interface UseRow {
  registration: Buffer;
  used_at: number;
  client_id: string;
}

/** Reads the index of uses, the longest ago first. */
async function listUsed(
  database: Database,
  filter: ClientListFilter,
  { after, limit }: OrderedPage<Extract<UsePlace, { usedAt: number }>>,
) {
  // The uses come first whatever the optimizer thinks.
  const join = database.dialect === 'mysql' ? 'STRAIGHT_JOIN' : 'CROSS JOIN';
  const list = async (conditions: readonly Condition[], limited: string) => {
    const where = conditions.map(({ sql }) => ` AND ${sql}`).join('');
    const sql = `SELECT u.registration, u.used_at, clients.client_id FROM client_uses u
      ${join} clients ON clients.registration_id = u.registration
      WHERE u.kind = 'token'${where} ORDER BY u.used_at, u.registration ${limited}`;
    const rows = await database.query<UseRow>(
      sql,
      conditions.flatMap(({ values }) => values),
    );
    return rows.map((row) => ({
      id: row.client_id,
      place: { usedAt: Number(row.used_at), registrationId: idFromBytes(row.registration) },
    }));
  };
  const { unusedSince } = filter;
  const isFrom = 'u.used_at >= ? AND (u.used_at > ? OR u.registration > ?)';
  const isUpTo = 'u.used_at <= ? AND (u.used_at < ? OR u.registration <= ?)';
  const valuesOf = ({ usedAt, registrationId }: NonNullable<typeof after>) => [
    usedAt,
    usedAt,
    idToBytes(registrationId),
  ];
  const range = [
    ...(after === undefined ? [] : [{ sql: isFrom, values: valuesOf(after) }]),
    ...(unusedSince === undefined ? [] : [{ sql: 'u.used_at < ?', values: [unusedSince] }]),
  ];
  const [end] = await list(range, `LIMIT 1 OFFSET ${mostExamined - 1}`);
  const until = end === undefined ? [] : [{ sql: isUpTo, values: valuesOf(end.place) }];
  // The range has the others that were not used since then.
  const others = conditionsOf({ ...filter, unusedSince: undefined });
  const found = await list([...range, ...until, ...others], `LIMIT ${limit + 1}`);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : end;
  return { ids: page.map(({ id }) => id), next: last?.place };
}
