import type { MethodChange } from '@gatehouse/shared';
import type { MakeLink } from '../mailed-links/make-link.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { User } from '../users/user.ts';

export type TellFirstMethod = ReturnType<typeof createTellFirstMethod>;

interface Dependencies {
  makeLink: MakeLink;
  mails: Pick<Outbox, 'isOn' | 'mailLink'>;
}

/** Tells a user of the first second step, with a link that removes it. */
export function createTellFirstMethod({ makeLink, mails }: Dependencies) {
  return async (
    user: User,
    { id, name }: { id?: string; name: string },
    { address, browser }: Pick<MethodChange, 'address' | 'browser'>,
  ): Promise<void> => {
    if (!mails.isOn || !user.emailVerified) return;
    const link = await makeLink(user, 'first_method', { data: id ?? '' });
    const kind = id === undefined ? 'first_code_app' : 'first_passkey';
    const mailed = { kind, link, language: user.locale, expiresAt: link.expiresAt } as const;
    await mails.mailLink(user, mailed, { address, browser }, { name });
  };
}
