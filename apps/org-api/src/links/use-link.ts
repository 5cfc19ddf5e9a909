import type { Clock } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { networkOf } from '@gatehouse/service-kit/guess-limit';
import {
  completeUsername,
  type LinkPurpose,
  type LinkUse,
  type LinkUseResult,
  type LocalRefusals,
} from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import type { Link } from '../mailed-links/link.ts';
import type { LinkStore } from '../mailed-links/link-store.ts';
import { isOpen } from '../mailed-links/make-link.ts';
import { hashLinkToken } from '../mails/link-tokens.ts';
import type { MailBudget } from '../mails/mail-budget.ts';
import type { IsManagedElsewhere } from '../users/managed-elsewhere.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { ChangeEmail } from './change-email.ts';
import type { DescribeLink } from './describe-link.ts';
import type { EmailChange } from './email-change.ts';
import type { RegisterByLink } from './register-by-link.ts';

/** Seconds after which a network may try links again. */
const retryAfter = 300;

/** Uses a link that stands. */
export type UseOpenLink = (link: Link, user: User, use: LinkUse) => Promise<LinkUseResult>;

export type UseLink = ReturnType<typeof createUseLink>;

interface Dependencies {
  config: { usernameDomain: string | undefined };
  users: Pick<UserStore, 'findById'>;
  isManagedElsewhere: IsManagedElsewhere;
  links: LinkStore;
  mailBudget: Pick<MailBudget, 'countUnknown'>;
  changeEmail: Pick<ChangeEmail, 'find'>;
  describe: DescribeLink;
  /** By the purpose of a link, its use. */
  uses: Record<Exclude<LinkPurpose, 'register'>, UseOpenLink>;
  /** The use of a link of which there is no user yet. */
  registerByLink: RegisterByLink;
  clock: Clock;
}

/**
 * Shows what a link is for, and does it. A look uses nothing up. Unknown, used, replaced and expired links are alike: `gone`; and so is
 * a new password for a user who signs in elsewhere alone. Throws an OverloadedError where a password cannot be hashed now.
 */
export function createUseLink(deps: Dependencies) {
  const { config, users, isManagedElsewhere, links, mailBudget, changeEmail, describe, uses } = deps;
  const { registerByLink, clock } = deps;
  /** Undefined where a link about a change of the address is about none that waits. */
  const findChange = async ({ purpose, data }: Link, user: User): Promise<{ change?: EmailChange } | undefined> => {
    if (purpose !== 'email_old' && purpose !== 'email_new') return {};
    const change = await changeEmail.find(user);
    return change !== undefined && change.id === data ? { change } : undefined;
  };
  const find = async (token: string, refusals?: LocalRefusals): Promise<Found | undefined> => {
    const link = await links.find(hashLinkToken(token));
    if (link?.purpose === 'register')
      return (await registerByLink.isOpen(link)) ? { link, user: undefined } : undefined;
    const user = link && (await users.findById(link.userId));
    if (link === undefined || user === undefined || !isOpen(link, user, clock())) return undefined;
    if (link.purpose === 'reset' && (await isManagedElsewhere(user, refusals))) return undefined;
    const about = await findChange(link, user);
    return about && { link, user, ...about };
  };
  const run = async (use: LinkUse): Promise<LinkUseResult> => {
    const found = await find(use.token, use.localRefusals);
    if (found === undefined) {
      const isWithin = await mailBudget.countUnknown(networkOf(use.address));
      return isWithin ? { outcome: 'gone' } : { outcome: 'limited', retryAfter };
    }
    const { link, user, change } = found;
    if (user === undefined || link.purpose === 'register') return registerByLink.run(link, use);
    if (use.fields === undefined) return { outcome: 'open', ...describe(link, user, change) };
    const username = completeUsername(use.fields.username ?? '', config.usernameDomain);
    return uses[link.purpose](link, user, { ...use, fields: { ...use.fields, username } });
  };
  return Object.assign(run, {
    /** Whether a link with this token still stands. */
    stands: async (token: string): Promise<boolean> => (await find(token)) !== undefined,
  });
}

interface Found {
  link: Link;
  /** Undefined before the registration. */
  user: User | undefined;
  change?: EmailChange;
}

interface VerifyDependencies {
  users: Pick<UserStore, 'verifyEmail'>;
  links: LinkStore;
  describe: DescribeLink;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
}

/** A user who is signed in confirms the own address. */
export function createVerify({ users, links, describe, audit, clock }: VerifyDependencies): UseOpenLink {
  return async (link: Link, user: User, use: LinkUse): Promise<LinkUseResult> => {
    if (use.userId !== user.id) return { outcome: 'other_user' };
    if (!(await links.delete(link)) || !(await users.verifyEmail(user.id, link.address, clock()))) {
      return { outcome: 'gone' };
    }
    // The use of one link ends all of its purpose.
    await links.deleteOfPurpose(user.id, link.purpose);
    await audit.write({ ...describeOwnDeed(user, use), type: 'email.verified' });
    return { outcome: 'done', ...describe(link, user) };
  };
}
