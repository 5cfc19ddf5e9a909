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
import { createGroupStore } from '../groups/group-store.ts';
import { createReadUsers } from './read-users.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';
import { describeUserTerms } from './user-terms.ts';
import { userTermTable } from './user-terms-table.ts';
import { createUserWalk, type Walk, walkCreated, walkMembers } from './user-walk.ts';

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

/** Where a list of users goes on: `createdAt` (milliseconds) in the order of their creation. */
export type UserPlace = SearchPlace | CreatedPlace;

export interface CreatedPlace {
  createdAt: number;
  after: string;
}

export interface UserListRequest extends UserFilter {
  place: UserPlace | undefined;
  limit: number;
}

/** A page of users; `next`: where the one after it begins. A page that examined its 10,000 entries may be short, and not be the last. */
export interface UserPage {
  users: User[];
  next: UserPlace | undefined;
}

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
  const groups = createGroupStore(database);
  const userWalk = createUserWalk(database);
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
  const listAll = async ({ place, limit }: UserListRequest): Promise<UserPage> => {
    const found = await users.list({ after: place?.after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return { users: page, next: last && { after: last.id } };
  };
  const walkGroup = async ({ group = '', createdSince }: UserFilter, after?: string): Promise<Walk | undefined> => {
    const [found] = await groups.findByNames([group]);
    return found && walkMembers(found.id, after, createdSince);
  };
  const listMembers = async (request: UserListRequest): Promise<UserPage> => {
    const walk = await walkGroup(request, request.place?.after);
    if (walk === undefined) return { users: [], next: undefined };
    const { ids, next } = await userWalk.find(walk, request, request.limit);
    return { users: await readPage(ids, request), next: next && { after: next.after } };
  };
  /** Whether users since a time are found by their terms, and not in the order of their creation: a few have one of the terms. */
  const isByTerms = async ({ words, facets }: UserFilter): Promise<boolean> =>
    words.length + facets.length > 0 && search.isBounded({ words, facets });
  const listCreated = async (request: UserListRequest, since: number): Promise<UserPage | undefined> => {
    const { place, limit } = request;
    if (place === undefined ? await isByTerms(request) : !('createdAt' in place)) return undefined;
    const start = place && 'createdAt' in place ? { after: place.after, at: place.createdAt } : undefined;
    const { ids, next } = await userWalk.find(walkCreated(since, start), request, limit);
    return {
      users: await readPage(ids, request),
      next: next && { createdAt: Number(next.at), after: next.after },
    };
  };
  return {
    /** In the order of their ids, of their creation where `createdSince` is given, or of the words that are found. */
    async list(request: UserListRequest): Promise<UserPage> {
      const { group, words, facets, createdSince, place, limit } = request;
      const named = await readNamed(request);
      if (named !== undefined) return { users: named, next: undefined };
      if (group !== undefined) return listMembers(request);
      const created = createdSince === undefined ? undefined : await listCreated(request, createdSince);
      if (created !== undefined) return created;
      if (words.length + facets.length === 0) return listAll(request);
      const start = place !== undefined && 'createdAt' in place ? undefined : place;
      const isListed = createdSince === undefined ? undefined : isCreatedSince(createdSince);
      const { ids, next } = await search.find({ words, facets, place: start, limit, isListed });
      return { users: await readPage(ids, request), next };
    },
    /** Counts them to 10,000. */
    async count(filter: UserFilter): Promise<Total> {
      const { group, words, facets, createdSince } = filter;
      const named = await readNamed(filter);
      if (named !== undefined) return totalOf(named.length);
      if (group !== undefined) {
        const walk = await walkGroup(filter);
        return walk === undefined ? totalOf(0) : userWalk.count(walk, filter);
      }
      if (createdSince !== undefined && !(await isByTerms(filter))) {
        return userWalk.count(walkCreated(createdSince, undefined), filter);
      }
      if (words.length + facets.length > 0) {
        const isListed = createdSince === undefined ? undefined : isCreatedSince(createdSince);
        return search.count({ words, facets }, { isListed });
      }
      const sql = `SELECT COUNT(*) AS found FROM (SELECT id FROM users LIMIT ${mostExamined + 1}) u`;
      const [row] = await database.query<{ found: number }>(sql);
      return totalOf(Number(row?.found));
    },
  };
}

const isCreatedSince = (time: number) => ({ sql: 'users.created_at >= ?', values: [time] });

function isListed(user: User, { externalId, group, createdSince, words, facets }: UserFilter): boolean {
  if (externalId !== undefined && user.externalId !== externalId) return false;
  if (group !== undefined && !user.groups?.some((name) => foldGroupName(name) === foldGroupName(group))) return false;
  if (createdSince !== undefined && user.createdAt < createdSince) return false;
  return isFound({ words, facets }, describeUserTerms(user));
}
