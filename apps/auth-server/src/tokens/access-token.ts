import { randomUUID } from 'node:crypto';
import { type Clock, createJwtVerifier, toSeconds } from '@gatehouse/service-kit';
import { buildScope, isEveryRole, limitRoles, type Role } from '@gatehouse/shared';
import { isThirdParty, maySeeUsername } from '../clients/client.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { buildStatusClaim } from '../protocol/token-status.ts';
import { areAccessTokenClaims } from './access-token-form.ts';
import type { AuthorizationGrant } from './authorization-grant.ts';

/** The claims of an access token (RFC 9068 2.2) that this server reads back. Times in seconds. */
export interface AccessTokenClaims {
  iss: string;
  sub: string;
  /** Whom `sub` names. Tokens of the release before lack it: those with `username` stand for a user. */
  sub_type?: 'user' | 'client';
  aud: string;
  client_id: string;
  exp: number;
  iat: number;
  jti: string;
  scope: string;
  /** Where there is a user; for a third-party client with scope profile or email. */
  username?: string;
  auth_time?: number;
  /** Issued to a third-party client: may use its user's roles with scope roles only. */
  third_party?: true;
  /** The roles that can be used with the token at most; all where left out. */
  ceiling?: readonly Role[];
  /** Must be that of the client; 0 where left out. */
  client_generation?: number;
  /** Where scope roles was granted: those of the user that the ceiling leaves. */
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

const accessTokenType = 'at+jwt';

export interface AccessTokens {
  issue(grant: AuthorizationGrant): string;
  /** Checks what can be checked without a database; undefined for whatever is not an access token in force. */
  verify(token: string): Promise<Readonly<AccessTokenClaims> | undefined>;
}

interface Dependencies {
  signingKeys: SigningKeys;
  issuer: string;
  /** The resource server the tokens are meant for. */
  audience: string;
  clock: Clock;
}

/** RFC 9068: JWT access tokens, `typ` at+jwt, signed ES256. */
export function createAccessTokens({ signingKeys, issuer, audience, clock }: Dependencies): AccessTokens {
  const verify = createJwtVerifier<Readonly<AccessTokenClaims>>(
    { keys: signingKeys.verificationKeys, clock },
    {
      issuer,
      type: accessTokenType,
      requiredClaims: ['sub', 'aud', 'iat', 'jti', 'client_id'],
      remembered: 8 * 1024 * 1024,
      read: (claims) => (areAccessTokenClaims(claims) ? Object.freeze(claims) : undefined),
    },
  );

  return {
    issue(grant) {
      const iat = toSeconds(clock());
      const claims: AccessTokenClaims = {
        iss: issuer,
        sub: grant.user?.id ?? grant.client.clientId,
        aud: audience,
        sub_type: grant.user === undefined ? 'client' : 'user',
        client_id: grant.client.clientId,
        exp: iat + grant.client.accessTokenValidity,
        iat,
        jti: randomUUID(),
        scope: buildScope(grant.scope),
        grant_id: grant.grantId,
        ...buildClientClaims(grant),
        status: buildStatusClaim(issuer, grant.status),
        ...(grant.dpopJkt === undefined ? {} : { cnf: { jkt: grant.dpopJkt } }),
        ...(grant.claims.userinfo.length === 0 ? {} : { userinfo_claims: grant.claims.userinfo }),
        ...buildUserClaims(grant),
      };
      return signingKeys.sign('ES256', accessTokenType, claims);
    },
    verify,
  };
}

function buildClientClaims({ client }: AuthorizationGrant): Partial<AccessTokenClaims> {
  return {
    ...(isThirdParty(client) ? { third_party: true as const } : {}),
    ...(isEveryRole(client.ceiling) ? {} : { ceiling: client.ceiling }),
    ...(client.tokenGeneration === 0 ? {} : { client_generation: client.tokenGeneration }),
  };
}

/** Whether the token stands for a user, and not for the client itself. */
export function standsForUser({ sub_type: subType, username }: AccessTokenClaims): boolean {
  return subType === undefined ? username !== undefined : subType === 'user';
}

function buildUserClaims({ user, authTime, scope, client }: AuthorizationGrant): Partial<AccessTokenClaims> {
  if (user === undefined) return {};
  return {
    ...(maySeeUsername(client, scope) ? { username: user.username } : {}),
    password_changed_at: user.passwordChangedAt,
    ...(authTime === undefined ? {} : { auth_time: authTime }),
    ...(scope.includes('roles') ? { roles: limitRoles(user.roles, client.ceiling) } : {}),
  };
}
