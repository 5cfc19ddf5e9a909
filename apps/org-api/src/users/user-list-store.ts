import type { Database } from '@gatehouse/service-kit/database';
import {
  type Condition,
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
import { createUserWalk, type Walk, type WalkPlace, walkCreated, walkMembers, walkNobody } from './user-walk.ts';

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

/** Where a list of users goes on. */
export type UserPlace = SearchPlace | WalkPlace;

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
  /** The index in whose order users are found; undefined where their terms find them, and where all are listed. */
  const findWalk = async (filter: UserFilter, place: UserPlace | undefined): Promise<Walk | undefined> => {
    const { group, createdSince, words, facets } = filter;
    if (group !== undefined) {
      const [found] = await groups.findByNames([group]);
      return found === undefined ? walkNobody : walkMembers(found.id, place?.after, createdSince);
    }
    if (createdSince === undefined) return undefined;
    if (place !== undefined) return 'createdAt' in place ? walkCreated(createdSince, place) : undefined;
    // The terms find them where one page examines all who have one of them.
    const isByTerms = words.length + facets.length > 0 && (await search.isBounded({ words, facets }));
    return isByTerms ? undefined : walkCreated(createdSince, undefined);
  };
  return {
    /** In the order of their ids, of their creation where `createdSince` is given, or of the words that are found. */
    async list(request: UserListRequest): Promise<UserPage> {
      const { words, facets, createdSince, place, limit } = request;
      const named = await readNamed(request);
      if (named !== undefined) return { users: named, next: undefined };
      const walk = await findWalk(request, place);
      if (walk === undefined && words.length + facets.length === 0) return listAll(request);
      const { ids, next } =
        walk === undefined
          ? await search.find({ words, facets, place, limit, isListed: isCreatedSince(createdSince) })
          : await userWalk.find(walk, request, limit);
      return { users: await readPage(ids, request), next };
    },
    /** Counts them to 10,000. */
    async count(filter: UserFilter): Promise<Total> {
      const { words, facets, createdSince } = filter;
      const named = await readNamed(filter);
      if (named !== undefined) return totalOf(named.length);
      const walk = await findWalk(filter, undefined);
      if (walk !== undefined) return userWalk.count(walk, filter);
      if (words.length + facets.length > 0) {
        return search.count({ words, facets }, { isListed: isCreatedSince(createdSince) });
      }
      const sql = `SELECT COUNT(*) AS found FROM (SELECT id FROM users LIMIT ${mostExamined + 1}) u`;
      const [row] = await database.query<{ found: number }>(sql);
      return totalOf(Number(row?.found));
    },
  };
}

function isCreatedSince(time: number | undefined): Condition | undefined {
  return time === undefined ? undefined : { sql: 'users.created_at >= ?', values: [time] };
}

function isListed(user: User, { externalId, group, createdSince, words, facets }: UserFilter): boolean {
  if (externalId !== undefined && user.externalId !== externalId) return false;
  if (group !== undefined && !user.groups?.some((name) => foldGroupName(name) === foldGroupName(group))) return false;
  if (createdSince !== undefined && user.createdAt < createdSince) return false;
  return isFound({ words, facets }, describeUserTerms(user));
}
