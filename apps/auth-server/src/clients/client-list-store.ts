import type { Database } from '@gatehouse/service-kit/database';
import {
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
  return {
    /** Those that are found, in the order of their client_ids where they are found by a value, of a word otherwise. */
    async search({ words, facets, place, limit }: SearchRequest): Promise<ClientPage<FoundPage['next']>> {
      const { ids, next } = await search.find({ words, facets, place, limit });
      return { clients: await readPage(ids, { words, facets }), next };
    },
    /** Those with these values, the last change first. */
    async listChanged(facets: readonly string[], page: ChangedPage): Promise<ClientPage<ChangePlace>> {
      const { ids, next } = await listChanged(database, facets, page);
      return { clients: await readPage(ids, { words: [], facets }), next };
    },
    async count(query: SearchQuery): Promise<Total> {
      if (query.words.length + query.facets.length > 0) return search.count(query);
      const sql = `SELECT COUNT(*) AS found FROM (SELECT client_id FROM clients LIMIT ${mostExamined + 1}) c`;
      const [row] = await database.query<{ found: number }>(sql);
      return totalOf(Number(row?.found));
    },
  };
}

export interface ChangedPage {
  /** The last client of the page before. */
  after: ChangePlace | undefined;
  limit: number;
}

type Row = Pick<ClientRow, 'client_id' | 'updated_at'>;

/** Reads the index of changes backwards, and asks of each of its entries whether the client has the values. */
async function listChanged(database: Database, facets: readonly string[], { after, limit }: ChangedPage) {
  const place = ({ clientId, updatedAt }: ChangePlace) => [updatedAt, updatedAt, updatedAt, clientId];
  const isBefore = 'updated_at <= ? AND (updated_at < ? OR updated_at = ? AND client_id < ?)';
  const isFrom = 'updated_at >= ? AND (updated_at > ? OR updated_at = ? AND client_id >= ?)';
  const hasFacet = '(SELECT COUNT(*) FROM client_terms t WHERE t.client_id = clients.client_id AND t.term = ?) > 0';
  const list = async (conditions: readonly string[], values: readonly unknown[], limited: string) => {
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const sql = `SELECT client_id, updated_at FROM clients ${where} ORDER BY updated_at DESC, client_id DESC ${limited}`;
    const rows = await database.query<Row>(sql, values);
    return rows.map((row): ChangePlace => ({ clientId: row.client_id, updatedAt: Number(row.updated_at) }));
  };
  const start = after === undefined ? [] : [isBefore];
  const startValues = after === undefined ? [] : place(after);
  const [end] = await list(start, startValues, `LIMIT 1 OFFSET ${mostExamined - 1}`);
  const found = await list(
    [...start, ...(end === undefined ? [] : [isFrom]), ...facets.map(() => hasFacet)],
    [...startValues, ...(end === undefined ? [] : place(end)), ...facets],
    `LIMIT ${limit + 1}`,
  );
  const page = found.slice(0, limit);
  return { ids: page.map(({ clientId }) => clientId), next: found.length > limit ? page.at(-1) : end };
}
