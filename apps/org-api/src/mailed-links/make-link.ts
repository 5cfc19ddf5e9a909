import { type Clock, createId } from '@gatehouse/service-kit';
import type { LinkPurpose } from '@gatehouse/shared';
import { hashLinkToken, type LinkTokens } from '../mails/link-tokens.ts';
import type { User } from '../users/user.ts';
import type { Link } from './link.ts';
import type { LinkStore } from './link-store.ts';

/** Milliseconds for which a link is open. */
const lifetimes: Record<LinkPurpose, number> = {
  reset: 30 * 60_000,
  verify: 24 * 3_600_000,
  invitation: 7 * 24 * 3_600_000,
  email_old: 24 * 3_600_000,
  email_new: 24 * 3_600_000,
  set_up: 30 * 60_000,
  first_method: 72 * 3_600_000,
  register: 3_600_000,
};
/** Milliseconds for which a repeated request mails the same link. */
export const repeatedFor = 30 * 60_000;
/** Open links of a user for one purpose. */
const mostOpen = 3;

export interface LinkContent {
  /** As in the row. */
  data?: string | undefined;
  /** Seconds; the usual time where it is left out. */
  lifetime?: number | undefined;
}

type Ways = Pick<User, 'passwordHash' | 'secondStep' | 'identities' | 'roles'>;

/**
 * Whether a user has no way to sign in yet: no password, no passkey, and no account at an upstream. Such an account is none for a user
 * with a role, who gets in while the upstream is down.
 */
export function isInvitable({ passwordHash, secondStep, identities, roles }: Ways): boolean {
  return passwordHash === undefined && !secondStep && (identities === undefined || roles.length > 0);
}

export type MakeLink = ReturnType<typeof createMakeLink>;

interface Dependencies {
  links: LinkStore;
  linkTokens: LinkTokens;
  clock: Clock;
}

/** Whether a link still stands for its user: it is open, and neither the password nor the address changed since. */
export function isOpen(link: Link, user: User, now: number): boolean {
  const { enabled, userType, passwordChangedAt, email } = user;
  const isSame =
    link.passwordChangedAt === passwordChangedAt && (link.purpose === 'email_new' || link.address === email);
  // An invitation ends with the first way to sign in, whatever it is.
  const isWanted = link.purpose !== 'invitation' || isInvitable(user);
  return isSame && isWanted && enabled && userType === 'Person' && link.expiresAt > now;
}

/** Makes a new link for a user. */
export function createMakeLink({ links, linkTokens, clock }: Dependencies) {
  return async (
    user: Pick<User, 'id' | 'email' | 'passwordChangedAt'>,
    purpose: LinkPurpose,
    { data, lifetime }: LinkContent,
  ): Promise<Link> => {
    const now = clock();
    const ref = { linkId: createId(), keyId: linkTokens.keyId };
    const link: Link = {
      ...ref,
      tokenHash: hashLinkToken(linkTokens.make(ref) as string),
      purpose,
      userId: user.id,
      address: user.email,
      data,
      passwordChangedAt: user.passwordChangedAt,
      createdAt: now,
      expiresAt: now + (lifetime === undefined ? lifetimes[purpose] : lifetime * 1000),
    };
    await links.insert(link);
    return link;
  };
}

export type RepeatLink = ReturnType<typeof createRepeatLink>;

/** Makes a link that was asked for; or gives the one that was made a moment ago, so that the first mail works too. */
export function createRepeatLink({ links, linkTokens, makeLink, clock }: Dependencies & { makeLink: MakeLink }) {
  return async (user: User, purpose: LinkPurpose, content: LinkContent): Promise<Link> => {
    const { data } = content;
    const now = clock();
    const open = (await links.listOfUser(user.id)).filter(
      (link) => link.purpose === purpose && isOpen(link, user, now),
    );
    const newest = open.at(-1);
    const isYoung = newest !== undefined && now < newest.createdAt + repeatedFor;
    if (isYoung && linkTokens.make(newest) !== undefined) {
      // The page goes on where the last request came from.
      await links.setData(newest, data);
      return { ...newest, data };
    }
    for (const oldest of open.slice(0, Math.max(0, open.length - mostOpen + 1))) await links.delete(oldest);
    return makeLink(user, purpose, content);
  };
}
