import type { MethodQuery, MethodQueryResult } from '@gatehouse/shared';
import type { UserStore } from '../users/user-store.ts';
import { findUserHandle } from './add-method.ts';
import { isLost } from './code-app.ts';
import type { CodeAppStore } from './code-app-store.ts';
import type { NeedsLink } from './needs-link.ts';
import { mostPasskeys } from './passkey.ts';
import type { PasskeyStore } from './passkey-store.ts';

export type ListMethods = ReturnType<typeof createListMethods>;

interface Dependencies {
  users: Pick<UserStore, 'findById'>;
  needsLink: NeedsLink;
  codeApps: Pick<CodeAppStore, 'find'>;
  passkeys: Pick<PasskeyStore, 'listOfUser'>;
}

/** Lists the methods of a user, for the pages that ask for one or make one. */
export function createListMethods({ users, codeApps, passkeys, needsLink }: Dependencies) {
  return async ({ userId, caller }: MethodQuery): Promise<MethodQueryResult> => {
    const [codeApp, ofUser] = await Promise.all([codeApps.find(userId), passkeys.listOfUser(userId)]);
    const isFirst = codeApp === undefined && ofUser.length === 0;
    const user = isFirst && caller !== undefined ? await users.findById(userId) : undefined;
    return {
      codeApp: codeApp !== undefined && !isLost(codeApp),
      passkeys: ofUser.map(({ credentialId, transports }) => ({ id: credentialId.toString('base64url'), transports })),
      userHandle: findUserHandle(userId, ofUser).toString('base64url'),
      mayAddPasskey: ofUser.length < mostPasskeys,
      needsLink: user !== undefined && caller !== undefined && (await needsLink(user, caller)),
    };
  };
}
