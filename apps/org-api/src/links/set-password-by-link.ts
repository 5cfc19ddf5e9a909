import type { Clock, SlowHash } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import type { LinkUse, LinkUseResult } from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import type { Link } from '../mailed-links/link.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { CheckCode } from '../methods/check-code.ts';
import { isRecoveryCode, normalizeCode } from '../methods/recovery-codes.ts';
import type { NewPasswords } from '../passwords/new-password.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { type DescribeLink, needsCode } from './describe-link.ts';

export type SetPasswordByLink = ReturnType<typeof createSetPasswordByLink>;

interface SettingDependencies {
  users: Pick<UserStore, 'replacePassword'>;
  newPasswords: Pick<NewPasswords, 'findFault' | 'minLength'>;
  slowHash: Pick<SlowHash, 'hash'>;
  clock: Clock;
}

/** Sets the password of the user of a link; gives why not. `before`: what else must be right, once the password is good. */
export function createSetPasswordByLink({ users, newPasswords, slowHash, clock }: SettingDependencies) {
  return async (
    link: Link,
    user: User,
    { fields, address }: Pick<LinkUse, 'fields' | 'address'>,
    before: () => Promise<LinkUseResult | undefined> = async () => undefined,
  ): Promise<LinkUseResult | undefined> => {
    const { password = '' } = fields ?? {};
    const fault = await newPasswords.findFault(password, user);
    if (fault !== undefined) return { outcome: 'refused', fault, passwordMinLength: newPasswords.minLength };
    const refusal = await before();
    if (refusal !== undefined) return refusal;
    const newHash = await slowHash.hash(password, address);
    // Of several uses at the same moment, and of several links, one finds the password of then.
    const replacement = { newHash, expectedChangedAt: link.passwordChangedAt, now: clock() };
    return (await users.replacePassword(user.id, replacement)) ? undefined : { outcome: 'gone' };
  };
}

interface Dependencies {
  setPassword: SetPasswordByLink;
  describe: DescribeLink;
  mails: Pick<Outbox, 'notify'>;
  checkCode: CheckCode;
  audit: Pick<AuditTrail, 'write'>;
}

/** A user who cannot sign in sets a new password. */
export function createReset({ setPassword, describe, mails, checkCode, audit }: Dependencies) {
  /** Uses a recovery code up, where one is needed. */
  const checkRecoveryCode = async (user: User, { fields, token: _link, userId: _other, ...caller }: LinkUse) => {
    const code = fields?.code ?? '';
    if (!needsCode(user)) return undefined;
    if (!isRecoveryCode(normalizeCode(code))) return { outcome: 'wrong' } as const;
    const { id: userId, passwordChangedAt } = user;
    const result = await checkCode({ userId, passwordChangedAt, code, ...caller });
    if (result.outcome === 'verified') return undefined;
    return result.outcome === 'changed' ? ({ outcome: 'gone' } as const) : result;
  };
  return async (link: Link, user: User, use: LinkUse): Promise<LinkUseResult> => {
    const { address, browser } = use;
    const refusal = await setPassword(link, user, use, () => checkRecoveryCode(user, use));
    if (refusal !== undefined) return refusal;
    await audit.write({ ...describeOwnDeed(user, use), type: 'user.password_reset' });
    await mails.notify(user, 'password_changed', { address, browser });
    return { outcome: 'done', ...describe(link, user) };
  };
}
