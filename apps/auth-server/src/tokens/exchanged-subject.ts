import type { Actor } from './actor.ts';

/** The claims that an exchanged access token keeps of its subject token (RFC 8693). */
export interface ExchangedSubject {
  /** The user or the client that the token stands for. */
  sub: string;
  /** Undefined where the subject token does not tell it. */
  username: string | undefined;
  /** Whether the subject token is a third-party client's: its user decides what can be done with it. */
  isThirdParty: boolean;
  /** Seconds: `administration_max_age` of the subject token. */
  administrationMaxAge: number | undefined;
  /** The client that the grant is of. */
  grantClientId: string;
  /** The client that exchanges it, with those before. */
  actor: Actor;
  /** Seconds: the end of the subject token, which the exchanged one does not outlive. */
  expiresAt: number;
}
