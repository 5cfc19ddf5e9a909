import { randomUUID } from 'node:crypto';
import { type Clock, rememberVerified, toSeconds } from '@gatehouse/service-kit';
import { buildScope } from '@gatehouse/shared';
import { jwtVerify } from 'jose';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { buildStatusClaim } from '../status/token-status.ts';
import type { AuthorizationGrant } from './authorization-grant.ts';

/** The claims of an access token (RFC 9068 2.2) that this server reads back. Times in seconds. */
export interface AccessTokenClaims {
  iss: string;
  sub: string;
  aud: string;
  client_id: string;
  exp: number;
  iat: number;
  jti: string;
  scope: string;
  /** Where there is a user. */
  username?: string;
  auth_time?: number;
  /** Issued to a third-party client: may use its user's roles with scope roles only. */
  third_party?: true;
  /** Where scope roles was granted. */
  roles?: string[];
  /** The grant that it ends with. */
  grant_id: string;
  /** What userinfo gives beyond the scopes (OpenID Connect Core 5.5). */
  userinfo_claims?: string[];
  /** Token Status List: where to see whether it was revoked. */
  status: { status_list: { idx: number; uri: string } };
  /** RFC 9449 6.1: the key whose holder alone may use the token. */
  cnf?: { jkt: string };
  /** Milliseconds: of the user's password, at the time of issue. A new password voids the token. */
  password_changed_at?: number;
}

export interface AccessTokens {
  issue(grant: AuthorizationGrant): string;
  /** Checks what can be checked without a database; undefined for whatever is not an access token in force. */
  verify(token: string): Promise<Readonly<AccessTokenClaims> | undefined>;
}

/** Characters of access tokens that are remembered as verified. */
const remembered = 8 * 1024 * 1024;

interface VerifiedToken {
  claims: Readonly<AccessTokenClaims>;
  kid: string;
}

interface Dependencies {
  signingKeys: SigningKeys;
  issuer: string;
  /** The resource server the tokens are meant for. */
  audience: string;
  clock: Clock;
}

/**
 * RFC 9068: JWT access tokens, `typ` at+jwt, signed ES256. One that was verified is not verified again until it expires or
 * its key is withdrawn.
 */
export function createAccessTokens({ signingKeys, issuer, audience, clock }: Dependencies): AccessTokens {
  const stillStands = ({ claims, kid }: VerifiedToken) =>
    claims.exp > toSeconds(clock()) && signingKeys.isPublished(kid);

  const verify = async (token: string): Promise<VerifiedToken | undefined> => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, signingKeys.getKey, {
        issuer,
        typ: 'at+jwt',
        algorithms: ['ES256'],
        requiredClaims: ['sub', 'aud', 'exp', 'iat', 'jti', 'client_id'],
        currentDate: new Date(clock()),
      });
      return { claims: Object.freeze(payload) as unknown as AccessTokenClaims, kid: protectedHeader.kid ?? '' };
    } catch {
      return undefined;
    }
  };
  const verifyOnce = rememberVerified({ verify, stillStands, remembered });

  return {
    issue(grant) {
      const iat = toSeconds(clock());
      const claims: AccessTokenClaims = {
        iss: issuer,
        sub: grant.user?.id ?? grant.client.clientId,
        aud: audience,
        client_id: grant.client.clientId,
        exp: iat + grant.client.accessTokenValidity,
        iat,
        jti: randomUUID(),
        scope: buildScope(grant.scope),
        grant_id: grant.grantId,
        ...(grant.client.metadata.require_consent ? { third_party: true as const } : {}),
        status: buildStatusClaim(issuer, grant.status),
        ...(grant.dpopJkt === undefined ? {} : { cnf: { jkt: grant.dpopJkt } }),
        ...(grant.claims.userinfo.length === 0 ? {} : { userinfo_claims: grant.claims.userinfo }),
        ...buildUserClaims(grant),
      };
      return signingKeys.sign('ES256', 'at+jwt', claims);
    },
    async verify(token) {
      const verified = await verifyOnce(token);
      return verified?.claims;
    },
  };
}

function buildUserClaims({ user, authTime, scope }: AuthorizationGrant): Partial<AccessTokenClaims> {
  if (user === undefined) return {};
  return {
    username: user.username,
    password_changed_at: user.passwordChangedAt,
    ...(authTime === undefined ? {} : { auth_time: authTime }),
    ...(scope.includes('roles') ? { roles: user.roles } : {}),
  };
}
