import type { Clock } from '@gatehouse/service-kit';
import { ProblemError } from '@gatehouse/shared';
import { getUser } from '../users/get-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { CodeAppStore } from './code-app-store.ts';
import type { GuardedPasswords } from './guarded-passwords.ts';
import type { Passkey } from './passkey.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { RecoveryCodeStore } from './recovery-code-store.ts';

export type MethodAdministration = ReturnType<typeof createMethodAdministration>;

interface Dependencies {
  users: Pick<UserStore, 'findByUsername'>;
  codeApps: Pick<CodeAppStore, 'find' | 'delete'>;
  passkeys: Pick<PasskeyStore, 'listOfUser' | 'delete'>;
  recoveryCodes: Pick<RecoveryCodeStore, 'find' | 'deleteAll'>;
  guardedPasswords: Pick<GuardedPasswords, 'release'>;
  clock: Clock;
}

/** The methods of users, for administrators. Each throws 400 for a Robot and 404. */
export function createMethodAdministration(deps: Dependencies) {
  const { users, codeApps, passkeys, recoveryCodes, guardedPasswords, clock } = deps;
  const getPerson = async (username: string): Promise<User> => {
    const user = await getUser(users, username);
    if (user.userType === 'Robot') throw new ProblemError(400, 'a Robot never signs in');
    return user;
  };
  const release = async (user: User, isLast: boolean) => {
    if (await guardedPasswords.release(user, { isLast, now: clock() })) return;
    throw new ProblemError(409, 'the methods of this user changed at the same moment; try again');
  };
  const removeSecondStep = async (user: User, isLast: boolean, remove: () => Promise<void>): Promise<User> => {
    await release(user, isLast);
    await remove();
    if (isLast) await recoveryCodes.deleteAll(user.id);
    return user;
  };
  return {
    async list(username: string) {
      const user = await getPerson(username);
      const [codeApp, ofUser, codes] = await Promise.all([
        codeApps.find(user.id),
        passkeys.listOfUser(user.id),
        recoveryCodes.find(user.id),
      ]);
      return {
        password: user.passwordHash === undefined ? null : { changedAt: toIso(user.passwordChangedAt) },
        passkeys: ofUser.map(describePasskey),
        codeApp: codeApp === undefined ? null : describeTimes(codeApp),
        recoveryCodes: codes === undefined ? null : { left: codes.left, createdAt: toIso(codes.createdAt) },
        secondStep: codeApp !== undefined || ofUser.length > 0,
      };
    },
    /** Ends the tokens and sessions of the user. The recovery codes go with the last second step. Gives the user. */
    async removeCodeApp(username: string): Promise<User> {
      const user = await getPerson(username);
      if ((await codeApps.find(user.id)) === undefined) throw new ProblemError(404, 'this user has no code app');
      const isLast = (await passkeys.listOfUser(user.id)).length === 0;
      return removeSecondStep(user, isLast, () => codeApps.delete(user.id));
    },
    /** The same for a passkey. */
    async removePasskey(username: string, id: string): Promise<User> {
      const user = await getPerson(username);
      const ofUser = await passkeys.listOfUser(user.id);
      const passkey = ofUser.find((one) => one.id === id);
      if (passkey === undefined) throw new ProblemError(404, 'this user has no such passkey');
      const isLast = ofUser.length === 1 && (await codeApps.find(user.id)) === undefined;
      return removeSecondStep(user, isLast, () => passkeys.delete(passkey, clock()));
    },
    async removeRecoveryCodes(username: string): Promise<User> {
      const user = await getPerson(username);
      if ((await recoveryCodes.find(user.id)) === undefined) {
        throw new ProblemError(404, 'this user has no recovery codes');
      }
      await release(user, false);
      await recoveryCodes.deleteAll(user.id);
      return user;
    },
  };
}

function describePasskey({ id, name, backupEligible, backedUp, userVerified, transports, aaguid, ...times }: Passkey) {
  return { id, name, ...describeTimes(times), backupEligible, backedUp, userVerified, transports, aaguid };
}

function describeTimes({ createdAt, lastUsedAt }: { createdAt: number; lastUsedAt: number | undefined }) {
  return { createdAt: toIso(createdAt), lastUsedAt: lastUsedAt === undefined ? null : toIso(lastUsedAt) };
}

function toIso(instant: number): string {
  return new Date(instant).toISOString();
}
