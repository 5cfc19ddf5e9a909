import type { Clock, SlowHash } from '@gatehouse/service-kit';
import { checkVersion, type ExpectedVersion } from '@gatehouse/service-kit/etag';
import { fieldsProblem, type NewUser, ProblemError, type UserChanges } from '@gatehouse/shared';
import type { Group } from '../groups/group.ts';
import type { DeleteUser } from '../links/delete-user.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { NewPasswords } from '../passwords/new-password.ts';
import { buildUser } from '../users/build-user.ts';
import { checkPhoneToVerify, checkTimezone, checkUsernameFits } from '../users/check-changes.ts';
import { getUser, noSuchUser } from '../users/get-user.ts';
import { previewChange } from '../users/preview-change.ts';
import type { User } from '../users/user.ts';
import { ExternalIdTakenError, LastAdministratorError, type UserStore } from '../users/user-store.ts';
import type { GroupAdministration, MembersChanged } from './administer-groups.ts';

interface Dependencies {
  users: UserStore;
  slowHash: Pick<SlowHash, 'hash'>;
  newPasswords: Pick<NewPasswords, 'check'>;
  mails: Pick<Outbox, 'notify'>;
  links: { forget(userId: string): Promise<void>; deleteUser: DeleteUser; eraseUser: DeleteUser };
  groupAdministration: Pick<GroupAdministration, 'getByNames' | 'putUser'>;
  clock: Clock;
}

export type UserAdministration = ReturnType<typeof createUserAdministration>;

/** The version that a change is meant for, and how its caller sees a user. */
export interface UserChange {
  expected: ExpectedVersion;
  show: (user: User) => object;
}

/** A user that was made or changed, and the groups whose members changed with it. */
export interface ChangedUser {
  user: User;
  groups: MembersChanged[];
}

