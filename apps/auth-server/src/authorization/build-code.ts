import { type AuthorizationCode, authorizationCodeRetention } from '../codes/authorization-code.ts';
import type { SignedInUser } from '../sessions/signed-in-user.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

type Issued = Pick<AuthorizationCode, 'codeHash' | 'grantId' | 'consumedAt' | 'status'>;

/** Builds the row that lets a grant be ended. An implicit token needs it too, though it comes without a code. */
export function buildCode(
  asked: AuthorizationRequest,
  { user, session }: SignedInUser,
  issued: Issued,
  now: number,
): AuthorizationCode {
  const { target, redirectUri, codeChallenge, scope, resources, dpopJkt, claims, nonce } = asked;
  return {
    ...issued,
    registrationId: target.client.registrationId,
    clientGeneration: target.client.tokenGeneration,
    redirectUri,
    codeChallenge,
    scope,
    resources,
    userId: user.id,
    sessionId: session.sessionId,
    passwordChangedAt: user.passwordChangedAt,
    dpopJkt,
    claims,
    nonce,
    authTime: session.authTime,
    issuedAt: now,
    expiresAt: now + authorizationCodeRetention,
  };
}
