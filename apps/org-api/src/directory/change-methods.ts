import type { AuditTrail } from '@gatehouse/service-kit/audit';
import type { MethodChange } from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { ChangeOwnMethods } from '../methods/change-own-methods.ts';
import type { OwnPasswordOutcome, ReplaceOwnPassword } from '../passwords/set-password.ts';
import type { FindManagingIdentities } from '../users/managed-elsewhere.ts';
import { findProvenUser } from '../users/proven-user.ts';
import type { UserStore } from '../users/user-store.ts';

export type ChangeMethods = ReturnType<typeof createChangeMethods>;

interface Dependencies {
  users: Pick<UserStore, 'findById'>;
  findManagingIdentities: FindManagingIdentities;
  changeOwnMethods: ChangeOwnMethods;
  replaceOwnPassword: ReplaceOwnPassword;
  audit: Pick<AuditTrail, 'write' | 'note'>;
  mails: Pick<Outbox, 'notify'>;
}

/** Changes the methods of a user for the user, the password among them. Throws an OverloadedError where nothing can be hashed now. */
export function createChangeMethods(deps: Dependencies) {
  const { users, findManagingIdentities, changeOwnMethods, replaceOwnPassword, audit, mails } = deps;
  const record = async (change: MethodChange, result: OwnPasswordOutcome): Promise<void> => {
    const user = await users.findById(change.userId);
    if (user === undefined) return;
    const about = describeOwnDeed(user, change);
    if (result.outcome === 'done') {
      await audit.write({ ...about, type: 'user.password_changed' });
      await mails.notify(user, 'password_changed', change);
    }
    if (result.outcome === 'wrong') {
      audit.note({ ...about, type: 'user.password_change_refused', reason: 'wrong_credentials' });
    }
  };
  const changePassword = async (
    change: MethodChange,
    { new: password, old: oldPassword }: NonNullable<MethodChange['password']>,
  ) => {
    const user = await findProvenUser(users, change);
    if (user === undefined) return { outcome: 'changed' } as const;
    if ((await findManagingIdentities(user, change.localRefusals)).length > 0) {
      return { outcome: 'refused', fault: 'managed_elsewhere' } as const;
    }
    const { address, knownBrowsers } = change;
    const own = { password, oldPassword, address, ...(knownBrowsers && { knownBrowsers }) };
    const result = await replaceOwnPassword(user, own);
    await record(change, result);
    return result.outcome === 'done' ? { ...result, recoveryCodes: [] } : result;
  };
  /** Whether the account is removed that keeps its user from signing in here: a password of before would count again. */
  const escapes = async (change: MethodChange, id: string): Promise<boolean> => {
    const user = await findProvenUser(users, change);
    if (user === undefined) return false;
    return (await findManagingIdentities(user, change.localRefusals)).some((identity) => identity.id === id);
  };
  return async (change: MethodChange) => {
    const { password, remove } = change;
    if (password !== undefined) return changePassword(change, password);
    if (remove !== undefined && 'identity' in remove && (await escapes(change, remove.identity))) {
      return { outcome: 'refused', fault: 'last_way_in' } as const;
    }
    return (await changeOwnMethods(change)) ?? ({ outcome: 'changed' } as const);
  };
}
