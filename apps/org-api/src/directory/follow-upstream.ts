import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@gatehouse/service-kit';
import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import {
  findFaultyFields,
  foldGroupName,
  type NewUser,
  type ProfileField,
  profileFields,
  type UpstreamSignIn,
} from '@gatehouse/shared';
import { describeGroup, describeMembersChanged, describeOwnDeed, describeService } from '../events/audit.ts';
import type { Group } from '../groups/group.ts';
import { type GroupMemberStore, type Membership, TooManyGroupsError } from '../groups/group-member-store.ts';
import type { GroupStore } from '../groups/group-store.ts';
import { isTimezone } from '../users/check-changes.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

export type FollowUpstream = ReturnType<typeof createFollowUpstream>;

interface Dependencies {
  users: Pick<UserStore, 'findById' | 'update' | 'touch' | 'noteInGroups'>;
  groups: Pick<GroupStore, 'findByNames'>;
  groupMembers: Pick<GroupMemberStore, 'listPresent' | 'add' | 'remove'>;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
}

/**
 * Takes over what an upstream says of a user who signs in by it: members of the record, and the groups that its map names. `isFirst`: the
 * user was linked by address, or made, just now. Gives the user as it is then.
 */
export function createFollowUpstream({ users, groups, groupMembers, audit, clock }: Dependencies) {
  const record = (user: User, signIn: UpstreamSignIn, entries: readonly Entry[]): Promise<void> => {
    const about = { ...describeOwnDeed(user, signIn), actor: describeService() };
    const { upstream } = signIn.account;
    const withUpstream = ({ details, ...entry }: Entry) => ({ ...about, ...entry, details: { ...details, upstream } });
    return audit.write(...entries.map(withUpstream));
  };
  /** Whether the record changed. */
  const followMembers = async (user: User, signIn: UpstreamSignIn): Promise<boolean> => {
    const said = Object.entries(readMembers(signIn.account.members));
    const others = said.filter(([name, value]) => !isDeepStrictEqual(value, user[name as keyof User]));
    if (others.length === 0) return false;
    if (!(await users.update(user.id, Object.fromEntries(others), clock()))) return false;
    await record(user, signIn, [{ type: 'user.changed', details: { fields: others.map(([name]) => name) } }]);
    return true;
  };
  /** A user who is in as many groups as may be is put into none. */
  const add = async (memberships: readonly Membership[], userId: string): Promise<Membership[]> => {
    if (memberships.length === 0) return [];
    await users.noteInGroups([userId]);
    return groupMembers.add(memberships, clock()).catch((error: unknown) => {
      if (error instanceof TooManyGroupsError) return [];
      throw error;
    });
  };
  /** Whether the groups changed. */
  const followGroups = async (user: User, signIn: UpstreamSignIn, said: readonly string[]): Promise<boolean> => {
    const mapped = await groups.findByNames(signIn.rules?.mappedGroups ?? []);
    const wanted = new Set(said.map(foldGroupName));
    const pair = (some: readonly Group[]) => some.map(({ id: groupId }) => ({ groupId, userId: user.id }));
    const present = new Set((await groupMembers.listPresent(pair(mapped))).map(({ groupId }) => groupId));
    const isWanted = ({ name }: Group) => wanted.has(foldGroupName(name));
    const missing = mapped.filter((group) => isWanted(group) && !present.has(group.id));
    const leaving = mapped.filter((group) => !isWanted(group) && present.has(group.id));
    if (missing.length === 0 && leaving.length === 0) return false;
    // The version moves before, for a process that is killed in between, and afterwards, for what is read in between.
    await users.touch([user.id], clock());
    const removed = await groupMembers.remove(pair(leaving));
    const added = await add(pair(missing), user.id);
    await users.touch([user.id], clock());
    const among = (some: readonly Group[], changed: readonly Membership[]) =>
      some.filter(({ id }) => changed.some(({ groupId }) => groupId === id));
    await record(user, signIn, [
      ...among(leaving, removed).flatMap((group) => describeChange(group, { added: [], removed: [user.username] })),
      ...among(missing, added).flatMap((group) => describeChange(group, { added: [user.username], removed: [] })),
    ]);
    return true;
  };
  return async (user: User, signIn: UpstreamSignIn, isFirst: boolean): Promise<User> => {
    const { account, rules } = signIn;
    if (rules === undefined) return user;
    const isSynced = (rules.sync === 'always' || isFirst) && (await followMembers(user, signIn));
    const isMoved = account.groups !== undefined && (await followGroups(user, signIn, account.groups));
    return isSynced || isMoved ? ((await users.findById(user.id)) ?? user) : user;
  };
}

type Entry = Pick<AuditEntry, 'type' | 'details' | 'subject'>;

function describeChange(group: Group, changed: Parameters<typeof describeMembersChanged>[0]): Entry[] {
  return describeMembersChanged(changed).map((entry) => ({ ...entry, subject: describeGroup(group) }));
}

/** The members that a record can take, of those that an upstream says. It removes none. */
export function readMembers(said: object = {}): Pick<NewUser, ProfileField> {
  const good = Object.entries(said).filter(([name, value]) => isMember(name, value));
  return Object.fromEntries(good);
}

function isMember(name: string, value: unknown): boolean {
  if (value === null || !profileFields.some((field) => field === name)) return false;
  if (findFaultyFields({ [name]: value }).length > 0) return false;
  return name !== 'timezone' || isTimezone(String(value));
}
