import type { MailMessages } from './messages/en.ts';

export type LinkKind = keyof MailMessages['links'];
export type NoticeKind = keyof MailMessages['notices'];
/** `recover` is no mail: a link was asked for by a name, which is looked up when its turn comes. */
export type MailKind = LinkKind | NoticeKind | 'recover';

/** The link of a mail, by its id and that of the key that makes its token. */
export interface LinkRef {
  linkId: string;
  keyId: string;
}

/** A mail that waits to be sent, as it is stored: it holds no token. Instants are milliseconds since the epoch. */
export interface Mail {
  /** UUIDv7. */
  id: string;
  kind: MailKind;
  /** Whose mail it is; undefined where that is not known yet. */
  userId: string | undefined;
  address: string;
  /** The tag of the language. */
  language: string;
  link: LinkRef | undefined;
  /** The values of the places of its texts, and what the mail says of the request that was its cause. */
  data: Record<string, string>;
  tries: number;
  dueAt: number;
  expiresAt: number;
}

/** One address that is nothing but an address (RFC 5322 3.4.1, without quotes): others get no mail. */
export function isPlainAddress(address: string): boolean {
  return address.length <= 254 && /^[^\s\p{C}<>()[\],;:"\\@]+@[^\s\p{C}<>()[\],;:"\\@]+$/u.test(address);
}
