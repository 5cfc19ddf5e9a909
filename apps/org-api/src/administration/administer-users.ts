import type { Clock, SlowHash } from '@gatehouse/service-kit';
import { checkVersion, type ExpectedVersion } from '@gatehouse/service-kit/etag';
import { fieldsProblem, foldUsername, type NewUser, ProblemError, type UserChanges } from '@gatehouse/shared';
import type { DeleteUser } from '../links/delete-user.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { NewPasswords } from '../passwords/new-password.ts';
import { buildUser } from '../users/build-user.ts';
import { checkPhoneToVerify, checkTimezone } from '../users/check-changes.ts';
import { getUser, noSuchUser } from '../users/get-user.ts';
import { previewChange } from '../users/preview-change.ts';
import type { User } from '../users/user.ts';
import { LastAdministratorError, type UserStore } from '../users/user-store.ts';

interface Dependencies {
  users: UserStore;
  slowHash: Pick<SlowHash, 'hash'>;
  newPasswords: Pick<NewPasswords, 'check'>;
  mails: Pick<Outbox, 'notify'>;
  links: { forget(userId: string): Promise<void>; deleteUser: DeleteUser };
  clock: Clock;
}

export type UserAdministration = ReturnType<typeof createUserAdministration>;

/** The version that a change is meant for, and how its caller sees a user. */
export interface UserChange {
  expected: ExpectedVersion;
  show: (user: User) => object;
}

/** Changes that administrators make to users. Each throws 400, 404, 409 or 412. */
export function createUserAdministration({ users, slowHash, newPasswords, mails, links, clock }: Dependencies) {
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
  const checkNewUser = async (newUser: NewUser): Promise<void> => {
    checkUsernameFits(newUser);
    checkInvitationFits(newUser);
    checkPasswordFitsType(newUser);
    if (newUser.password !== undefined) await newPasswords.check(newUser.password, newUser);
    checkTimezone(newUser.timezone);
    checkPhoneToVerify(newUser, undefined);
  };
  const getToChangeBy = async (username: string, changes: UserChanges, by: UserChange): Promise<User> => {
    checkTimezone(changes.timezone);
    const before = await getToChange(username, by);
    checkPhoneToVerify(changes, before.phoneNumber);
    return before;
  };
  const refuseIfLast = async ({ id }: User): Promise<void> => {
    if (await users.isLastAdministrator(id)) throw lastAdministrator();
  };
  return {
    /** The user that {@link create} would make. */
    async planCreation(newUser: NewUser): Promise<User> {
      await checkNewUser(newUser);
      if ((await users.findByUsername(newUser.username)) !== undefined) throw alreadyExists();
      return buildUser(newUser, undefined, clock());
    },

    /** The user as it is, and as {@link change} would leave it. */
    async planChange(username: string, changes: UserChanges, by: UserChange): Promise<{ before: User; after: User }> {
      const before = await getToChangeBy(username, changes, by);
      const after = previewChange(before, changes);
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
    async create(newUser: NewUser, address: string): Promise<User> {
      await checkNewUser(newUser);
      const passwordHash = newUser.password === undefined ? undefined : await slowHash.hash(newUser.password, address);
      const user = buildUser(newUser, passwordHash, clock());
      if (!(await users.insert(user))) throw alreadyExists();
      return user;
    },

    async change(username: string, changes: UserChanges, by: UserChange): Promise<User> {
      const before = await getToChangeBy(username, changes, by);
      const { id } = before;
      const seen = by.expected === undefined ? undefined : before.updatedAt;
      if (!(await users.update(id, changes, clock(), seen).catch(refuseLast))) return refuseLate(username, by);
      const { email = before.email } = changes;
      if (email !== before.email || changes.enabled === false) await links.forget(id);
      // The address of before is told: the new one is not verified.
      if (email !== before.email) {
        await mails.notify(before, 'email_changed', {}, { before: before.email, after: email });
      }
      return getUser(users, username);
    },

    /** Gives the deleted user. */
    async delete(username: string, by: UserChange): Promise<User> {
      const user = await getToChange(username, by);
      // Of several deletions and changes that name one version one goes on.
      const isClaimed = by.expected === undefined || (await users.update(user.id, {}, clock(), user.updatedAt));
      if (!isClaimed) return refuseLate(username, by);
      if (!(await links.deleteUser(user).catch(refuseLast))) throw noSuchUser();
      return user;
    },
  };
}

/** Some letters become longer when they are folded (İ), and the folded form is stored for comparison. */
function checkUsernameFits({ username }: NewUser): void {
  if ([...foldUsername(username)].length <= 255) return;
  throw fieldsProblem([{ field: 'username', detail: 'must have at most 255 characters, also in lower case' }]);
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

function alreadyExists(): ProblemError {
  return new ProblemError(409, 'a user with this username exists already');
}

function lastAdministrator(): ProblemError {
  const detail =
    'this user is the last SystemAdministrator who is enabled and has a password; give another Person that role first';
  return new ProblemError(409, detail);
}
