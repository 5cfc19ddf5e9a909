import type { ApplicationName } from '../pages/application.ts';
import type { RequestedClaims } from '../protocol/claims-parameter.ts';
import type { GrantedResource } from '../resources/granted-resource.ts';
import type { ShownResource } from '../resources/requested-access.ts';

/** The scopes and claims that a user allows a client, as they are stored. */
export interface Consent {
  userId: string;
  registrationId: string;
  clientId: string;
  /** Scopes of org-api. */
  scope: string[];
  /** Resources other than org-api, with their scopes. */
  resources: GrantedResource[];
  /** Claims allowed by name that the scopes do not cover. */
  claims: string[];
  /** Milliseconds. */
  grantedAt: number;
}

/** The scope and the claims that a client requests or holds. */
export interface Asked {
  scope: readonly string[];
  /** Undefined for org-api alone. */
  resources: readonly GrantedResource[] | undefined;
  claims: RequestedClaims;
}

/** A consent as its user sees it. */
export interface ShownConsent extends Consent {
  /** The client as it is named now. */
  application: ApplicationName;
  /** Where a sign-in to it begins (OpenID Connect Core 4). */
  initiateLoginUri: string | undefined;
  /** The resources that still exist. */
  shown: ShownResource[];
}

/** The part of a client's scope and claims that the user allows. */
export interface Allowed {
  scope: string[];
  resources: GrantedResource[] | undefined;
  claims: RequestedClaims;
}
