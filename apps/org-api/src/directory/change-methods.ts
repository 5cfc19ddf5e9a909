import type { AuditTrail } from '@gatehouse/service-kit/audit';
import type { MethodChange } from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { ChangeOwnMethods } from '../methods/change-own-methods.ts';
import type { OwnPasswordOutcome, ReplaceOwnPassword } from '../passwords/set-password.ts';
import { findProvenUser } from '../users/proven-user.ts';
import type { UserStore } from '../users/user-store.ts';

export type ChangeMethods = ReturnType<typeof createChangeMethods>;

interface Dependencies {
  users: Pick<UserStore, 'findById'>;
  changeOwnMethods: ChangeOwnMethods;
  replaceOwnPassword: ReplaceOwnPassword;
  audit: Pick<AuditTrail, 'write' | 'note'>;
  mails: Pick<Outbox, 'notify'>;
}

/** Changes the methods of a user for the user, the password among them. Throws an OverloadedError where nothing can be hashed now. */
export function createChangeMethods({ users, changeOwnMethods, replaceOwnPassword, audit, mails }: Dependencies) {
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
    const { address, knownBrowsers } = change;
    const own = { password, oldPassword, address, ...(knownBrowsers && { knownBrowsers }) };
    const result = await replaceOwnPassword(user, own);
    await record(change, result);
    return result.outcome === 'done' ? { ...result, recoveryCodes: [] } : result;
  };
  return async (change: MethodChange) => {
    if (change.password !== undefined) return changePassword(change, change.password);
    return (await changeOwnMethods(change)) ?? ({ outcome: 'changed' } as const);
  };
}
