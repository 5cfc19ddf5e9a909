import type { Clock, SlowHash } from '@gatehouse/service-kit';
import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import type { MethodChange, RemovedMethod } from '@gatehouse/shared';
import { describeIdentity, describeOwnDeed } from '../events/audit.ts';
import { nameIdentity } from '../identities/identity.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { NoticeKind } from '../mails/mail.ts';
import type { Outbox } from '../mails/outbox.ts';
import { findProvenUser } from '../users/proven-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { AddMethod, MethodsChanged } from './add-method.ts';
import type { GuardedPasswords } from './guarded-passwords.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { RecoveryCodeStore } from './recovery-code-store.ts';
import { digestCodes, makeRecoveryCodes } from './recovery-codes.ts';
import type { RemovalEffect, RemovalOutcome, RemoveMethod } from './remove-method.ts';

export type ChangeOwnMethods = ReturnType<typeof createChangeOwnMethods>;

interface Dependencies {
  users: Pick<UserStore, 'findById'>;
  addMethod: AddMethod;
  removeMethod: RemoveMethod;
  passkeys: Pick<PasskeyStore, 'findName' | 'rename'>;
  identities: Pick<IdentityStore, 'listOfUser'>;
  recoveryCodes: RecoveryCodeStore;
  guardedPasswords: Pick<GuardedPasswords, 'guard'>;
  slowHash: Pick<SlowHash, 'digest'>;
  audit: Pick<AuditTrail, 'write'>;
  notify: Outbox['notify'];
  clock: Clock;
}

/** The event of a change, and the notice about it. */
type Entry = Pick<AuditEntry, 'type' | 'details'> & { notice?: NoticeKind; data?: Record<string, string> };

/**
 * Changes methods for their user, who has just signed in: adds, removes or renames one, or makes new recovery codes. Undefined where
 * the change is of none of these. Throws an OverloadedError where recovery codes cannot be hashed now.
 */
export function createChangeOwnMethods(deps: Dependencies) {
  const { users, addMethod, removeMethod, passkeys, identities, recoveryCodes, guardedPasswords } = deps;
  const { slowHash, audit, notify, clock } = deps;
  const finish = async (
    user: User,
    change: MethodChange,
    { notice, data, ...entry }: Entry,
    codes: string[] = [],
  ): Promise<MethodsChanged> => {
    await audit.write({ ...entry, ...describeOwnDeed(user, change) });
    if (notice !== undefined) await notify(user, notice, change, data);
    const after = (await users.findById(user.id)) ?? user;
    return { outcome: 'done', user: after, recoveryCodes: codes };
  };

  /** The values for mail and event of a removal; they are read while the method is there. */
  const describeRemoved = async (user: User, method: RemovedMethod): Promise<Pick<Entry, 'data' | 'details'>> => {
    if ('passkey' in method) return { data: { name: await passkeys.findName(user.id, method.passkey) } };
    if (!('identity' in method)) return { data: { name: '' } };
    const identity = (await identities.listOfUser(user.id)).find(({ id }) => id === method.identity);
    return identity === undefined ? {} : { data: nameIdentity(identity), details: describeIdentity(identity) };
  };
  const remove = async (user: User, change: MethodChange, method: RemovedMethod): Promise<MethodsChanged> => {
    const { needsSecondStep = false, enabledIssuers } = change;
    // The sessions of the user end one by one at auth-server, but for the one that asks.
    const effect = { voidsSessions: false, needsSecondStep, enabledIssuers };
    const about = await describeRemoved(user, method);
    const { removal, entry } = chooseRemoval(removeMethod, user, { method, effect });
    const outcome = await removal;
    if (outcome === 'done') return finish(user, change, { ...entry, ...about });
    return outcome === 'last_way_in' ? { outcome: 'refused', fault: outcome } : { outcome: 'changed' };
  };
  const rename = async (
    user: User,
    change: MethodChange,
    { passkey, name }: NonNullable<MethodChange['rename']>,
  ): Promise<MethodsChanged> =>
    (await passkeys.rename(user.id, passkey, name))
      ? finish(user, change, { type: 'passkey.renamed', details: { passkey } })
      : { outcome: 'changed' };
  const makeCodes = async (user: User, change: MethodChange): Promise<MethodsChanged> => {
    if (!user.secondStep) return { outcome: 'refused', fault: 'no_second_step' };
    const codes = makeRecoveryCodes();
    const set = await digestCodes(slowHash, codes, change.address);
    if (!(await guardedPasswords.guard(user))) return { outcome: 'changed' };
    await recoveryCodes.replace(user.id, set, clock());
    return finish(user, change, { type: 'recovery_codes.made', notice: 'recovery_codes_made' }, codes);
  };

  return async (change: MethodChange): Promise<MethodsChanged | undefined> => {
    const { add, remove: removed, rename: renamed, recoveryCodes: made } = change;
    if (add !== undefined) return addMethod({ ...change, add });
    const user = await findProvenUser(users, change);
    if (user === undefined) return { outcome: 'changed' };
    if (removed !== undefined) return remove(user, change, removed);
    if (renamed !== undefined) return rename(user, change, renamed);
    return made === undefined ? undefined : makeCodes(user, change);
  };
}

function chooseRemoval(
  removeMethod: RemoveMethod,
  user: User,
  { method, effect }: { method: RemovedMethod; effect: RemovalEffect },
): { removal: Promise<RemovalOutcome>; entry: Entry } {
  if ('passkey' in method) {
    const { passkey: id } = method;
    const entry: Entry = { type: 'passkey.removed', details: { passkey: id }, notice: 'passkey_removed' };
    return { removal: removeMethod.passkey(user, id, effect), entry };
  }
  if ('identity' in method) {
    const removal = removeMethod.identity(user, method.identity, effect);
    return { removal, entry: { type: 'identity.unlinked', notice: 'identity_removed' } };
  }
  if ('codeApp' in method)
    return {
      removal: removeMethod.codeApp(user, effect),
      entry: { type: 'code_app.removed', notice: 'code_app_removed' },
    };
  return { removal: removeMethod.password(user, effect), entry: { type: 'password.removed' } };
}
