import { isBuiltIn, mostGrantsOfBuiltIn } from '../clients/built-in-clients.ts';
import { isPublic } from '../clients/client-demands.ts';
import type { AuthorizationGrant } from '../tokens/authorization-grant.ts';
import type { RefreshTokenGrant } from '../tokens/refresh-token.ts';
import type { RefreshTokens } from '../tokens/refresh-tokens.ts';
import type { Revocations } from '../tokens/revocations.ts';

/**
 * Issues the first refresh token of a grant; undefined where the grant comes with none. `rolesByScope`: whether its access
 * tokens carry roles with scope roles alone.
 */
export type IssueRefreshToken = (grant: AuthorizationGrant, rolesByScope?: boolean) => Promise<string | undefined>;

interface Dependencies {
  refreshTokens: Pick<RefreshTokens, 'issue'>;
  revocations: Pick<Revocations, 'endOldestGrantsOf'>;
}

export function createIssueRefreshToken({ refreshTokens, revocations }: Dependencies): IssueRefreshToken {
  return async (grant, rolesByScope = false) => {
    const refreshGrant = findRefreshTokenGrant(grant, rolesByScope);
    if (refreshGrant === undefined) return undefined;
    const token = await refreshTokens.issue(refreshGrant, grant.status);
    // Afterwards: of several at the same moment, the last one sees them all.
    if (isBuiltIn(grant.client)) {
      await revocations.endOldestGrantsOf(refreshGrant.userId, refreshGrant.registrationId, mostGrantsOfBuiltIn);
    }
    return token;
  };
}

/**
 * A refresh token is for a user who signed in: where the client has that grant type, or offline access was granted.
 * Never for a client on its own (RFC 6749 4.4.3).
 */
export function findRefreshTokenGrant(
  grant: Omit<AuthorizationGrant, 'status'>,
  rolesByScope: boolean,
): RefreshTokenGrant | undefined {
  const { client, user, scope, resources, authentication, grantId, sessionId, dpopJkt, claims } = grant;
  if (user === undefined || authentication === undefined) return undefined;
  const isOffline = scope.includes('offline_access');
  if (!isOffline && !client.grantTypes.includes('refresh_token')) return undefined;
  return {
    grantId,
    registrationId: client.registrationId,
    clientGeneration: client.tokenGeneration,
    userId: user.id,
    passwordChangedAt: user.passwordChangedAt,
    scope,
    resources,
    claims,
    authentication,
    // OpenID Connect Core 11: offline access outlives the session, everything else ends with it.
    sessionId: isOffline ? undefined : sessionId,
    beganIn: isOffline ? sessionId : undefined,
    // RFC 9449 5: a confidential client's refresh token is bound by the client's authentication.
    dpopJkt: isPublic(client) ? dpopJkt : undefined,
    rolesByScope,
  };
}
