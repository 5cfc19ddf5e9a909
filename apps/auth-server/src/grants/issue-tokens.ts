import { buildScope } from '@gatehouse/shared';
import { isPublic, mayUse } from '../clients/client.ts';
import type { AccessTokens } from '../tokens/access-token.ts';
import { type AuthorizationGrant, isUserPresent } from '../tokens/authorization-grant.ts';
import type { IdTokens } from '../tokens/id-token.ts';
import type { RefreshTokenGrant } from '../tokens/refresh-token.ts';
import type { RefreshTokens } from '../tokens/refresh-tokens.ts';

/** The successful answer of the token endpoint (RFC 6749 5.1, OpenID Connect Core 3.1.3.3). */
export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer' | 'DPoP';
  /** Seconds. */
  expires_in: number;
  scope: string;
  refresh_token?: string;
  id_token?: string;
}

/** Issues what a decided grant is entitled to. */
export interface IssueTokens {
  /** With a refresh token where the grant comes with one. */
  first(grant: AuthorizationGrant): Promise<TokenResponse>;
  /** Beside a refresh token that was rotated already. */
  again(grant: AuthorizationGrant, refreshToken: string): TokenResponse;
}

interface Dependencies {
  accessTokens: AccessTokens;
  idTokens: IdTokens;
  refreshTokens: RefreshTokens;
}

export function createIssueTokens({ accessTokens, idTokens, refreshTokens }: Dependencies): IssueTokens {
  const build = (grant: AuthorizationGrant, refreshToken: string | undefined): TokenResponse => {
    const accessToken = accessTokens.issue(grant);
    const hasIdToken = grant.scope.includes('openid') && isUserPresent(grant);
    return {
      access_token: accessToken,
      token_type: grant.dpopJkt === undefined ? 'Bearer' : 'DPoP',
      expires_in: grant.client.accessTokenValidity,
      scope: buildScope(grant.scope),
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(hasIdToken ? { id_token: idTokens.issue(grant, { accessToken }) } : {}),
    };
  };

  return {
    async first(grant) {
      const refreshGrant = findRefreshTokenGrant(grant);
      return build(
        grant,
        refreshGrant === undefined ? undefined : await refreshTokens.issue(refreshGrant, grant.status),
      );
    },
    again: build,
  };
}

/**
 * A refresh token is for a user who signed in: where the client has that grant type, or offline access was granted.
 * Never for a client on its own (RFC 6749 4.4.3).
 */
function findRefreshTokenGrant(grant: AuthorizationGrant): RefreshTokenGrant | undefined {
  const { client, user, scope, authTime, grantId, sessionId, dpopJkt, claims } = grant;
  if (user === undefined || authTime === undefined) return undefined;
  const isOffline = scope.includes('offline_access');
  if (!isOffline && !mayUse(client, 'refresh_token')) return undefined;
  return {
    grantId,
    registrationId: client.registrationId,
    userId: user.id,
    passwordChangedAt: user.passwordChangedAt,
    scope,
    claims,
    authTime,
    // OpenID Connect Core 11: offline access outlives the session, everything else ends with it.
    sessionId: isOffline ? undefined : sessionId,
    // RFC 9449 5: what binds a confidential client's refresh token is its authentication.
    dpopJkt: isPublic(client) ? dpopJkt : undefined,
  };
}
