import type { MethodQueryResult } from '@gatehouse/shared';
import { findUserHandle } from './add-method.ts';
import type { CodeAppStore } from './code-app-store.ts';
import { mostPasskeys } from './passkey.ts';
import type { PasskeyStore } from './passkey-store.ts';

export type ListMethods = ReturnType<typeof createListMethods>;

interface Dependencies {
  codeApps: Pick<CodeAppStore, 'find'>;
  passkeys: Pick<PasskeyStore, 'listOfUser'>;
}

/** Lists the methods of a user, for the pages that ask for one or make one. */
export function createListMethods({ codeApps, passkeys }: Dependencies) {
  return async (userId: string): Promise<MethodQueryResult> => {
    const [codeApp, ofUser] = await Promise.all([codeApps.find(userId), passkeys.listOfUser(userId)]);
    return {
      codeApp: codeApp !== undefined,
      passkeys: ofUser.map(({ credentialId, transports }) => ({ id: credentialId.toString('base64url'), transports })),
      userHandle: findUserHandle(userId, ofUser).toString('base64url'),
      mayAddPasskey: ofUser.length < mostPasskeys,
    };
  };
}
