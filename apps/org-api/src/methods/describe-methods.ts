import type { ListedPasskey, MethodTimes, UserMethods } from '@gatehouse/shared';
import type { User } from '../users/user.ts';
import { isLost } from './code-app.ts';
import type { CodeAppStore } from './code-app-store.ts';
import type { Passkey } from './passkey.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { RecoveryCodeStore } from './recovery-code-store.ts';

export type DescribeMethods = ReturnType<typeof createDescribeMethods>;

interface Dependencies {
  codeApps: Pick<CodeAppStore, 'find'>;
  passkeys: Pick<PasskeyStore, 'listOfUser'>;
  recoveryCodes: Pick<RecoveryCodeStore, 'find'>;
}

/** Describes the methods of a user, to administrators and to the user. */
export function createDescribeMethods({ codeApps, passkeys, recoveryCodes }: Dependencies) {
  return async (user: User): Promise<UserMethods> => {
    const [codeApp, ofUser, codes] = await Promise.all([
      codeApps.find(user.id),
      passkeys.listOfUser(user.id),
      recoveryCodes.find(user.id),
    ]);
    return {
      password: user.passwordHash === undefined ? null : { changedAt: toIso(user.passwordChangedAt) },
      passkeys: ofUser.map(describePasskey),
      codeApp: codeApp === undefined || isLost(codeApp) ? null : describeTimes(codeApp),
      recoveryCodes: codes === undefined ? null : { left: codes.left, createdAt: toIso(codes.createdAt) },
      secondStep: codeApp !== undefined || ofUser.length > 0,
    };
  };
}

function describePasskey(passkey: Passkey): ListedPasskey {
  const { id, name, backupEligible = false, backedUp, userVerified, transports, aaguid } = passkey;
  return { id, name, ...describeTimes(passkey), backupEligible, backedUp, userVerified, transports, aaguid };
}

function describeTimes({ createdAt, lastUsedAt }: { createdAt: number; lastUsedAt: number | undefined }): MethodTimes {
  return { createdAt: toIso(createdAt), lastUsedAt: lastUsedAt === undefined ? null : toIso(lastUsedAt) };
}

function toIso(instant: number): string {
  return new Date(instant).toISOString();
}
