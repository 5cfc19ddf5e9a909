import type { LinkPurpose } from '@gatehouse/shared';
import type { LinkRef } from '../mails/mail.ts';

/** A link that was mailed, as it is stored: by the hash of its token. Instants are milliseconds since the epoch. */
export interface Link extends LinkRef {
  tokenHash: Buffer;
  purpose: LinkPurpose;
  userId: string;
  /** The address that it went to. */
  address: string;
  /**
   * Of a reset the authorization request that a page goes on with, encrypted with CREDENTIALS_KEY, and so of a set-up its page and
   * browser; of a first method the id of the passkey, empty for a code app; of an invitation how it went out; of a change of the address its id.
   */
  data: string | undefined;
  /** Of the user: after a change of the password the link is void. */
  passwordChangedAt: number;
  createdAt: number;
  expiresAt: number;
}

/** The context of its encryption. */
export const goOnContext = 'request of a mailed link';
