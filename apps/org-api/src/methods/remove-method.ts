import type { Clock } from '@gatehouse/service-kit';
import type { Identity } from '../identities/identity.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { CodeApp } from './code-app.ts';
import type { CodeAppStore } from './code-app-store.ts';
import { type ClaimedMethods, type GuardedPasswords, whileClaimed } from './guarded-passwords.ts';
import type { Passkey } from './passkey.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { RecoveryCodeStore } from './recovery-code-store.ts';

/** `last_way_in`: without this method the user could sign in no more. `changed`: the methods changed at the same moment. */
export type RemovalOutcome = 'done' | 'unknown' | 'last_way_in' | 'changed';

/** Whether the sessions and tokens of the user are void. */
export interface RemovalEffect {
  voidsSessions: boolean;
  /** Whether the user may be left without a way to sign in, who sets a password by mail then. */
  mayBeLast?: boolean;
  /** Whether a second step must be left; where none would be, the methods count as changed. */
  needsSecondStep?: boolean;
  /** Of upstreams that are enabled: identities of others are no way to sign in, and none is where this is left out. */
  enabledIssuers?: readonly string[] | undefined;
}

export type RemoveMethod = ReturnType<typeof createRemoveMethod>;

/** The methods of a user. */
interface OwnMethods {
  hasPassword: boolean;
  passkeys: Passkey[];
  codeApp: CodeApp | undefined;
  identities: Identity[];
}

interface Removal {
  /** Says why the method stays; undefined where it may go. */
  findRefusal(own: OwnMethods): 'unknown' | 'last_way_in' | undefined;
  /** False where the methods changed meanwhile. */
  remove(claimed: ClaimedMethods, own: OwnMethods): Promise<boolean>;
  /** Whether a second step is left. */
  keepsSecondStep(own: OwnMethods): boolean;
}

interface Dependencies {
  users: Pick<UserStore, 'findById' | 'touch'>;
  identities: Pick<IdentityStore, 'listOfUser' | 'unlink'>;
  codeApps: Pick<CodeAppStore, 'find' | 'deleteWhile'>;
  passkeys: Pick<PasskeyStore, 'listOfUser' | 'deleteWhile'>;
  recoveryCodes: Pick<RecoveryCodeStore, 'find' | 'deleteAll'>;
  guardedPasswords: Pick<GuardedPasswords, 'claim' | 'release' | 'reset' | 'removePassword'>;
  clock: Clock;
}

/**
 * Removes methods and identities of a user. A way to sign in is left: a password, a passkey that signs in alone, or an identity. The
 * recovery codes go with the last second step. Of several removals at the same moment one passes.
 */
