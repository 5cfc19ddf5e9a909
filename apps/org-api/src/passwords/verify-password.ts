import type { SlowHash } from '@gatehouse/service-kit';
import type { CheckGuess } from '@gatehouse/service-kit/guess-limit';
import { foldUsername, type PasswordCheck, requiresMfa, type SecondStep } from '@gatehouse/shared';
import type { Tell } from '../events/event.ts';
import type { FindSecondStep } from '../methods/second-step.ts';
import { findBrowserOf } from '../users/known-browser.ts';
import type { IsManagedElsewhere } from '../users/managed-elsewhere.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { FindDecoy } from './decoys.ts';

export type PasswordVerification =
  /** `secondStep`: what must follow before the user is signed in. */
  | { outcome: 'verified'; user: User; secondStep?: SecondStep }
  /** `userId` is present where the user exists. It is for the audit trail, never for the caller. */
  | { outcome: 'wrong'; userId?: string | undefined }
  /** `retryAfter` in seconds. */
  | { outcome: 'limited'; retryAfter: number };

export type VerifyPassword = (check: PasswordCheck) => Promise<PasswordVerification>;

/**
 * Compares a password. Time, counts and answer are the same whether the user does not exist, is a Robot, signs in elsewhere alone or has
 * another password. A disabled user with the right password is `verified`, and the caller decides. Throws an
 * OverloadedError where the password cannot be checked now.
 */
export function createVerifyPassword(deps: {
  users: UserStore;
  slowHash: Pick<SlowHash, 'verify' | 'hash'>;
  findDecoy: FindDecoy;
  findSecondStep: FindSecondStep;
  isManagedElsewhere: IsManagedElsewhere;
  checkGuess: CheckGuess;
  tell: Tell;
}): VerifyPassword {
  const { users, slowHash, findDecoy, findSecondStep, isManagedElsewhere, checkGuess, tell } = deps;
  const verify: VerifyPassword = async (check) => {
    const { username, password, address, knownBrowsers = [], secondStepFor = [], localRefusals = [] } = check;
    const user = await users.findByUsername(username);
    const guess = {
      subject: foldUsername(username),
      address,
      browser: findBrowserOf(user, knownBrowsers),
      // After a change of the password the same text is another guess, so it must not share an answer from before the change.
      // So is one where the password signs nobody in: a user may be asking for the old password elsewhere at this moment.
      secret: `${user?.passwordHash ?? ''}\0${JSON.stringify(localRefusals)}\0${password}`,
    };
    const checked = await checkGuess(guess, async (turn) => {
      // The look at identities takes place while the password is hashed, so that it takes no time of its own.
      const [matches, isManaged] = await Promise.all([
        slowHash.verify(user?.passwordHash ?? (await findDecoy(username)), password, turn),
        user !== undefined && isManagedElsewhere(user, localRefusals),
      ]);
      if (!matches || user === undefined || isManaged) return 'wrong';
      if (!user.enabled) return 'disabled';
      const isUnfinished = requiresMfa(secondStepFor, user) || (await findSecondStep(user)) !== undefined;
      return isUnfinished ? 'unfinished' : 'right';
    });
    if (checked.outcome === 'limited') return checked;
    if (checked.outcome === 'wrong') return { outcome: 'wrong', userId: user?.id };
    if (user === undefined) throw new Error('a password matched without a user');
    const secondStep = checked.outcome === 'unfinished' ? await findSecondStep(user) : undefined;
    return { outcome: 'verified', user: await rehash(user, password, address), ...(secondStep && { secondStep }) };
  };
  /** Puts a hash of ours in the place of an imported one. If that fails, the next right password does it. */
  const rehash = async (user: User, password: string, address: string): Promise<User> => {
    if (!user.isPasswordImported) return user;
    try {
      const passwordHash = await slowHash.hash(password, address);
      const isReplaced = await users.replaceImportedHash(user, passwordHash);
      return isReplaced ? { ...user, passwordHash, isPasswordImported: false } : user;
    } catch {
      return user;
    }
  };
  return async (check) => {
    try {
      const result = await verify(check);
      const isDisabled = result.outcome === 'verified' && !result.user.enabled;
      tell({ type: 'password.checked', outcome: isDisabled ? 'disabled' : result.outcome });
      return result;
    } catch (error) {
      tell({ type: 'password.checked', outcome: 'failed' });
      throw error;
    }
  };
}
