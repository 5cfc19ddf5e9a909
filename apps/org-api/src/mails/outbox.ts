import { type Clock, createId } from '@gatehouse/service-kit';
import { formatNetwork } from '@gatehouse/service-kit/guess-limit';
import { findByLanguage } from '@gatehouse/service-kit/html';
import type { User } from '../users/user.ts';
import { isPlainAddress, type LinkKind, type LinkRef, type Mail, type NoticeKind } from './mail.ts';
import type { MailStore } from './mail-store.ts';
import { languages } from './messages/languages.ts';

/** The caller whose request caused a mail. */
export interface MailCause {
  /** Undefined where an administrator did it, whose network is nobody else's business. */
  address?: string | undefined;
  /** The name of the browser; undefined where there is none. */
  browser?: string | undefined;
}

/** A link to be mailed. */
export interface MailedLink {
  kind: LinkKind;
  link: LinkRef;
  /** Of the page on which it was asked for, or the `locale` of the user. */
  language: string;
  /** Milliseconds. */
  expiresAt: number;
}

/** Milliseconds for which a notice is tried. */
const noticeLifetime = 86_400_000;

interface Dependencies {
  mails: MailStore;
  /** Whether mails are sent here. */
  isOn: boolean;
  /** Sends what waits, without waiting for the next look. */
  look(): void;
  clock: Clock;
}

export type Outbox = ReturnType<typeof createOutbox>;

/** Puts mails where they wait to be sent. Where none are sent, it does nothing. */
export function createOutbox({ mails, isOn, look, clock }: Dependencies) {
  const put = async (mail: Omit<Mail, 'id' | 'tries' | 'dueAt'>): Promise<void> => {
    await mails.insert({ ...mail, id: createId(), tries: 0, dueAt: clock() });
    look();
  };
  return {
    isOn,
    /** Tells a user what happened with the account. Only a verified address is told. */
    async notify(user: User, kind: NoticeKind, cause: MailCause, values: Record<string, string> = {}): Promise<void> {
      if (!isOn || !user.emailVerified || !isPlainAddress(user.email)) return;
      const now = clock();
      const { id: userId, email: address } = user;
      const language = findByLanguage(tags, { uiLocales: user.locale }) ?? 'en';
      const data = { ...describe(user, cause), at: String(now), ...values };
      await put({ kind, userId, address, language, link: undefined, data, expiresAt: now + noticeLifetime });
    },
    /** Mails a link to the stored address of a user. */
    async mailLink(
      user: User,
      { kind, link, language, expiresAt }: MailedLink,
      cause: MailCause,
      values: Record<string, string> = {},
    ): Promise<void> {
      if (!isOn || !isPlainAddress(user.email)) return;
      const { username = '', ...described } = describe(user, cause);
      // Nobody has shown yet that the address is the user's: a stranger reads no name there.
      const name: Record<string, string> = kind === 'email_new' ? {} : { username };
      const tag = findByLanguage(tags, { uiLocales: language }) ?? 'en';
      const data = { ...name, ...described, at: String(clock()), until: String(expiresAt), ...values };
      await put({ kind, userId: user.id, address: user.email, language: tag, link, data, expiresAt });
    },
    /** Mails to an address of which nobody has shown that it is theirs: no name stands in it. */
    async mailStranger(
      { address, language }: { address: string; language: string },
      kind: 'register' | 'have_account',
      link: (LinkRef & { expiresAt: number }) | undefined,
      { address: from, browser }: MailCause,
    ): Promise<void> {
      if (!isOn || !isPlainAddress(address)) return;
      const now = clock();
      const expiresAt = link?.expiresAt ?? now + noticeLifetime;
      const data = {
        ...{ at: String(now), until: String(expiresAt), timeZone: 'UTC' },
        ...(from !== undefined && { network: formatNetwork(from) }),
        ...(browser !== undefined && { browser }),
      };
      const tag = findByLanguage(tags, { uiLocales: language }) ?? 'en';
      await put({ kind, userId: undefined, address, language: tag, link, data, expiresAt });
    },
    /** Keeps a name for which a link was asked for, to look it up later: whether there is such a user shows nowhere. */
    async keepAsked(name: string, language: string, data: Record<string, string>, expiresAt: number): Promise<void> {
      if (!isOn) return;
      await put({ kind: 'recover', userId: undefined, address: name, language, link: undefined, data, expiresAt });
    },
    forget: (userId: string): Promise<void> => mails.deleteOfUser(userId),
  };
}

const tags = Object.fromEntries(Object.keys(languages).map((tag) => [tag, tag]));

function describe({ username, timezone }: User, { address, browser }: MailCause): Record<string, string> {
  return {
    ...{ username, timeZone: timezone },
    ...(address !== undefined && { network: formatNetwork(address) }),
    ...(browser !== undefined && { browser }),
  };
}
