import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { foldUsername, type LinkUse, type LinkUseResult } from '@gatehouse/shared';
import { describeUser } from '../events/audit.ts';
import type { Link } from '../mailed-links/link.ts';
import type { LinkStore } from '../mailed-links/link-store.ts';
import type { User } from '../users/user.ts';
import type { ChangeEmail } from './change-email.ts';
import type { DescribeLink } from './describe-link.ts';
import type { EmailChange } from './email-change.ts';

interface Dependencies {
  changeEmail: ChangeEmail;
  links: LinkStore;
  describe: DescribeLink;
  audit: Pick<AuditTrail, 'write'>;
}

/** One side confirms a change of the address, or refuses it. */
export function createDecideEmailChange({ changeEmail, links, describe, audit }: Dependencies) {
  const note = async (
    type: 'email_change.confirmed' | 'email_change.refused',
    { purpose }: Link,
    user: User,
    { userId, address, requestId }: LinkUse,
  ): Promise<void> => {
    const subject = describeUser(user);
    const actor = userId === user.id ? subject : ({ kind: 'anonymous' } as const);
    const details = { side: purpose === 'email_new' ? 'new' : 'old' };
    await audit.write({ type, actor, subject, details, context: { address, requestId } });
  };
  /** Signed in as the user, or with the name of the account. */
  const refuse = async (link: Link, user: User, change: EmailChange, use: LinkUse): Promise<LinkUseResult> => {
    const isNamed = foldUsername(use.fields?.username ?? '') === foldUsername(user.username);
    if (use.userId !== user.id && !isNamed) return { outcome: 'wrong_name' };
    if (!(await changeEmail.refuse(change))) return { outcome: 'gone' };
    await note('email_change.refused', link, user, use);
    return { outcome: 'done', ...describe(link, user, change) };
  };
  const confirm = async (link: Link, user: User, change: EmailChange, use: LinkUse): Promise<LinkUseResult> => {
    if (use.userId !== user.id) return { outcome: 'other_user' };
    const described = describe(link, user, change);
    if (described.emailChange?.mayConfirm !== true) return { outcome: 'wrong' };
    const side = link.purpose === 'email_new' ? 'new' : 'old';
    if (!(await changeEmail.confirm(change, side))) return { outcome: 'gone' };
    await links.deleteOfPurpose(user.id, link.purpose);
    await note('email_change.confirmed', link, user, use);
    await changeEmail.apply(change, use);
    return { outcome: 'done', ...described };
  };
  return async (link: Link, user: User, use: LinkUse): Promise<LinkUseResult> => {
    const change = await changeEmail.find(user);
    if (change === undefined || change.id !== link.data) return { outcome: 'gone' };
    switch (use.fields?.decision) {
      case 'confirm':
        return confirm(link, user, change, use);
      case 'refuse':
        return refuse(link, user, change, use);
      default:
        return { outcome: 'wrong_name' };
    }
  };
}
