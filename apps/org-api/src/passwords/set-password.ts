import type { Clock, SlowHash } from '@gatehouse/service-kit';
import {
  fieldsProblem,
  type LocalRefusals,
  type MethodFault,
  type PasswordChange,
  type PasswordCheck,
  ProblemError,
} from '@gatehouse/shared';
import { getUser, noSuchUser } from '../users/get-user.ts';
import type { IsManagedElsewhere } from '../users/managed-elsewhere.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { NewPasswords } from './new-password.ts';
import type { VerifyPassword } from './verify-password.ts';

interface Dependencies {
  users: UserStore;
  slowHash: Pick<SlowHash, 'hash'>;
  newPasswords: NewPasswords;
  clock: Clock;
}

/** Makes the function that sets the password of any user: tokens and sessions of before are void. Throws 400 and 404. */
export function createSetPassword({ users, slowHash, newPasswords, clock }: Dependencies) {
  return async (username: string, { password }: PasswordChange, address?: string): Promise<User> => {
    const user = await getUser(users, username);
    checkHasPassword(user);
    await newPasswords.check(password, user);
    if (!(await users.replacePassword(user.id, { newHash: await slowHash.hash(password, address), now: clock() }))) {
      throw noSuchUser();
    }
    return user;
  };
}

export type SetPassword = ReturnType<typeof createSetPassword>;

/** The new password of a user, with the old one where there is one. */
export interface OwnPassword extends Pick<PasswordCheck, 'address' | 'knownBrowsers'> {
  password: string;
  oldPassword: string | undefined;
}

export type OwnPasswordOutcome =
  | { outcome: 'done'; user: User }
  /** The old password. */
  | { outcome: 'wrong' }
  | { outcome: 'refused'; fault: MethodFault }
  /** `retryAfter` in seconds. */
  | { outcome: 'limited'; retryAfter: number }
  /** It changed at the same moment. */
  | { outcome: 'changed' };

export type ReplaceOwnPassword = ReturnType<typeof createReplaceOwnPassword>;

/** Makes the function by which users set their own password. Throws an OverloadedError where it cannot be hashed now. */
export function createReplaceOwnPassword(deps: Dependencies & { verifyPassword: VerifyPassword }) {
  const { users, slowHash, newPasswords, verifyPassword, clock } = deps;
  return async (user: User, { password, oldPassword = '', ...caller }: OwnPassword): Promise<OwnPasswordOutcome> => {
    const fault = await newPasswords.findFault(password, user);
    if (fault !== undefined) return { outcome: 'refused', fault };
    let expectedHash = '';
    if (user.passwordHash !== undefined) {
      const verification = await verifyPassword({ username: user.username, password: oldPassword, ...caller });
      if (verification.outcome === 'limited') return verification;
      if (verification.outcome === 'wrong') return { outcome: 'wrong' };
      // If the password changed meanwhile, the old password is no longer right.
      expectedHash = verification.user.passwordHash as string;
    }
    const newHash = await slowHash.hash(password, caller.address);
    // A first password is a method that is added: it ends nothing.
    const replacement = { newHash, expectedHash, now: clock(), voids: user.passwordHash !== undefined };
    if (!(await users.replacePassword(user.id, replacement))) return { outcome: 'changed' };
    return { outcome: 'done', user: (await users.findById(user.id)) ?? user };
  };
}

/**
 * Makes the function that sets the user's own password, which needs the old one. It gives false where the old one is wrong, and
 * throws 400 for the new one, 403 for a user who signs in by an upstream alone, and 429.
 */
export function createChangeOwnPassword({
  newPasswords,
  replaceOwnPassword,
  isManagedElsewhere,
}: Pick<Dependencies, 'newPasswords'> & {
  replaceOwnPassword: ReplaceOwnPassword;
  isManagedElsewhere: IsManagedElsewhere;
}) {
  return async (
    user: User,
    { password, oldPassword }: PasswordChange,
    { address, askLocalRefusals }: { address: string; askLocalRefusals: () => Promise<LocalRefusals> },
  ): Promise<boolean> => {
    checkHasPassword(user);
    if (user.identities !== undefined && (await isManagedElsewhere(user, await askLocalRefusals()))) {
      throw new ProblemError(403, 'you sign in at the server of your organization, so you set no password here');
    }
    if (oldPassword === undefined) {
      throw fieldsProblem([{ field: 'oldPassword', detail: 'is required to change your own password' }]);
    }
    await newPasswords.check(password, user);
    // A user who has none proves more than a token does, at auth-server.
    if (user.passwordHash === undefined) return false;
    const result = await replaceOwnPassword(user, { password, oldPassword, address });
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter);
    return result.outcome === 'done';
  };
}

export type ChangeOwnPassword = ReturnType<typeof createChangeOwnPassword>;

function checkHasPassword({ userType }: User): void {
  if (userType === 'Robot')
    throw new ProblemError(400, 'a Robot never signs in with a password, so it has none to set');
}

function tooManyAttempts(retryAfter: number): ProblemError {
  return new ProblemError(429, 'too many wrong passwords from this address; try again later', { retryAfter });
}
