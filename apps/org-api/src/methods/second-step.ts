import type { SecondStep } from '@gatehouse/shared';
import type { User } from '../users/user.ts';
import type { CodeAppStore } from './code-app-store.ts';
import type { GuardedPasswords } from './guarded-passwords.ts';

export type FindSecondStep = ReturnType<typeof createFindSecondStep>;

interface Dependencies {
  codeApps: Pick<CodeAppStore, 'find'>;
  guardedPasswords: Pick<GuardedPasswords, 'guardAgain' | 'releaseUnused'>;
}

/**
 * Finds the second step of a user whose password was right; undefined where the password suffices. The rows of the methods
 * decide. Where the password is kept in the column that does not fit them, it is moved.
 */
export function createFindSecondStep({ codeApps, guardedPasswords }: Dependencies) {
  return async (user: User): Promise<SecondStep | undefined> => {
    const codeApp = await codeApps.find(user.id);
    if (codeApp === undefined) {
      if (user.secondStep) await guardedPasswords.releaseUnused(user);
      return undefined;
    }
    if (user.isUnguarded) await guardedPasswords.guardAgain(user);
    return { methodsVersion: user.methodsVersion, codeApp: true };
  };
}
