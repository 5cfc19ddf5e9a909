import { bulkGroups } from './bulk-members.ts';
import { bulkRole, commonWords, rareWord } from './bulk-rows.ts';

/* What administrators ask for at the lists, by the bounds of its time. */

export interface List {
  name: string;
  port: number;
  path: string;
  /** The member of the answer that has the objects. */
  member: 'clients' | 'users';
  rows: number;
  /** The cursor of the page after the object with number `n`. */
  cursorAfter(n: number): string;
}

export type Query = Record<string, string>;

export interface ListKind {
  name: string;
  /** Milliseconds that p95 may be at most. */
  goal: number;
  queries: readonly Query[];
  /** Queries that find nothing, however many entries they examine. */
  vain?: readonly Query[];
}

const search = (...words: string[]): Query => ({ search: words.join(' ') });

/** Each bound of a search is met by one of the queries: a word of all objects, and two common words that never meet. */
export function kindsOf(list: List): ListKind[] {
  const { rows, cursorAfter, member } = list;
  const [[first, never], [second], [third]] = commonWords;
  const rare = rareWord(Math.floor(rows / 2));
  const places = Array.from({ length: 9 }, (_, index) => cursorAfter(Math.floor((index * rows) / 10)));
  const { one, several } = { clients: clientFilters, users: userFilters }[member];
  return [
    { name: 'a page', goal: 20, queries: [{}, ...places.map((cursor) => ({ cursor }))] },
    {
      ...{ name: 'a search of one word', goal: 30 },
      queries: [search('bulk'), search(first), search(first.slice(0, 2)), search(rare)],
    },
    {
      ...{ name: 'a search of four words', goal: 80 },
      queries: [search(first, second, third, 'bulk'), search(rare, 'bulk', 'example', 'com')],
      vain: [search(first, never, second, third)],
    },
    {
      ...{ name: 'a page with the total', goal: 80 },
      queries: [{}, { enabled: 'true' }, search(first), search(rare)].map(withTotal),
    },
    // A value is found as a word is, and what examines 10,000 entries is bounded as four words are.
    { name: 'a page by one filter', goal: 30, ...one },
    { name: 'a page by several, in an order, or with the total', goal: 80, ...several },
  ];
}

type Filters = Pick<ListKind, 'queries' | 'vain'>;

interface FiltersOf {
  one: Filters;
  several: Filters;
}

const withTotal = (query: Query): Query => ({ ...query, total: 'true' });
const read = (text: string): Query => Object.fromEntries(new URLSearchParams(text));

/** A tenth of the objects have this word. */
const word = `search=${commonWords[0][0]}`;
const role = `role=${bulkRole}`;
const [large, small] = [`group=${bulkGroups[0].name}`, `group=${bulkGroups[1].name}`];
/** Before all rows, and after those that the database made. */
const [sinceFirst, sinceLate] = ['createdSince=2023-01-01', 'createdSince=2025-01-01'];

const userFilters: FiltersOf = {
  one: {
    queries: [
      ...['userType=Robot', 'userType=Person', 'enabled=true', role],
      ...[large, small, sinceFirst, sinceLate],
    ].map(read),
    vain: ['enabled=false', 'externalId=nobody'].map(read),
  },
  several: {
    queries: [
      ...[`${role}&enabled=true`, `${role}&${word}`, `userType=Robot&${word}&${sinceFirst}`],
      ...[`${large}&${role}`, `${large}&${word}`, `${small}&${word}`],
      ...[role, `${role}&${word}`, large, sinceFirst, sinceLate].map((query) => `${query}&total=true`),
    ].map(read),
    vain: [`userType=Person&${word}`, `${large}&userType=Person`].map(read),
  },
};

const unused = 'unused_since=2025-01-01';
const [changed, used] = ['sort=-updated_at', 'sort=last_used_at'];

const clientFilters: FiltersOf = {
  one: {
    queries: [
      ...['grant_type=service_account', 'grant_type=password', 'scope=email', 'enabled=true', unused],
      ...['robot=bulk-1@example.com', 'dynamic=false', 'public=false', 'third_party=false', 'finding=client_all_roles'],
    ].map(read),
    vain: ['managed_by=nobody', 'resource=https://nowhere.example/', 'enabled=false'].map(read),
  },
  several: {
    queries: [
      ...['grant_type=service_account&enabled=true&scope=email', `enabled=true&${word}`, `${word}&${unused}`],
      ...[changed, used, `${changed}&enabled=true`, `${used}&enabled=true`, `${changed}&${unused}`],
      ...[`enabled=true&${unused}`, 'finding=secret_old'],
      ...['grant_type=password', `enabled=true&${word}`, unused].map((query) => `${query}&total=true`),
    ].map(read),
    vain: [`${changed}&managed_by=nobody`, `${used}&public=true`].map(read),
  },
};