/** Changes that administrators make to users. Each throws 400, 404, 409 or 412. */
export function createUserAdministration(deps: Dependencies) {
  const { users, slowHash, newPasswords, mails, links, groupAdministration, clock } = deps;
  const getToChange = async (username: string, { expected, show }: UserChange): Promise<User> => {
    const user = await getUser(users, username);
    checkVersion(expected, user, show);
    return user;
  };
  /** A user that was changed or deleted after it was read. */
  const refuseLate = async (username: string, by: UserChange): Promise<never> => {
    await getToChange(username, by);
    throw noSuchUser();
  };
  /** Undefined where no groups are named: the user stays in those that it is in. */
  const getGroups = async ({ groups }: Pick<UserChanges, 'groups'>): Promise<Group[] | undefined> =>
    groups && groupAdministration.getByNames(groups);
  const putUser = async (user: User, groups: readonly Group[] | undefined): Promise<MembersChanged[]> =>
    groups === undefined ? [] : groupAdministration.putUser(user, groups);
  const checkNewUser = async (newUser: NewUser): Promise<Group[] | undefined> => {
    checkUsernameFits(newUser);
    checkInvitationFits(newUser);
    checkPasswordFitsType(newUser);
    if (newUser.password !== undefined) await newPasswords.check(newUser.password, newUser);
    checkTimezone(newUser.timezone);
    checkPhoneToVerify(newUser, undefined);
    const groups = await getGroups(newUser);
    // A user who is in none is only made.
    return groups?.length === 0 ? undefined : groups;
  };
  const getToChangeBy = async (username: string, changes: UserChanges, by: UserChange): Promise<User> => {
    checkTimezone(changes.timezone);
    const before = await getToChange(username, by);
    checkPhoneToVerify(changes, before.phoneNumber);
    return before;
  };
  const checkExternalId = async ({ id, externalId }: User): Promise<void> => {
    const holder = externalId === undefined ? undefined : await users.findByExternalId(externalId);
    if (holder !== undefined && holder.id !== id) throw alreadyExists('externalId');
  };
  /** Says which of its names keeps a user from being made. */
  const checkNames = async (user: User): Promise<void> => {
    if ((await users.findByUsername(user.username)) !== undefined) throw alreadyExists('username');
    await checkExternalId(user);
  };
  const refuseIfLast = async ({ id }: User): Promise<void> => {
    if (await users.isLastAdministrator(id)) throw lastAdministrator();
  };
  return {
    /** The user that {@link create} would make. */
    async planCreation(newUser: NewUser): Promise<User> {
      const groups = await checkNewUser(newUser);
      const planned = buildUser(newUser, undefined, clock());
      await checkNames(planned);
      return { ...planned, ...(groups && { groups: nameGroups(groups) }) };
    },

    /** The user as it is, and as {@link change} would leave it. */
    async planChange(username: string, changes: UserChanges, by: UserChange): Promise<{ before: User; after: User }> {
      const before = await getToChangeBy(username, changes, by);
      const groups = await getGroups(changes);
      const after = previewChange(before, changes, groups && nameGroups(groups));
      await checkExternalId(after);
      if (!after.enabled || !after.roles.includes('SystemAdministrator')) await refuseIfLast(before);
      return { before, after };
    },

    /** The user that {@link delete} would delete. */
    async planDeletion(username: string, by: UserChange): Promise<User> {
      const user = await getToChange(username, by);
      await refuseIfLast(user);
      return user;
    },

    /** `address` is the caller's: new passwords are hashed in the turns of their networks. */
    async create(newUser: NewUser, address: string): Promise<ChangedUser> {
      const groups = await checkNewUser(newUser);
      const passwordHash = newUser.password === undefined ? undefined : await slowHash.hash(newUser.password, address);
      const user = buildUser(newUser, passwordHash, clock());
      if (!(await users.insert(user))) {
        await checkNames(user);
        // The user who had the name is gone since.
        throw alreadyExists('username');
      }
      const changed = await putUser(user, groups);
      return { user: changed.length === 0 ? user : await getUser(users, user.username), groups: changed };
    },

    async change(username: string, changes: UserChanges, by: UserChange): Promise<ChangedUser> {
      const before = await getToChangeBy(username, changes, by);
      const groups = await getGroups(changes);
      const { id } = before;
      const seen = by.expected === undefined ? undefined : before.updatedAt;
      if (!(await users.update(id, changes, clock(), seen).catch(refuseChange))) return refuseLate(username, by);
      const { email = before.email } = changes;
      if (email !== before.email || changes.enabled === false) await links.forget(id);
      // The address of before is told: the new one is not verified.
      if (email !== before.email) {
        await mails.notify(before, 'email_changed', {}, { before: before.email, after: email });
      }
      const changed = await putUser(before, groups);
      return { user: await getUser(users, username), groups: changed };
    },

    /** Gives the deleted user; `erases`: no name of the user stays in the audit trail. */
    async delete(username: string, by: UserChange, { erases = false } = {}): Promise<User> {
      const user = await getToChange(username, by);
      // Of several deletions and changes that name one version one goes on.
      const isClaimed = by.expected === undefined || (await users.update(user.id, {}, clock(), user.updatedAt));
      if (!isClaimed) return refuseLate(username, by);
      const remove = erases ? links.eraseUser : links.deleteUser;
      if (!(await remove(user).catch(refuseLast))) throw noSuchUser();
      return user;
    },
  };
}

function nameGroups(groups: readonly Group[]): string[] {
  return groups.map(({ name }) => name).sort();
}

function checkInvitationFits({ userType = 'Person', password, invite = false, deliver }: NewUser): void {
  if (invite && (userType === 'Robot' || password !== undefined)) {
    throw fieldsProblem([{ field: 'invite', detail: 'is accepted for a Person alone, in place of a password' }]);
  }
  if (!invite && deliver !== undefined) {
    throw fieldsProblem([{ field: 'deliver', detail: 'is accepted with invite alone' }]);
  }
}

function checkPasswordFitsType({ userType = 'Person', password, invite = false }: NewUser): void {
  if (userType === 'Person' && password === undefined && !invite) {
    throw fieldsProblem([
      { field: 'password', detail: 'is required for a Person and must be a string of 8 to 1024 characters' },
    ]);
  }
  if (userType === 'Robot' && password !== undefined) {
    throw fieldsProblem([
      { field: 'password', detail: 'is not accepted for a Robot, which never signs in with a password' },
    ]);
  }
}

function refuseLast(error: unknown): never {
  throw error instanceof LastAdministratorError ? lastAdministrator() : error;
}

function refuseChange(error: unknown): never {
  if (error instanceof ExternalIdTakenError) throw alreadyExists('externalId');
  return refuseLast(error);
}

function alreadyExists(name: 'username' | 'externalId'): ProblemError {
  return new ProblemError(409, `a user with this ${name} exists already`);
}

function lastAdministrator(): ProblemError {
  const detail =
    'this user is the last SystemAdministrator who is enabled and has a password; give another Person that role first';
  return new ProblemError(409, detail);
}
