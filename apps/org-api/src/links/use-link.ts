import type { Clock, Encryption, SlowHash } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { networkOf } from '@gatehouse/service-kit/guess-limit';
import type { LinkUse, LinkUseResult, NewMethod } from '@gatehouse/shared';
import { describeUser } from '../events/audit.ts';
import { hashLinkToken } from '../mails/link-tokens.ts';
import type { MailBudget } from '../mails/mail-budget.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { AddMethod } from '../methods/add-method.ts';
import type { CheckCode } from '../methods/check-code.ts';
import { isRecoveryCode, normalizeCode } from '../methods/recovery-codes.ts';
import type { NewPasswords } from '../passwords/new-password.ts';
import { buildDirectoryUser, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { mailed } from './invitations.ts';
import { goOnContext, type Link } from './link.ts';
import type { LinkStore } from './link-store.ts';
import { isOpen } from './make-link.ts';

/** Seconds after which a network may try links again. */
const retryAfter = 300;

export type UseLink = ReturnType<typeof createUseLink>;

interface Dependencies {
  users: Pick<UserStore, 'findById' | 'replacePassword' | 'verifyEmail'>;
  links: LinkStore;
  mails: Pick<Outbox, 'notify'>;
  mailBudget: Pick<MailBudget, 'countUnknown'>;
  newPasswords: Pick<NewPasswords, 'findFault' | 'minLength'>;
  checkCode: CheckCode;
  addMethod: AddMethod;
  slowHash: Pick<SlowHash, 'hash'>;
  encryption: Pick<Encryption, 'decrypt'>;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
}

/**
 * Shows what a link is for, and does it. A look uses nothing up. Unknown, used, replaced and expired links are alike: `gone`. Throws an
 * OverloadedError where a password cannot be hashed now.
 */
export function createUseLink(deps: Dependencies) {
  const { users, links, mailBudget, clock } = deps;
  const describe = createDescribe(deps);
  const reset = createReset(deps, describe);
  const verify = createVerify(deps, describe);
  const accept = createAccept(deps, describe);
  const find = async (token: string): Promise<{ link: Link; user: User } | undefined> => {
    const link = await links.find(hashLinkToken(token));
    const user = link && (await users.findById(link.userId));
    return link !== undefined && user !== undefined && isOpen(link, user, clock()) ? { link, user } : undefined;
  };
  const run = async (use: LinkUse): Promise<LinkUseResult> => {
    const found = await find(use.token);
    if (found === undefined) {
      const isWithin = await mailBudget.countUnknown(networkOf(use.address));
      return isWithin ? { outcome: 'gone' } : { outcome: 'limited', retryAfter };
    }
    const { link, user } = found;
    if (use.fields === undefined) return { outcome: 'open', ...describe(link, user) };
    return { reset, verify, invitation: accept }[link.purpose](link, user, use);
  };
  return Object.assign(run, {
    /** Whether a link with this token still stands. */
    stands: async (token: string): Promise<boolean> => (await find(token)) !== undefined,
  });
}

type Describe = ReturnType<typeof createDescribe>;

function createDescribe({ encryption }: Dependencies) {
  /** After a loss of the key the link works, and leads to no application. */
  const decrypt = (data: string): string | undefined => {
    try {
      return encryption.decrypt(data, goOnContext);
    } catch {
      return undefined;
    }
  };
  return ({ purpose, address, data }: Link, user: User) => {
    const { id: userId, username } = user;
    const own = { purpose, userId, username, email: address, needsCode: needsCode(user) };
    const goOn = purpose !== 'reset' || data === undefined ? undefined : decrypt(data);
    return goOn === undefined ? own : { ...own, goOn };
  };
}

/** NIST SP 800-63B-4: two ways, where there is no password next to the link. */
function needsCode({ secondStep, passwordHash }: User): boolean {
  return secondStep && passwordHash === undefined;
}

function createReset(
  { users, mails, newPasswords, checkCode, slowHash, audit, clock }: Dependencies,
  describe: Describe,
) {
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
    const { password = '' } = use.fields ?? {};
    const { address, requestId, browser } = use;
    const fault = await newPasswords.findFault(password, user);
    if (fault !== undefined) return { outcome: 'refused', fault, passwordMinLength: newPasswords.minLength };
    const refusal = await checkRecoveryCode(user, use);
    if (refusal !== undefined) return refusal;
    const newHash = await slowHash.hash(password, address);
    // Of several uses at the same moment, and of several links, one finds the password of then.
    const replacement = { newHash, expectedChangedAt: link.passwordChangedAt, now: clock() };
    if (!(await users.replacePassword(user.id, replacement))) return { outcome: 'gone' };
    const party = describeUser(user);
    await audit.write({ type: 'user.password_reset', actor: party, subject: party, context: { address, requestId } });
    await mails.notify(user, 'password_changed', { address, browser });
    return { outcome: 'done', ...describe(link, user) };
  };
}

