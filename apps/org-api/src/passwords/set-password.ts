import type { Clock, SlowHash } from '@gatehouse/service-kit';
import { fieldsProblem, type PasswordChange, ProblemError } from '@gatehouse/shared';
import { getUser, noSuchUser } from '../users/get-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { checkNotCommonPassword } from './common-password.ts';
import type { VerifyPassword } from './verify-password.ts';

interface Dependencies {
  users: UserStore;
  slowHash: Pick<SlowHash, 'hash'>;
  clock: Clock;
}

/** Makes the function that sets the password of any user: tokens and sessions of before are void. Throws 400 and 404. */
export function createSetPassword({ users, slowHash, clock }: Dependencies) {
  return async (username: string, { password }: PasswordChange, address?: string): Promise<User> => {
    const user = await getUser(users, username);
    checkHasPassword(user);
    checkNotCommonPassword(password);
    if (!(await users.replacePassword(user.id, { newHash: await slowHash.hash(password, address), now: clock() }))) {
      throw noSuchUser();
    }
    return user;
  };
}

export type SetPassword = ReturnType<typeof createSetPassword>;

/**
 * Makes the function that sets the user's own password, which needs the old one. It gives false where the old one is wrong, and
 * throws 400 for the new one, and 429.
 */
export function createChangeOwnPassword(deps: Dependencies & { verifyPassword: VerifyPassword }) {
  const { users, slowHash, verifyPassword, clock } = deps;
  return async (user: User, { password, oldPassword }: PasswordChange, address: string): Promise<boolean> => {
    checkHasPassword(user);
    if (oldPassword === undefined) {
      throw fieldsProblem([{ field: 'oldPassword', detail: 'is required to change your own password' }]);
    }
    checkNotCommonPassword(password);
    const verification = await verifyPassword({ username: user.username, password: oldPassword, address });
    if (verification.outcome === 'limited') throw tooManyAttempts(verification.retryAfter);
    if (verification.outcome === 'wrong') return false;
    const newHash = await slowHash.hash(password, address);
    // If the password changed meanwhile, the old password is no longer right.
    const expectedHash = verification.user.passwordHash as string;
    return users.replacePassword(user.id, { newHash, expectedHash, now: clock() });
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
