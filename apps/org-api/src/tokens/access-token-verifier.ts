import type { JwtClaims, VerifyJwt } from '@gatehouse/service-kit';
import { isBoundedString, isJsonObject, type Role, roles } from '@gatehouse/shared';
import { findVisibleMembers, type User, type VisibleMembers } from '../users/user.ts';
import type { StatusReference } from './status-list.ts';

/** What this service needs to know of an access token (RFC 9068). */
export interface AccessToken {
  clientId: string;
  scope: string[];
  /** Whether it may be used with its user's roles: a third-party client's only with scope roles. */
  carriesRoles: boolean;
  /** The roles that may be used with it at most: those of its client. */
  ceiling: readonly Role[];
  /** What it shows of users' records: to a third-party client what its scope opens. */
  visible: VisibleMembers;
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

/** Characters. */
const longestName = 255;
const longestUri = 2048;

function parseAccessToken(claims: JwtClaims): AccessToken | undefined {
  const { sub, iat, client_id: clientId, scope, password_changed_at: passwordChangedAt } = claims;
  if (!isBoundedString(clientId, longestName) || sub === undefined || iat === undefined) return undefined;
  const [status, dpopJkt] = [findStatus(claims), findThumbprint(claims)];
  // A limit that cannot be read is not one that may be passed over.
  if (status === null || dpopJkt === null) return undefined;
  const granted = typeof scope === 'string' ? scope.split(' ') : [];
  return {
    clientId,
    scope: granted,
    carriesRoles: claims.third_party !== true || granted.includes('roles'),
    visible: claims.third_party === true ? findVisibleMembers(granted) : undefined,
    ceiling: findCeiling(claims),
    userId: standsForUser(claims) ? sub : undefined,
    status,
    dpopJkt,
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

/** Null where the claim is there and no reference to a status list. */
function findStatus({ status }: JwtClaims): StatusReference | null | undefined {
  if (status === undefined) return undefined;
  const { idx, uri } = (isJsonObject(status) && isJsonObject(status.status_list) && status.status_list) || {};
  const isIndex = Number.isSafeInteger(idx) && Number(idx) >= 0;
  return isIndex && isBoundedString(uri, longestUri) ? { idx: Number(idx), uri } : null;
}

/** RFC 7800 3.1, RFC 9449 6.1: null where the claim is there and no thumbprint of a key. */
function findThumbprint({ cnf }: JwtClaims): string | null | undefined {
  if (cnf === undefined) return undefined;
  return isJsonObject(cnf) && isBoundedString(cnf.jkt, longestName) ? cnf.jkt : null;
}

/** Whether the user's state still allows what the token was issued for: enabled, and with the password of then. */
export function isStillValidFor(token: AccessToken, user: User): boolean {
  if (!user.enabled) return false;
  if (token.passwordChangedAt !== undefined) return token.passwordChangedAt === user.passwordChangedAt;
  return token.issuedAt >= Math.floor(user.passwordChangedAt / 1000);
}