function createVerify({ users, links, audit, clock }: Dependencies, describe: Describe) {
  return async (link: Link, user: User, { userId, address, requestId }: LinkUse): Promise<LinkUseResult> => {
    if (userId !== user.id) return { outcome: 'other_user' };
    if (!(await links.delete(link)) || !(await users.verifyEmail(user.id, link.address, clock()))) {
      return { outcome: 'gone' };
    }
    // The use of one link ends all of its purpose.
    await links.deleteOfPurpose(user.id, link.purpose);
    const party = describeUser(user);
    await audit.write({ type: 'email.verified', actor: party, subject: party, context: { address, requestId } });
    return { outcome: 'done', ...describe(link, user) };
  };
}

/** An invited user chooses a password or a passkey, and is signed in. */
function createAccept(deps: Dependencies, describe: Describe) {
  const { users, links, newPasswords, addMethod, slowHash, audit, clock } = deps;
  const setPassword = async (link: Link, user: User, password: string, address: string): Promise<Chosen> => {
    const fault = await newPasswords.findFault(password, user);
    if (fault !== undefined) return { outcome: 'refused', fault, passwordMinLength: newPasswords.minLength };
    const newHash = await slowHash.hash(password, address);
    const replacement = { newHash, expectedChangedAt: link.passwordChangedAt, now: clock() };
    return (await users.replacePassword(user.id, replacement)) ? { recoveryCodes: [] } : { outcome: 'gone' };
  };
  const addPasskey = async (user: User, use: LinkUse, passkey: NonNullable<NewMethod['passkey']>): Promise<Chosen> => {
    const { id: userId, passwordChangedAt } = user;
    const { address, requestId, browser } = use;
    const caller = { userId, passwordChangedAt, address, requestId, ...(browser !== undefined && { browser }) };
    const result = await addMethod({ ...caller, add: { passkey } });
    if (result.outcome === 'wrong') return { outcome: 'wrong' };
    if (result.outcome !== 'done') return { outcome: 'gone' };
    const { recoveryCodes, userVerified } = result;
    return { recoveryCodes, ...(userVerified !== undefined && { userVerified }) };
  };
  return async (link: Link, user: User, use: LinkUse): Promise<LinkUseResult> => {
    const { password = '', passkey } = use.fields ?? {};
    const { address, requestId } = use;
    const chosen =
      passkey === undefined ? await setPassword(link, user, password, address) : await addPasskey(user, use, passkey);
    if ('outcome' in chosen) return chosen;
    await links.delete(link);
    if (link.data === mailed) await users.verifyEmail(user.id, link.address, clock());
    const party = describeUser(user);
    await audit.write({ type: 'invitation.accepted', actor: party, subject: party, context: { address, requestId } });
    const after = (await users.findById(user.id)) ?? user;
    return { outcome: 'done', ...describe(link, user), signedIn: { user: buildDirectoryUser(after), ...chosen } };
  };
}

/** The way that an invited user chose, or why there is none. */
type Chosen =
  | { recoveryCodes: string[]; userVerified?: boolean }
  | Extract<LinkUseResult, { outcome: 'refused' | 'wrong' | 'gone' }>;
