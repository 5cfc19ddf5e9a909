import { type Clock, createId } from '@gatehouse/service-kit';
import { checkVersion, type ExpectedVersion } from '@gatehouse/service-kit/etag';
import { type Total, totalOf } from '@gatehouse/service-kit/terms';
import {
  fieldsProblem,
  foldGroupName,
  foldUsername,
  type GroupChanges,
  mostGroups,
  mostGroupsOfUser,
  type NewGroup,
  ProblemError,
  quoteName,
} from '@gatehouse/shared';
import type { Group } from '../groups/group.ts';
import {
  type GroupMemberStore,
  type Member,
  type Membership,
  TooManyGroupsError,
} from '../groups/group-member-store.ts';
import type { GroupStore } from '../groups/group-store.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { buildGroupView } from './group-view.ts';

interface Dependencies {
  groups: GroupStore;
  groupMembers: GroupMemberStore;
  users: Pick<UserStore, 'findById' | 'findByUsernames' | 'update' | 'touch' | 'noteInGroups'>;
  clock: Clock;
  /** Waits for a time drawn by chance, a longer one after more tries. */
  pause(tries: number): Promise<void>;
}

/** How often a list of groups is put before its caller is told to try again. */
const mostTries = 20;

/** A page of a list; `next`: the id after which the next one begins. */
interface Page<T> {
  page: T[];
  next: string | undefined;
}

export interface PageRequest {
  /** The id of the last one of the page before. */
  after: string | undefined;
  limit: number;
}

/** The users of a change of members, by their usernames. */
export interface MemberChange {
  add: readonly string[];
  remove: readonly string[];
}

/** A group as an event names it. */
export type NamedGroup = Pick<Group, 'id' | 'name'>;

/** Those who were not in before, and those who were, by their usernames. */
export interface MembersChanged {
  group: NamedGroup;
  added: string[];
  removed: string[];
}

export type GroupAdministration = ReturnType<typeof createGroupAdministration>;

