import { ProblemError } from '@gatehouse/shared';
import type { RepeatLink } from '../mailed-links/make-link.ts';
import { isPlainAddress } from '../mails/mail.ts';
import type { Outbox } from '../mails/outbox.ts';
import { getUser } from '../users/get-user.ts';
import type { UserStore } from '../users/user-store.ts';

/** Mails a user, for an administrator, a link to confirm the address. Throws 400, 404 and 409. */
export type SendVerification = (username: string) => Promise<void>;

interface Dependencies {
  users: Pick<UserStore, 'findByUsername'>;
  repeatLink: RepeatLink;
  mails: Pick<Outbox, 'isOn' | 'mailLink'>;
}

export function createSendVerification({ users, repeatLink, mails }: Dependencies): SendVerification {
  return async (username) => {
    const user = await getUser(users, username);
    if (user.userType === 'Robot') throw new ProblemError(400, 'a Robot never signs in');
    if (user.emailVerified) throw new ProblemError(409, 'the e-mail address of this user is verified already');
    if (!mails.isOn) throw new ProblemError(409, 'this server sends no mail');
    if (!isPlainAddress(user.email)) throw new ProblemError(409, 'the e-mail address of this user gets no mail');
    const link = await repeatLink(user, 'verify', {});
    await mails.mailLink(user, { kind: 'verify', link, language: user.locale, expiresAt: link.expiresAt }, {});
  };
}
