import { type Clock, createId, type SlowHash } from '@gatehouse/service-kit';
import {
  fieldsProblem,
  foldUsername,
  type NewUser,
  type PasswordChange,
  ProblemError,
  roles as rolesInOrder,
  type UserChanges,
} from '@gatehouse/shared';
import { checkNotCommonPassword } from './common-password.ts';
import { changePersonalData } from './personal-data.ts';
import type { User } from './user.ts';
import { LastAdministratorError, type UserStore } from './user-store.ts';
import type { VerifyPassword } from './verify-password.ts';

export interface UserAdministration {
  /** `address` is the caller's: new passwords are hashed in the turns of their networks. */
  create(newUser: NewUser, address: string): Promise<User>;
  change(username: string, changes: UserChanges): Promise<User>;
  /** Sets the password of any user, for an administrator. */
  setPassword(username: string, change: PasswordChange, address: string): Promise<User>;
  /** Sets the user's own password. Needs the old one. */
  changeOwnPassword(user: User, change: PasswordChange, address: string): Promise<void>;
  /** Gives the deleted user. */
  delete(username: string): Promise<User>;
}

interface Dependencies {
  users: UserStore;
  slowHash: SlowHash;
  verifyPassword: VerifyPassword;
  clock: Clock;
}

export function createUserAdministration(deps: Dependencies): UserAdministration {
  const { users, slowHash, verifyPassword, clock } = deps;
  const getUser = (username: string) => getUserOf(users, username);

  return {
    async create(newUser, address) {
      checkUsernameFits(newUser);
      checkPasswordFitsType(newUser);
      if (newUser.password !== undefined) checkNotCommonPassword(newUser.password);
      checkTimezone(newUser.timezone);
      checkPhoneToVerify(newUser, undefined);
      const passwordHash = newUser.password === undefined ? undefined : await slowHash.hash(newUser.password, address);
      const user = buildUser(newUser, passwordHash, clock());
      if (!(await users.insert(user))) throw new ProblemError(409, 'a user with this username exists already');
      return user;
    },

    async change(username, changes) {
      checkTimezone(changes.timezone);
      const { id, phoneNumber } = await getUser(username);
      checkPhoneToVerify(changes, phoneNumber);
      if (!(await users.update(id, changes, clock()).catch(refuseLast))) throw noSuchUser();
      return getUser(username);
    },

    setPassword: createSetPassword(deps),

    async changeOwnPassword(user, { password, oldPassword }, address) {
      checkHasPassword(user);
      if (oldPassword === undefined) {
        throw fieldsProblem([{ field: 'oldPassword', detail: 'is required to change your own password' }]);
      }
      checkNotCommonPassword(password);
      const verification = await verifyPassword({ username: user.username, password: oldPassword, address });
      if (verification.outcome === 'limited') throw tooManyAttempts(verification.retryAfter);
      if (verification.outcome === 'wrong') throw wrongOldPassword();
      const newHash = await slowHash.hash(password, address);
      // If the password changed meanwhile, the old password is no longer right.
      const expectedHash = verification.user.passwordHash as string;
      if (!(await users.replacePassword(user.id, { newHash, expectedHash, now: clock() }))) throw wrongOldPassword();
    },

    async delete(username) {
      const user = await getUser(username);
      if (!(await users.delete(user.id).catch(refuseLast))) throw noSuchUser();
      return user;
    },
  };
}

/** Makes the function that sets the password of any user: tokens and sessions of before are void. */
export function createSetPassword({ users, slowHash, clock }: Omit<Dependencies, 'verifyPassword'>) {
  return async (username: string, { password }: PasswordChange, address?: string): Promise<User> => {
    const user = await getUserOf(users, username);
    checkHasPassword(user);
    checkNotCommonPassword(password);
    if (!(await users.replacePassword(user.id, { newHash: await slowHash.hash(password, address), now: clock() }))) {
      throw noSuchUser();
    }
    return user;
  };
}

async function getUserOf(users: Pick<UserStore, 'findByUsername'>, username: string): Promise<User> {
  const user = await users.findByUsername(username);
  if (user === undefined) throw noSuchUser();
  return user;
}

/** Builds a new user, with defaults for absent fields. */
export function buildUser(newUser: NewUser, passwordHash: string | undefined, now: number): User {
  const email = newUser.email ?? newUser.username;
  const { verifiedEmail, ...personalData } = changePersonalData({}, email, newUser);
  return {
    id: createId(),
    username: newUser.username,
    userType: newUser.userType ?? 'Person',
    passwordHash,
    passwordChangedAt: now,
    firstName: newUser.firstName ?? '',
    lastName: newUser.lastName ?? '',
    email,
    emailVerified: verifiedEmail === email,
    enabled: newUser.enabled ?? true,
    roles: rolesInOrder.filter((role) => newUser.roles?.includes(role)),
    organization: newUser.organization ?? '',
    locale: newUser.locale ?? 'en',
    timezone: newUser.timezone ?? 'UTC',
    createdAt: now,
    updatedAt: now,
    ...personalData,
  };
}

/** Some letters become longer when they are folded (İ), and the folded form is stored for comparison. */
function checkUsernameFits({ username }: NewUser): void {
  if ([...foldUsername(username)].length <= 255) return;
  throw fieldsProblem([{ field: 'username', detail: 'must have at most 255 characters, also in lower case' }]);
}

function checkPasswordFitsType({ userType = 'Person', password }: NewUser): void {
  if (userType === 'Person' && password === undefined) {
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

function checkHasPassword({ userType }: User): void {
  if (userType === 'Robot')
    throw new ProblemError(400, 'a Robot never signs in with a password, so it has none to set');
}

function checkTimezone(timezone: string | undefined): void {
  if (timezone === undefined) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch {
    throw fieldsProblem([{ field: 'timezone', detail: 'must be an IANA time zone name' }]);
  }
}

function checkPhoneToVerify(
  { phoneNumber, phoneNumberVerified }: Pick<UserChanges, 'phoneNumber' | 'phoneNumberVerified'>,
  storedNumber: string | undefined,
): void {
  const hasNumber = phoneNumber === undefined ? storedNumber !== undefined : phoneNumber !== null;
  if (phoneNumberVerified !== true || hasNumber) return;
  throw fieldsProblem([
    { field: 'phoneNumberVerified', detail: 'must not be true where the user has no phoneNumber; send one with it' },
  ]);
}

function refuseLast(error: unknown): never {
  if (!(error instanceof LastAdministratorError)) throw error;
  const detail =
    'this user is the last SystemAdministrator who is enabled and has a password; give another Person that role first';
  throw new ProblemError(409, detail);
}

function noSuchUser(): ProblemError {
  return new ProblemError(404, 'no user has this username');
}

function wrongOldPassword(): ProblemError {
  return fieldsProblem([{ field: 'oldPassword', detail: 'must be the current password' }]);
}

function tooManyAttempts(retryAfter: number): ProblemError {
  return new ProblemError(429, 'too many wrong passwords from this address; try again later', { retryAfter });
}
