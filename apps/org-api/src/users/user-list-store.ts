import { createIdAt } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import {
  createTermSearch,
  isFound,
  mostExamined,
  type SearchPlace,
  type SearchQuery,
  type Total,
  totalOf,
} from '@gatehouse/service-kit/terms';
import { foldGroupName } from '@gatehouse/shared';
import { createMemberList } from './member-list.ts';
import { createReadUsers } from './read-users.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';
import { describeUserTerms } from './user-terms.ts';
import { userTermTable } from './user-terms-table.ts';

/** Which users are listed. */
export interface UserFilter extends SearchQuery {
  /** The one with this id alone. */
  id: string | undefined;
  /** The one with this `externalId` alone. */
  externalId?: string | undefined;
  /** The name of a group that they are in, without regard to case. */
  group?: string | undefined;
  /** Milliseconds, inclusive. */
  createdSince: number | undefined;
}

export interface UserListRequest extends UserFilter {
  place: SearchPlace | undefined;
  limit: number;
}

/** A page of users; `next`: where the one after it begins. A page that examined its 10,000 entries may be short, and not be the last. */
export interface UserPage {
  users: User[];
  next: SearchPlace | undefined;
}

/** Milliseconds by which an id may be of another time than `created_at`. */
const idLeeway = 86_400_000;

/** Lists of users by what they have. */
export type UserListStore = ReturnType<typeof createUserListStore>;

export function createUserListStore({
  database,
  users,
}: {
  database: Database;
  users: Pick<UserStore, 'list' | 'findByExternalId'>;
}) {
  const readUsers = createReadUsers(database);
  const search = createTermSearch(database, userTermTable);
  const memberList = createMemberList(database);
  const { writeId } = userTermTable;
  /** The users of these ids as they are now, in this order: those that are found. */
  const readPage = async (ids: readonly string[], filter: UserFilter): Promise<User[]> => {
    if (ids.length === 0) return [];
    const found = await readUsers.read(`WHERE id IN (${ids.map(() => '?').join(', ')})`, ids.map(writeId));
    const byId = new Map(found.map((user) => [user.id, user]));
    return ids.flatMap((id) => byId.get(id.toLowerCase()) ?? []).filter((user) => isListed(user, filter));
  };
  /** The one user whom an id names, where it is found; undefined where the filter has none. */
  const readNamed = async (filter: UserFilter): Promise<User[] | undefined> => {
    const { id, externalId } = filter;
    if (id !== undefined) return readPage([id], filter);
    if (externalId === undefined) return undefined;
    const user = await users.findByExternalId(externalId);
    return user !== undefined && isListed(user, filter) ? [user] : [];
  };
  const listAll = async ({ createdSince, place, limit }: UserListRequest): Promise<UserPage> => {
    const found = await users.list({ after: place?.after ?? firstIdSince(createdSince), limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const listed = page.filter(({ createdAt }) => createdSince === undefined || createdAt >= createdSince);
    return { users: listed, next: last && { after: last.id } };
  };
  return {
    /** In the order of their creation, or of the words that are found. */
    async list(request: UserListRequest): Promise<UserPage> {
      const { group, words, facets, createdSince, place, limit } = request;
      const named = await readNamed(request);
      if (named !== undefined) return { users: named, next: undefined };
      if (group !== undefined) {
        const page = await memberList.find({ group, words, facets, createdSince, after: place?.after, limit });
        const next = page.next === undefined ? undefined : { after: page.next };
        return { users: await readPage(page.ids, request), next };
      }
      if (words.length + facets.length === 0) return listAll(request);
      const first = firstIdSince(createdSince);
      const start = place ?? (first === undefined ? undefined : { after: first });
      const { ids, next } = await search.find({ words, facets, place: start, limit });
      return { users: await readPage(ids, request), next };
    },
    /** Counts them to 10,000. */
    async count(filter: UserFilter): Promise<Total> {
      const { group, words, facets, createdSince } = filter;
      const named = await readNamed(filter);
      if (named !== undefined) return totalOf(named.length);
      if (group !== undefined) return memberList.count({ group, words, facets, createdSince });
      const isSince = createdSince === undefined ? undefined : { sql: 'users.created_at >= ?', values: [createdSince] };
      const after = firstIdSince(createdSince);
      if (words.length + facets.length > 0) return search.count({ words, facets }, { after, isListed: isSince });
      const where = isSince === undefined ? '' : `WHERE users.id > ? AND ${isSince.sql}`;
      const values = after === undefined || isSince === undefined ? [] : [writeId(after), ...isSince.values];
      const sql = `SELECT COUNT(*) AS found FROM (SELECT id FROM users ${where} LIMIT ${mostExamined + 1}) u`;
      const [row] = await database.query<{ found: number }>(sql, values);
      return totalOf(Number(row?.found));
    },
  };
}

/** An id is the time of the creation: none of the users since then is before it. */
function firstIdSince(createdSince: number | undefined): string | undefined {
  return createdSince === undefined ? undefined : createIdAt(Math.max(0, createdSince - idLeeway), 0);
}

function isListed(user: User, { externalId, group, createdSince, words, facets }: UserFilter): boolean {
  if (externalId !== undefined && user.externalId !== externalId) return false;
  if (group !== undefined && !user.groups?.some((name) => foldGroupName(name) === foldGroupName(group))) return false;
  if (createdSince !== undefined && user.createdAt < createdSince) return false;
  return isFound({ words, facets }, describeUserTerms(user));
}
