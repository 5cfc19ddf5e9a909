import type { JWTPayload } from 'jose';
import type { User } from '../users/user.ts';
import type { VerifyJwt } from './jwt-verifier.ts';

/** What this service needs to know of an access token (RFC 9068). */
export interface AccessToken {
  clientId: string;
  scope: string[];
  /** The id of the user the token stands for; undefined where a client acts for itself. */
  userId: string | undefined;
  /** Seconds. */
  issuedAt: number;
  /** `passwordChangedAt` of the user at the time of issue, in milliseconds. */
  passwordChangedAt: number | undefined;
}

export type VerifyAccessToken = (token: string) => Promise<AccessToken | undefined>;

/** RFC 9068 2.2: `typ` at+jwt, signed ES256, with the claims an access token must have. */
export const accessTokenRules = {
  type: 'at+jwt',
  algorithms: ['ES256'],
  requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'client_id'],
} as const;

export function createAccessTokenVerifier(verifyJwt: VerifyJwt): VerifyAccessToken {
  return async (token) => {
    const claims = await verifyJwt(token);
    return claims === undefined ? undefined : parseAccessToken(claims);
  };
}

function parseAccessToken(claims: JWTPayload): AccessToken | undefined {
  const { sub, iat, client_id: clientId, scope, username, password_changed_at: passwordChangedAt } = claims;
  if (typeof clientId !== 'string' || sub === undefined || iat === undefined) return undefined;
  return {
    clientId,
    scope: typeof scope === 'string' ? scope.split(' ') : [],
    // Where there is a user, the token names it; a plain client_credentials token has the client as its subject.
    userId: username === undefined ? undefined : sub,
    issuedAt: iat,
    passwordChangedAt: typeof passwordChangedAt === 'number' ? passwordChangedAt : undefined,
  };
}

/** Whether the user's state still allows what the token was issued for: enabled, and with the password of then. */
export function isStillValidFor(token: AccessToken, user: User): boolean {
  if (!user.enabled) return false;
  if (token.passwordChangedAt !== undefined) return token.passwordChangedAt === user.passwordChangedAt;
  return token.issuedAt >= Math.floor(user.passwordChangedAt / 1000);
}
