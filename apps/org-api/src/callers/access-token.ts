import {
  type CheckedToken,
  findKeyThumbprint,
  findProofAlgorithms,
  findStatusReference,
  isBoundedString,
  type JwtClaims,
  readAuthentication,
} from '@gatehouse/resource-server/parts';
import { type Role, roles } from '@gatehouse/shared';
import { findVisibleMembers, type User, type VisibleMembers } from '../users/user.ts';

/** The content of an access token (RFC 9068) that this service uses. */
export interface AccessToken extends CheckedToken {
  clientId: string;
  /** Whether it carries its user's roles. A third-party client's token does only with scope roles. */
  carriesRoles: boolean;
  /** The roles that can be used with it at most: the ceiling of its client. */
  ceiling: readonly Role[];
  /** Seconds since the sign-in, at most, for changes at administration. */
  administrationMaxAge: number | undefined;
  /** The members of users' records that it shows. For a third-party client its scope decides. */
  visible: VisibleMembers;
  /** The id of the user the token stands for; undefined where a client acts for itself. */
  userId: string | undefined;
  /** Seconds. */
  issuedAt: number;
  /** `passwordChangedAt` of the user at the time of issue, in milliseconds. */
  passwordChangedAt: number | undefined;
}

/** RFC 9068 2.2: `typ` at+jwt, with the claims an access token must have. */
export const accessTokenRules = {
  type: 'at+jwt',
  requiredClaims: ['sub', 'aud', 'iat', 'jti', 'client_id'],
  remembered: 16 * 1024 * 1024,
  read: parseAccessToken,
} as const;

/** Characters. */
const longestName = 255;

function parseAccessToken(claims: JwtClaims): AccessToken | undefined {
  const { sub, iat, client_id: clientId, scope, password_changed_at: passwordChangedAt } = claims;
  const { administration_max_age: administrationMaxAge } = claims;
  if (!isBoundedString(clientId, longestName) || sub === undefined || iat === undefined) return undefined;
  const [status, dpopJkt] = [findStatusReference(claims), findKeyThumbprint(claims)];
  const proofAlgorithms = findProofAlgorithms(claims);
  // A claim that limits the token and cannot be read must not be ignored.
  if (status === null || dpopJkt === null || proofAlgorithms === null) return undefined;
  if (administrationMaxAge !== undefined && typeof administrationMaxAge !== 'number') return undefined;
  const granted = typeof scope === 'string' ? scope.split(' ') : [];
  return {
    clientId,
    scope: granted,
    carriesRoles: claims.third_party !== true || granted.includes('roles'),
    visible: claims.third_party === true ? findVisibleMembers(granted) : undefined,
    ceiling: findCeiling(claims),
    administrationMaxAge,
    userId: standsForUser(claims) ? sub : undefined,
    status,
    dpopJkt,
    proofAlgorithms,
    ...readAuthentication(claims),
    issuedAt: iat,
    passwordChangedAt: typeof passwordChangedAt === 'number' ? passwordChangedAt : undefined,
  };
}

/** Tokens of a release without `sub_type` name their user. The token of a client itself has no `username`. */
function standsForUser({ sub_type: subType, username }: JwtClaims): boolean {
  return subType === undefined ? username !== undefined : subType === 'user';
}

/** Gives all roles where the token names no ceiling, and none where the claim is no list. */
function findCeiling({ ceiling }: JwtClaims): readonly Role[] {
  if (ceiling === undefined) return roles;
  return Array.isArray(ceiling) ? roles.filter((role) => ceiling.includes(role)) : [];
}

/** Whether the user is enabled and still has the password of the time of issue. */
export function isStillValidFor(token: AccessToken, user: User): boolean {
  if (!user.enabled) return false;
  if (token.passwordChangedAt !== undefined) return token.passwordChangedAt === user.passwordChangedAt;
  return token.issuedAt >= Math.floor(user.passwordChangedAt / 1000);
}
