import type { RequestedClaims } from '../protocol/claims-parameter.ts';

/** What a user has allowed a client, as it is stored. */
export interface Consent {
  userId: string;
  registrationId: string;
  clientId: string;
  scope: string[];
  /** Beside those that the scopes open. */
  claims: string[];
  /** Milliseconds. */
  grantedAt: number;
}

/** What a client asks for, or holds. */
export interface Asked {
  scope: readonly string[];
  claims: RequestedClaims;
}

/** A consent as its user sees it. */
export interface ShownConsent extends Consent {
  /** The name of the client now. */
  application: string;
}

/** What is left of what a client holds. */
export interface Allowed {
  scope: string[];
  claims: RequestedClaims;
}