/** Operations of administrators on groups. Each throws 400, 404, 409 or 412. */
export function createGroupAdministration({ groups, groupMembers, users, clock, pause }: Dependencies) {
  const get = async (id: string): Promise<Group> => {
    const group = await groups.find(id);
    if (group === undefined) throw new ProblemError(404, 'no group has this id');
    return group;
  };
  const getExpected = async (id: string, expected: ExpectedVersion): Promise<Group> => {
    const group = await get(id);
    checkVersion(expected, group, buildGroupView);
    return group;
  };
  /** Checks a new group, and gives it. The insert decides. */
  const planCreation = async (body: NewGroup): Promise<Group> => {
    if ((await groups.findByNames([body.name])).length > 0) throw alreadyExists();
    if ((await groups.count()) >= mostGroups) throw tooManyGroups();
    return buildGroup(body, clock());
  };
  const planChange = async (id: string, changes: GroupChanges, expected: ExpectedVersion) => {
    const before = await getExpected(id, expected);
    return { before, after: applyChanges(before, changes, clock()) };
  };
  const getUsers = async (names: readonly string[], field: string): Promise<User[]> => {
    const found = await users.findByUsernames(names);
    const known = new Set(found.map(({ username }) => foldUsername(username)));
    const unknown = names.filter((name) => !known.has(foldUsername(name)));
    if (unknown.length > 0) throw unknownNames(field, 'users', unknown);
    return found;
  };
  /** The groups of these names. Throws 400 where one is of none. */
  const getByNames = async (names: readonly string[]): Promise<Group[]> => {
    const found = await groups.findByNames(names);
    const known = new Set(found.map(({ name }) => foldGroupName(name)));
    const unknown = names.filter((name) => !known.has(foldGroupName(name)));
    if (unknown.length > 0) throw unknownNames('groups', 'groups', unknown);
    return found;
  };
  const add = async (toGroups: readonly Group[], added: readonly User[]): Promise<Membership[]> => {
    if (toGroups.length > 0) await users.noteInGroups(added.map(({ id }) => id));
    return groupMembers.add(pairUp(toGroups, added), clock()).catch((error: unknown) => {
      if (!(error instanceof TooManyGroupsError)) throw error;
      const { username } = added.find(({ id }) => id === error.userId) as User;
      throw new ProblemError(409, `${username} would be in more than ${mostGroupsOfUser} groups`);
    });
  };
  const putIn = async (user: User, wanted: readonly Group[]): Promise<MembersChanged[]> => {
    const present = await groupMembers.listOfUser(user.id);
    const left = present.filter(({ id }) => !wanted.some((group) => group.id === id));
    const removed = await groupMembers.remove(pairUp(left, [user]));
    const added = await add(wanted, [user]);
    const names = [user.username];
    return [
      ...removed.map(({ groupId }) => ({ group: getOf(left, groupId), added: [], removed: names })),
      ...added.map(({ groupId }) => ({ group: getOf(wanted, groupId), added: names, removed: [] })),
    ];
  };

  return {
    async list({ after, limit }: PageRequest, hasTotal: boolean): Promise<Page<Group> & { total: Total | undefined }> {
      const found = await groups.list({ after, limit: limit + 1 });
      return { ...cutPage(found, limit), total: hasTotal ? totalOf(await groups.count()) : undefined };
    },
    get,
    planCreation,
    planChange,
    planDeletion: getExpected,
    getByNames,
    async create(body: NewGroup): Promise<Group> {
      const created = await planCreation(body);
      const outcome = await groups.insert(created);
      if (outcome === 'inserted') return created;
      throw outcome === 'taken' ? alreadyExists() : tooManyGroups();
    },
    /** One that was changed in between is read again, unless the change names a version. */
    async change(id: string, changes: GroupChanges, expected: ExpectedVersion): Promise<Group> {
      for (;;) {
        const { before, after } = await planChange(id, changes, expected);
        if (await groups.update(after, before.updatedAt)) return after;
      }
    },
    /** Gives the deleted group. */
    async delete(id: string, expected: ExpectedVersion): Promise<Group> {
      for (;;) {
        const group = await getExpected(id, expected);
        if (!(await groups.delete(group))) continue;
        // Without its group a row of a member means nothing.
        for (;;) {
          const userIds = await groupMembers.removeSome(id);
          if (userIds.length === 0) return group;
          await users.touch(userIds, clock());
        }
      }
    },
    async listMembers(id: string, { after, limit }: PageRequest): Promise<Page<Member>> {
      const { id: groupId } = await get(id);
      return cutPage(await groupMembers.listMembers(groupId, { after, limit: limit + 1 }), limit);
    },
    /** Users who are in already stay so, and those who are not stay out. */
    async changeMembers(id: string, change: MemberChange): Promise<MembersChanged> {
      const group = await get(id);
      const [toAdd, toRemove] = await Promise.all([getUsers(change.add, 'add'), getUsers(change.remove, 'remove')]);
      if (toAdd.some((user) => toRemove.some((other) => other.id === user.id))) {
        throw fieldsProblem([{ field: 'remove', detail: 'must name no user of add' }]);
      }
      const present = await groupMembers.listPresent(pairUp([group], [...toAdd, ...toRemove]));
      const isIn = ({ id: userId }: User) => present.some((membership) => membership.userId === userId);
      const [missing, leaving] = [toAdd.filter((user) => !isIn(user)), toRemove.filter(isIn)];
      const userIds = [...missing, ...leaving].map(({ id: userId }) => userId);
      // The version of these users moves before, for a process that is killed in between, and afterwards, for what is read in between.
      await users.touch(userIds, clock());
      // First: it may be refused, and then nothing is done.
      const added = await add([group], missing);
      const removed = await groupMembers.remove(pairUp([group], leaving));
      await users.touch(userIds, clock());
      return { group, added: nameUsers(added, missing), removed: nameUsers(removed, leaving) };
    },
    listOfUser: groupMembers.listOfUser,
    /**
     * Puts a user into these groups, and takes it out of all others. Of several at the same moment the last one wins: one that sees
     * another change of the user meanwhile begins again. Gives what was changed, group by group.
     */
    async putUser(user: User, wanted: readonly Group[]): Promise<MembersChanged[]> {
      const changed: MembersChanged[] = [];
      for (let tries = 0; tries < mostTries; tries += 1) {
        const before = await users.findById(user.id);
        if (before === undefined) return changed;
        const now = clock();
        if (await users.update(user.id, {}, now, before.updatedAt)) {
          changed.push(...(await putIn(user, wanted)));
          if (await users.update(user.id, {}, clock(), Math.max(now, before.updatedAt + 1))) return changed;
        }
        // Two that begin again in step would disturb each other for ever.
        await pause(tries);
      }
      throw new ProblemError(409, 'the groups of this user are being changed by others; try again');
    },
  };
}

function pairUp(groups: readonly Pick<Group, 'id'>[], users: readonly User[]): Membership[] {
  return groups.flatMap(({ id: groupId }) => users.map(({ id: userId }) => ({ groupId, userId })));
}

function nameUsers(memberships: readonly Membership[], among: readonly User[]): string[] {
  return memberships.flatMap(({ userId }) => among.find(({ id }) => id === userId)?.username ?? []);
}

function getOf(groups: readonly NamedGroup[], groupId: string): NamedGroup {
  return groups.find(({ id }) => id === groupId) as NamedGroup;
}

function cutPage<T extends { id: string }>(found: readonly T[], limit: number): Page<T> {
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? page.at(-1)?.id : undefined };
}

function buildGroup({ name, description = '', managedBy }: NewGroup, now: number): Group {
  return { id: createId(), name, description, managedBy, createdAt: now, updatedAt: now };
}

function applyChanges(
  before: Group,
  { description = before.description, managedBy }: GroupChanges,
  now: number,
): Group {
  return {
    ...before,
    description,
    managedBy: managedBy === undefined ? before.managedBy : (managedBy ?? undefined),
    // The version: later, even where the clocks of two replicas disagree.
    updatedAt: Math.max(now, before.updatedAt + 1),
  };
}

/** Names that an answer repeats at most. */
const mostNamed = 5;

function unknownNames(field: string, kind: string, names: readonly string[]): ProblemError {
  const detail = `must name ${kind} who are there`;
  const named = names.slice(0, mostNamed).map(quoteName).join(', ');
  return fieldsProblem([{ field, detail: `${detail}; there is no ${named}`, logged: detail }]);
}

function alreadyExists(): ProblemError {
  return new ProblemError(409, 'a group with this name exists already');
}

function tooManyGroups(): ProblemError {
  return new ProblemError(409, `the organization has ${mostGroups} groups, which is the most`);
}
