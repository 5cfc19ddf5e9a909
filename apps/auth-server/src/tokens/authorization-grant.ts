import type { DirectoryUser, Role } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { Authentication } from '../levels/authentication.ts';
import type { RequestedClaims } from '../protocol/claims-parameter.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { GrantedResource } from '../resources/granted-resource.ts';
import type { TokenTarget } from '../resources/token-target.ts';
import type { ExchangedSubject } from './exchanged-subject.ts';

/** The decision of a grant or of the authorization endpoint: for whom, and for what, tokens may be issued. */
export interface AuthorizationGrant {
  /** UUIDv7; ending it ends every token that names it. */
  grantId: string;
  client: Client;
  /** As the organization knew it at most a second ago; undefined where the client acts for itself. */
  user: DirectoryUser | undefined;
  scope: string[];
  /** The resources that were granted; undefined for org-api alone. */
  resources: GrantedResource[] | undefined;
  /** The resource of the access token, with the part of the scope that is of it. */
  target: TokenTarget;
  /** How the user signed in; undefined where no user did, as with a Robot. */
  authentication: Authentication | undefined;
  /** Asked for one by one. */
  claims: RequestedClaims;
  nonce: string | undefined;
  sessionId: string | undefined;
  /** Of the access token. */
  status: TokenStatus;
  /** RFC 9449 6: thumbprint of the key the access token is bound to. */
  dpopJkt: string | undefined;
  /** The roles that its tokens can use at most, where those are fewer than the client's. */
  ceiling?: readonly Role[] | undefined;
  /** Seconds: when the grant ends, and its access tokens with it; undefined where they may last longer than the grant. */
  endsAt?: number | undefined;
  /** The claims that the access token keeps of the one that it is exchanged for (RFC 8693). */
  subject?: ExchangedSubject;
}

/**
 * Whether a person stands behind the grant, for whom there is an ID token and a refresh token. In exchange for an access
 * token there is neither.
 */
export function isUserPresent({
  user,
  authentication,
  subject,
}: Pick<AuthorizationGrant, 'user' | 'authentication' | 'subject'>): boolean {
  return user !== undefined && authentication !== undefined && subject === undefined;
}
