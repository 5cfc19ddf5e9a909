import type { TokenStatus } from '../protocol/token-status.ts';

/**
 * The status of an access token that a client got in exchange for another one (RFC 8693), and one of the tokens that it
 * ends with. The grant has such a status for each token of the chain that it was exchanged from. A token that came with a
 * code has one too, which names the token itself.
 */
export interface GrantStatus {
  status: TokenStatus;
  grantId: string;
  /** The token that it ends with. */
  subject: TokenStatus;
  /** The registration of the client that the subject token was issued to, and the generation of that client's tokens. */
  registrationId: string;
  generation: number;
}

/** The grants that ended, and the exchanged tokens with them. */
export type EndOfExchanged =
  | { grantId: string }
  | { subject: TokenStatus }
  /** All generations, or those before one. */
  | { registrationId: string; beforeGeneration: number | undefined };
