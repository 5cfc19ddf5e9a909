import { maximumAccessTokenValidity } from '@gatehouse/shared';
import type { Authentication } from '../levels/authentication.ts';
import type { RequestedClaims } from '../protocol/claims-parameter.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { GrantedResource } from '../resources/granted-resource.ts';

/** An authorization code (RFC 6749 4.1.2), as it is stored. Instants are milliseconds. */
export interface AuthorizationCode {
  /** SHA-256 of the code. */
  codeHash: Buffer;
  /** UUIDv7 of the grant that the code's tokens will belong to. */
  grantId: string;
  /** The registration of the client it was issued to. */
  registrationId: string;
  /** The generation of the client's tokens at that time. */
  clientGeneration: number;
  /** The redirect_uri of the authorization request; undefined where the request had none. */
  redirectUri: string | undefined;
  /** RFC 7636, S256. */
  codeChallenge: string | undefined;
  scope: string[];
  /** Undefined where org-api alone was granted. */
  resources: GrantedResource[] | undefined;
  userId: string;
  sessionId: string;
  passwordChangedAt: number;
  /** RFC 9449 10: thumbprint of the key the tokens are to be bound to. */
  dpopJkt: string | undefined;
  claims: RequestedClaims;
  nonce: string | undefined;
  authentication: Authentication;
  issuedAt: number;
  consumedAt: number | undefined;
  /** The status of the access token that it was exchanged for. */
  status: TokenStatus | undefined;
  /** When the row may be deleted. It outlives the code, so that a second use is noticed. */
  expiresAt: number;
}

/** Milliseconds an authorization code lives. */
export const authorizationCodeLifetime = 60_000;
/**
 * Milliseconds for which a second use of a code is noticed, and its grant can be ended: as long as an access token can live
 * that was issued at the last moment.
 */
export const authorizationCodeRetention = authorizationCodeLifetime + maximumAccessTokenValidity * 1000;
