import type { MethodChange } from '@gatehouse/shared';
import type { LinkStore } from '../mailed-links/link-store.ts';
import type { MakeLink } from '../mailed-links/make-link.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { User } from '../users/user.ts';

export type TellFirstMethod = ReturnType<typeof createTellFirstMethod>;

interface Dependencies {
  links: Pick<LinkStore, 'deleteOfPurpose'>;
  makeLink: MakeLink;
  mails: Pick<Outbox, 'isOn' | 'mailLink'>;
}

/** Tells a user of the first second step, with a link that removes it. */
export function createTellFirstMethod({ links, makeLink, mails }: Dependencies) {
  return async (
    user: User,
    { id, name }: { id?: string; name: string },
    { address, browser }: Pick<MethodChange, 'address' | 'browser'>,
  ): Promise<void> => {
    if (!mails.isOn || !user.emailVerified) return;
    // A first one of before is gone.
    await links.deleteOfPurpose(user.id, 'first_method');
    const link = await makeLink(user, 'first_method', { data: id ?? '' });
    const kind = id === undefined ? 'first_code_app' : 'first_passkey';
    const mailed = { kind, link, language: user.locale, expiresAt: link.expiresAt } as const;
    await mails.mailLink(user, mailed, { address, browser }, { name });
  };
}