export function createRemoveMethod({
  users,
  identities,
  codeApps,
  passkeys,
  recoveryCodes,
  guardedPasswords,
  clock,
}: Dependencies) {
  const list = async ({ id }: User): Promise<OwnMethods> => {
    const [user, ofUser, codeApp] = await Promise.all([users.findById(id), passkeys.listOfUser(id), codeApps.find(id)]);
    const linked = user?.identities === undefined ? [] : await identities.listOfUser(id);
    return { hasPassword: user?.passwordHash !== undefined, passkeys: ofUser, codeApp, identities: linked };
  };
  const run = async (
    user: User,
    { voidsSessions, needsSecondStep = false }: RemovalEffect,
    { findRefusal, remove, keepsSecondStep }: Removal,
  ): Promise<RemovalOutcome> => {
    const refuse = (own: OwnMethods) =>
      findRefusal(own) ?? (needsSecondStep && !keepsSecondStep(own) ? 'changed' : undefined);
    const refusal = refuse(await list(user));
    if (refusal !== undefined) return refusal;
    const claimed = await guardedPasswords.claim(user, voidsSessions ? clock() : undefined);
    if (claimed === undefined) return 'changed';
    // A change that passed before may have been on its way when the methods were listed. It can do nothing more now.
    const own = await list(user);
    if (refuse(own) !== undefined || !(await remove(claimed, own))) return 'changed';
    if (keepsSecondStep(own)) return 'done';
    await recoveryCodes.deleteAll(user.id);
    await guardedPasswords.release(claimed);
    return 'done';
  };
  return {
    passkey(user: User, id: string, effect: RemovalEffect): Promise<RemovalOutcome> {
      const split = (own: OwnMethods) => ({
        passkey: own.passkeys.find((one) => one.id === id),
        others: own.passkeys.filter((one) => one.id !== id),
      });
      return run(user, effect, {
        findRefusal(own) {
          const { passkey, others } = split(own);
          if (passkey === undefined) return 'unknown';
          const isWay = isWayIn(own.hasPassword, others) || isIdentityEnough(user, own, effect);
          return effect.mayBeLast === true || isWay ? undefined : 'last_way_in';
        },
        async remove(claimed, own) {
          const { passkey } = split(own);
          return passkey !== undefined && passkeys.deleteWhile(claimed, passkey, clock());
        },
        keepsSecondStep: (own) => own.codeApp !== undefined || split(own).others.length > 0,
      });
    },
    codeApp: (user: User, effect: RemovalEffect): Promise<RemovalOutcome> =>
      run(user, effect, {
        findRefusal: ({ codeApp }) => (codeApp === undefined ? 'unknown' : undefined),
        remove: (claimed) => codeApps.deleteWhile(claimed),
        keepsSecondStep: (own) => own.passkeys.length > 0,
      }),
    async recoveryCodes(user: User, { voidsSessions }: RemovalEffect): Promise<RemovalOutcome> {
      if ((await recoveryCodes.find(user.id)) === undefined) return 'unknown';
      const claimed = await guardedPasswords.claim(user, voidsSessions ? clock() : undefined);
      if (claimed === undefined) return 'changed';
      await recoveryCodes.deleteAll(user.id);
      return 'done';
    },
    /** All passkeys, the code app and the recovery codes, and the password where `password` says so. Sessions and tokens are void. */
    async all(user: User, { password }: { password: boolean }): Promise<'done' | 'changed'> {
      const claimed = await guardedPasswords.claim(user, clock());
      if (claimed === undefined) return 'changed';
      const own = await list(user);
      for (const passkey of own.passkeys) await passkeys.deleteWhile(claimed, passkey, clock());
      if (own.codeApp !== undefined) await codeApps.deleteWhile(claimed);
      await recoveryCodes.deleteAll(user.id);
      // Where another change passed meanwhile, what followed it did nothing.
      return (await guardedPasswords.reset(claimed, { password })) ? 'done' : 'changed';
    },
    password: (user: User, effect: RemovalEffect): Promise<RemovalOutcome> =>
      run(user, effect, {
        findRefusal(own) {
          if (!own.hasPassword) return 'unknown';
          return isWayIn(false, own.passkeys) || isIdentityEnough(user, own, effect) ? undefined : 'last_way_in';
        },
        remove: (claimed, own) => guardedPasswords.removePassword(claimed, hasSecondStep(own)),
        keepsSecondStep: () => true,
      }),
    /** Leaves a tombstone, and makes a new version of the user, which ends the sessions that began there. */
    async identity(user: User, id: string, effect: RemovalEffect): Promise<RemovalOutcome> {
      const outcome = await run(user, effect, {
        findRefusal(own) {
          if (!own.identities.some((one) => one.id === id)) return 'unknown';
          const others = own.identities.filter((one) => one.id !== id);
          const isWay = isWayIn(own.hasPassword, own.passkeys) || others.some((one) => isEnabled(one, effect));
          return isWay ? undefined : 'last_way_in';
        },
        remove: (claimed) => identities.unlink(user.id, { id, now: clock() }, whileClaimed(claimed)),
        keepsSecondStep: () => true,
      });
      if (outcome === 'done') await users.touch([user.id], clock());
      return outcome;
    },
  };
}

/** Whether a user signs in by the password, or by one of these passkeys alone. */
function isWayIn(hasPassword: boolean, passkeys: readonly Passkey[]): boolean {
  return hasPassword || passkeys.some(({ userVerified }) => userVerified);
}

function hasSecondStep({ passkeys, codeApp }: OwnMethods): boolean {
  return passkeys.length > 0 || codeApp !== undefined;
}

function isEnabled({ issuer }: Identity, { enabledIssuers = [] }: RemovalEffect): boolean {
  return enabledIssuers.includes(issuer);
}

/**
 * Whether an identity is way enough without a password and a passkey. For a SystemAdministrator it is not: an upstream that is down must
 * not shut out the last one who can help, and an installation without one of its own is taken for a new one.
 */
function isIdentityEnough({ roles }: User, { identities }: OwnMethods, effect: RemovalEffect): boolean {
  return !roles.includes('SystemAdministrator') && identities.some((one) => isEnabled(one, effect));
}
