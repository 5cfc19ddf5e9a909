import { type Delivery, ProblemError } from '@gatehouse/shared';
import type { LinkStore } from '../mailed-links/link-store.ts';
import { isInvitable, type MakeLink } from '../mailed-links/make-link.ts';
import type { LinkTokens } from '../mails/link-tokens.ts';
import { isPlainAddress } from '../mails/mail.ts';
import type { Outbox } from '../mails/outbox.ts';
import { getUser } from '../users/get-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

export interface InvitationOptions {
  deliver?: Delivery | undefined;
  /** Seconds. */
  expiresIn?: number | undefined;
}

export interface Invitation {
  /** RFC 3339, UTC. */
  expiresAt: string;
  /** Where no mail was sent. */
  link?: string;
}

export type Invitations = ReturnType<typeof createInvitations>;

interface Dependencies {
  config: { authUrl: string };
  users: Pick<UserStore, 'findByUsername'>;
  links: LinkStore;
  linkTokens: LinkTokens;
  makeLink: MakeLink;
  mails: Pick<Outbox, 'isOn' | 'mailLink'>;
}

/** Invitations: links by which new users choose how they sign in. */
export function createInvitations({ config, users, links, linkTokens, makeLink, mails }: Dependencies) {
  const withdraw = async ({ id }: User): Promise<boolean> => (await links.deleteOfPurpose(id, 'invitation')) > 0;
  /** The link replaces open ones. Throws 409 where the user has a way to sign in. */
  const invite = async (user: User, { deliver, expiresIn }: InvitationOptions): Promise<Invitation> => {
    if (user.userType === 'Robot') throw new ProblemError(400, 'a Robot never signs in');
    if (!isInvitable(user)) throw new ProblemError(409, 'this user has a way to sign in already');
    await withdraw(user);
    const isMailed = mails.isOn && deliver !== 'link' && isPlainAddress(user.email);
    const link = await makeLink(user, 'invitation', { data: isMailed ? mailed : undefined, lifetime: expiresIn });
    const expiresAt = new Date(link.expiresAt).toISOString();
    if (!isMailed) return { expiresAt, link: `${config.authUrl}/account/link?token=${linkTokens.make(link)}` };
    await mails.mailLink(user, { kind: 'invitation', link, language: user.locale, expiresAt: link.expiresAt }, {});
    return { expiresAt };
  };
  return {
    invite,
    async inviteAgain(username: string, options: InvitationOptions): Promise<{ user: User; invitation: Invitation }> {
      const user = await getUser(users, username);
      return { user, invitation: await invite(user, options) };
    },
    /** Whether there was one. */
    async withdraw(username: string): Promise<{ user: User; withdrawn: boolean }> {
      const user = await getUser(users, username);
      return { user, withdrawn: await withdraw(user) };
    },
  };
}

/** In the row of an invitation that went to the address of its user, which is verified by its use. */
export const mailed = 'mailed';
