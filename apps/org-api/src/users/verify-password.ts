import type { GuessLimit, SlowHash } from '@gatehouse/service-kit';
import { foldUsername, type PasswordCheck } from '@gatehouse/shared';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

export type PasswordVerification =
  | { outcome: 'verified'; user: User }
  /** `userId` where there is such a user: for the audit trail, never for who asks. */
  | { outcome: 'wrong'; userId?: string | undefined }
  /** `retryAfter` in seconds. */
  | { outcome: 'limited'; retryAfter: number };

export type VerifyPassword = (check: PasswordCheck) => Promise<PasswordVerification>;

/**
 * Compares a password. Takes the same time, counts the same and says the same whether the user exists, is a Robot or
 * has another password; a disabled user with the right password is `verified`, and the caller decides.
 */
export function createVerifyPassword(deps: {
  users: UserStore;
  slowHash: SlowHash;
  guessLimit: GuessLimit;
}): VerifyPassword {
  const { users, slowHash, guessLimit } = deps;
  return async ({ username, password, address }) => {
    const attempt = { subject: foldUsername(username), address };
    // Asked together: under load the wait for one more answer costs more than a user who is not looked at.
    const [retryAfter, user] = await Promise.all([guessLimit.findRetryAfter(attempt), users.findByUsername(username)]);
    if (retryAfter !== undefined) return { outcome: 'limited', retryAfter };

    if ((await slowHash.verify(user?.passwordHash, password)) && user !== undefined) {
      // Counts, and takes the time, as a wrong one does: most callers answer it as one.
      if (!user.enabled) await guessLimit.recordFailure(attempt);
      return { outcome: 'verified', user };
    }

    const wait = await guessLimit.recordFailure(attempt);
    return wait === undefined ? { outcome: 'wrong', userId: user?.id } : { outcome: 'limited', retryAfter: wait };
  };
}
