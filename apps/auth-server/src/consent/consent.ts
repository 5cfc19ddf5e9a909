import type { RequestedClaims } from '../protocol/claims-parameter.ts';

/** The scopes and claims that a user allows a client, as they are stored. */
export interface Consent {
  userId: string;
  registrationId: string;
  clientId: string;
  scope: string[];
  /** Claims allowed by name that the scopes do not cover. */
  claims: string[];
  /** Milliseconds. */
  grantedAt: number;
}

/** The scope and the claims that a client requests or holds. */
export interface Asked {
  scope: readonly string[];
  claims: RequestedClaims;
}

/** A consent as its user sees it. */
export interface ShownConsent extends Consent {
  /** The name of the client now. */
  application: string;
}

/** The part of a client's scope and claims that the user allows. */
export interface Allowed {
  scope: string[];
  claims: RequestedClaims;
}
