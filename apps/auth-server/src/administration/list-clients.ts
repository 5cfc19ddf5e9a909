import { type Clock, idPattern } from '@gatehouse/service-kit';
import {
  formatPlace,
  isPlaceOf,
  parsePlace,
  type SearchPlace,
  type SearchQuery,
  type Total,
} from '@gatehouse/service-kit/terms';
import { fieldsProblem } from '@gatehouse/shared';
import type { ChangePlace } from '../clients/changed-client-store.ts';
import type { Client } from '../clients/client.ts';
import type { ClientListFilter, ClientListStore, UsePlace } from '../clients/client-list-store.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { type ClientFacet, clientFacets } from '../clients/client-terms.ts';
import { filterByFinding, type ListedFinding } from '../clients/listed-finding.ts';
import { formatId, idInCursor, mapIds, parseId } from './client-cursor.ts';

/** The orders of a list; `last_used_at`: those that got no token for the longest time first. */
export const clientOrders = ['client_id', '-updated_at', 'last_used_at'] as const;
export type ClientOrder = (typeof clientOrders)[number];

/** Which clients to list. */
export interface ClientListRequest extends Partial<Record<ClientFacet, string>> {
  /** In the form that a search compares. */
  words: readonly string[];
  sort?: ClientOrder | undefined;
  /** Milliseconds: those that got no token since then. */
  unusedSince?: number | undefined;
  /** Those of which a finding says this. */
  finding?: ListedFinding | undefined;
  cursor?: string | undefined;
  limit: number;
  /** Whether to count, too. */
  total: boolean;
}

export interface ClientList {
  clients: Client[];
  nextCursor: string | undefined;
  total: Total | undefined;
}

/** Lists clients, a page at a time; throws 400 for what does not go together, and for a cursor of another list. */
export type ListClients = (request: ClientListRequest) => Promise<ClientList>;

interface Dependencies {
  clients: Pick<ClientStore, 'list'>;
  clientLists: ClientListStore;
  clock: Clock;
}

type Page = Omit<ClientList, 'total'>;

export function createListClients({ clients, clientLists, clock }: Dependencies): ListClients {
  const listAll = async (after: string | undefined, limit: number): Promise<Page> => {
    const found = await clients.list({ after, limit: limit + 1 });
    const page = found.slice(0, limit);
    return { clients: page, nextCursor: found.length > limit ? formatLast(page.at(-1)) : undefined };
  };
  const listById = async (filter: ClientListFilter, after: string | undefined, limit: number): Promise<Page> => {
    const start = after === undefined ? undefined : { clientId: after, updatedAt: 0 };
    const { clients: page, next } = await clientLists.listById(filter, { after: start, limit });
    return { clients: page, nextCursor: formatLast(next) };
  };
  const listChanged = async (filter: ClientListFilter, after: ChangePlace | undefined, limit: number) => {
    const { clients: page, next } = await clientLists.listChanged(filter, { after, limit });
    return { clients: page, nextCursor: next && formatChangePlace(next) };
  };
  const listByUse = async (filter: ClientListFilter, after: UsePlace | undefined, limit: number) => {
    const { clients: page, next } = await clientLists.listByUse(filter, { after, limit });
    return { clients: page, nextCursor: next && formatUsePlace(next) };
  };
  const search = async (filter: ClientListFilter, place: SearchPlace | undefined, limit: number): Promise<Page> => {
    const { clients: page, next } = await clientLists.search({ ...filter, place, limit });
    return { clients: page, nextCursor: next && formatPlace(mapIds(next, formatId)) };
  };
  const list = (filter: ClientListFilter, { sort, cursor, limit }: ClientListRequest): Promise<Page> => {
    if (sort === '-updated_at') return listChanged(filter, readCursor(cursor, parseChangePlace), limit);
    if (sort === 'last_used_at') return listByUse(filter, readCursor(cursor, parseUsePlace), limit);
    const place = readCursor(cursor, (text) => parseSearchPlace(text, filter));
    if (filter.words.length + filter.facets.length > 0) return search(filter, place, limit);
    const isWhole = filter.unusedSince === undefined && filter.isListed === undefined;
    return isWhole ? listAll(place?.after, limit) : listById(filter, place?.after, limit);
  };
  return async (request) => {
    const { words, sort, unusedSince } = request;
    if (words.length > 0 && sort !== undefined) {
      throw fieldsProblem([{ field: 'sort', detail: 'must not stand together with search' }]);
    }
    const { facets, isListed } = filterByFinding(request.finding, clock());
    const query = { words, facets: [...readFacets(request), ...facets], unusedSince, isListed };
    const [page, total] = await Promise.all([
      list(query, request),
      request.total ? clientLists.count(query) : undefined,
    ]);
    return { ...page, total };
  };
}

function readFacets(request: ClientListRequest): string[] {
  const names = Object.keys(clientFacets) as ClientFacet[];
  return names.flatMap((name) => {
    const value = request[name];
    return value === undefined ? [] : [clientFacets[name](value)];
  });
}

const formatLast = (client: Pick<Client, 'clientId'> | undefined) => client && formatId(client.clientId);

const isId = new RegExp(idPattern);
const changePlace = /^!(?<updatedAt>\d{1,15})!(?<id>[^!]+)$/;

function formatChangePlace({ updatedAt, clientId }: ChangePlace): string {
  return `!${updatedAt}!${formatId(clientId)}`;
}

function parseChangePlace(cursor: string): ChangePlace | undefined {
  const { updatedAt, id = '' } = changePlace.exec(cursor)?.groups ?? {};
  return idInCursor.test(id) ? { updatedAt: Number(updatedAt), clientId: parseId(id) } : undefined;
}

const usePlace = /^!(?<usedAt>\d{1,15})!(?<registrationId>[0-9a-f-]{36})$/;
const neverPlace = /^!never!(?<never>[^!]+)$/;

function formatUsePlace(place: UsePlace): string {
  return 'never' in place ? `!never!${formatId(place.never)}` : `!${place.usedAt}!${place.registrationId}`;
}

function parseUsePlace(cursor: string): UsePlace | undefined {
  const { never = '' } = neverPlace.exec(cursor)?.groups ?? {};
  if (idInCursor.test(never)) return { never: parseId(never) };
  const { usedAt, registrationId = '' } = usePlace.exec(cursor)?.groups ?? {};
  return isId.test(registrationId) ? { usedAt: Number(usedAt), registrationId } : undefined;
}

/** A search by words alone goes on after a word: no page of it ever ended with a client_id. */
function parseSearchPlace(cursor: string, query: SearchQuery): SearchPlace | undefined {
  const found = parsePlace(cursor, idInCursor);
  const place = found && mapIds(found, parseId);
  if (place === undefined || !isPlaceOf(query, place)) return undefined;
  const isById = !('word' in place);
  return isById && query.words.length > 0 && query.facets.length === 0 ? undefined : place;
}

function readCursor<Place>(cursor: string | undefined, parse: (cursor: string) => Place | undefined) {
  if (cursor === undefined) return undefined;
  const place = parse(cursor);
  if (place !== undefined) return place;
  throw fieldsProblem([{ field: 'cursor', detail: 'must be the next_cursor of the page before' }]);
}
