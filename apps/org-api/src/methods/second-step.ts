import type { SecondStep } from '@gatehouse/shared';
import type { User } from '../users/user.ts';
import type { CodeAppStore } from './code-app-store.ts';
import type { GuardedPasswords } from './guarded-passwords.ts';
import type { PasskeyStore } from './passkey-store.ts';

export type FindSecondStep = ReturnType<typeof createFindSecondStep>;

interface Dependencies {
  codeApps: Pick<CodeAppStore, 'find'>;
  passkeys: Pick<PasskeyStore, 'listOfUser'>;
  guardedPasswords: Pick<GuardedPasswords, 'guardAgain' | 'releaseUnused'>;
}

/**
 * Finds the second step of a user whose password was right; undefined where the password suffices. The rows of the methods
 * decide. Where the password is kept in the column that does not fit them, it is moved.
 */
export function createFindSecondStep({ codeApps, passkeys, guardedPasswords }: Dependencies) {
  return async (user: User): Promise<SecondStep | undefined> => {
    const [codeApp, ofUser] = await Promise.all([codeApps.find(user.id), passkeys.listOfUser(user.id)]);
    if (codeApp === undefined && ofUser.length === 0) {
      if (user.secondStep) await guardedPasswords.releaseUnused(user);
      return undefined;
    }
    if (user.isUnguarded) await guardedPasswords.guardAgain(user);
    return { methodsVersion: user.methodsVersion };
  };
}
