import type { JwtClaims, VerifyJwt } from '@gatehouse/service-kit';
import { type Role, roles } from '@gatehouse/shared';
import { type OpenParts, type User, wholeRecord } from '../users/user.ts';
import type { StatusReference } from './status-list.ts';

/** What this service needs to know of an access token (RFC 9068). */
export interface AccessToken {
  clientId: string;
  scope: string[];
  /** Whether it may be used with its user's roles: a third-party client's only with scope roles. */
  carriesRoles: boolean;
  /** The roles that may be used with it at most: those of its client. */
  ceiling: readonly Role[];
  /** What it shows of a user's record: to a third-party client what its scope opens. */
  opens: OpenParts;
  /** The id of the user the token stands for; undefined where a client acts for itself. */
  userId: string | undefined;
  /** Seconds. */
  issuedAt: number;
  /** Where to see whether it was revoked; undefined for a token that does not say. */
  status: StatusReference | undefined;
  /** RFC 9449 6.1: thumbprint of the key whose holder alone may use the token. */
  dpopJkt: string | undefined;
  /** `passwordChangedAt` of the user at the time of issue, in milliseconds. */
  passwordChangedAt: number | undefined;
}

export type VerifyAccessToken = VerifyJwt<AccessToken>;

/** RFC 9068 2.2: `typ` at+jwt, with the claims an access token must have. */
export const accessTokenRules = {
  type: 'at+jwt',
  requiredClaims: ['sub', 'aud', 'iat', 'jti', 'client_id'],
  remembered: 16 * 1024 * 1024,
  read: parseAccessToken,
} as const;

function parseAccessToken(claims: JwtClaims): AccessToken | undefined {
  const { sub, iat, client_id: clientId, scope, password_changed_at: passwordChangedAt } = claims;
  if (typeof clientId !== 'string' || sub === undefined || iat === undefined) return undefined;
  const granted = typeof scope === 'string' ? scope.split(' ') : [];
  return {
    clientId,
    scope: granted,
    carriesRoles: claims.third_party !== true || granted.includes('roles'),
    opens: claims.third_party === true ? findOpenParts(granted) : wholeRecord,
    ceiling: findCeiling(claims),
    userId: standsForUser(claims) ? sub : undefined,
    status: findStatus(claims),
    dpopJkt: (claims.cnf as { jkt?: string } | undefined)?.jkt,
    issuedAt: iat,
    passwordChangedAt: typeof passwordChangedAt === 'number' ? passwordChangedAt : undefined,
  };
}

/** Tokens of a release that does not say by `sub_type` name their user; a client's own token has no `username`. */
function standsForUser({ sub_type: subType, username }: JwtClaims): boolean {
  return subType === undefined ? username !== undefined : subType === 'user';
}

/** All roles where the token names no ceiling; none where what stands there is no list. */
function findCeiling({ ceiling }: JwtClaims): readonly Role[] {
  if (ceiling === undefined) return roles;
  return Array.isArray(ceiling) ? roles.filter((role) => ceiling.includes(role)) : [];
}

function findOpenParts(scope: readonly string[]): OpenParts {
  return { profile: scope.includes('profile'), email: scope.includes('email'), roles: scope.includes('roles') };
}

function findStatus({ status }: JwtClaims): StatusReference | undefined {
  const { idx, uri } = (status as { status_list?: Partial<StatusReference> } | undefined)?.status_list ?? {};
  return typeof idx === 'number' && typeof uri === 'string' ? { idx, uri } : undefined;
}

/** Whether the user's state still allows what the token was issued for: enabled, and with the password of then. */
export function isStillValidFor(token: AccessToken, user: User): boolean {
  if (!user.enabled) return false;
  if (token.passwordChangedAt !== undefined) return token.passwordChangedAt === user.passwordChangedAt;
  return token.issuedAt >= Math.floor(user.passwordChangedAt / 1000);
}
