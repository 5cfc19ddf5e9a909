import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { foldUsername, type LinkUse, type LinkUseResult } from '@gatehouse/shared';
import { describeUser } from '../events/audit.ts';
import type { Link } from '../mailed-links/link.ts';
import type { LinkStore } from '../mailed-links/link-store.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { RemoveMethod } from '../methods/remove-method.ts';
import type { User } from '../users/user.ts';
import type { DescribeLink } from './describe-link.ts';

/** The browser that asked for a link, and the page that it goes on with. */
export interface SetUpOrigin {
  binding: string;
  goOn: string;
}

interface Dependencies {
  links: LinkStore;
  describe: DescribeLink;
  removeMethod: RemoveMethod;
  mails: Pick<Outbox, 'notify'>;
  audit: Pick<AuditTrail, 'write'>;
}

/** A user goes on with the first second step, in the browser that asked. */
export function createSetUpByLink({ links, describe }: Pick<Dependencies, 'links' | 'describe'>) {
  return async (link: Link, user: User, { binding }: LinkUse): Promise<LinkUseResult> => {
    const text = describe.decrypt(link.data ?? '');
    const origin = text === undefined ? undefined : (JSON.parse(text) as SetUpOrigin);
    if (origin === undefined || origin.binding !== binding) return { outcome: 'other_browser' };
    if (!(await links.delete(link))) return { outcome: 'gone' };
    await links.deleteOfPurpose(user.id, link.purpose);
    return { outcome: 'done', ...describe(link, user), goOn: origin.goOn };
  };
}

/** A user removes the first second step, which another person added, and ends every session. */
export function createRemoveFirstMethod({ links, describe, removeMethod, mails, audit }: Dependencies) {
  return async (link: Link, user: User, use: LinkUse): Promise<LinkUseResult> => {
    const { fields, address, requestId, browser } = use;
    if (foldUsername(fields?.username ?? '') !== foldUsername(user.username)) return { outcome: 'wrong_name' };
    const id = link.data ?? '';
    // Another person may have removed the password, too.
    const effect = { voidsSessions: true, mayBeLast: true };
    const removal = id === '' ? removeMethod.codeApp(user, effect) : removeMethod.passkey(user, id, effect);
    if ((await removal) !== 'done') return { outcome: 'gone' };
    await links.deleteOfPurpose(user.id, link.purpose);
    await audit.write({
      type: id === '' ? 'code_app.removed' : 'passkey.removed',
      actor: { kind: 'anonymous' },
      subject: describeUser(user),
      ...(id !== '' && { details: { passkey: id } }),
      context: { address, requestId },
    });
    await mails.notify(user, id === '' ? 'code_app_removed' : 'passkey_removed', { address, browser }, { name: '' });
    return { outcome: 'done', ...describe(link, user) };
  };
}
