import type { LinkKind, LinkRef } from '../mails/mail.ts';

/** A link that was mailed, as it is stored: by the hash of its token. Instants are milliseconds since the epoch. */
export interface Link extends LinkRef {
  tokenHash: Buffer;
  purpose: LinkKind;
  userId: string;
  /** The address that it went to. */
  address: string;
  /** Of a reset the authorization request that a page goes on with, encrypted with CREDENTIALS_KEY; of an invitation how it went out. */
  data: string | undefined;
  /** Of the user: after a change of the password the link is void. */
  passwordChangedAt: number;
  createdAt: number;
  expiresAt: number;
}

/** The context of its encryption. */
export const goOnContext = 'request of a mailed link';
