import { OAuthError } from '@gatehouse/shared';
import { chooseScope } from '../clients/choose-scope.ts';
import { mayUse } from '../clients/client.ts';
import { isCurrentSince, type OrganizationDirectory } from '../organization/organization-directory.ts';
import { getParameter } from '../request-parameters.ts';
import type { AllocateStatus } from '../status/allocate-status.ts';
import type { IssueTokens } from '../tokens/issue-tokens.ts';
import type { RefreshTokens } from '../tokens/refresh-token.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { type Grant, unauthorizedClient } from './grant.ts';

interface Dependencies {
  refreshTokens: RefreshTokens;
  revocations: Revocations;
  directory: OrganizationDirectory;
  allocateStatus: AllocateStatus;
  issueTokens: IssueTokens;
}

/** Refreshing an access token (RFC 6749 6), with rotation (RFC 9700 4.14.2). */
export function createRefreshTokenGrant(deps: Dependencies): Grant {
  const { refreshTokens, revocations, directory, allocateStatus, issueTokens } = deps;
  return async ({ client, parameters, origin, dpopJkt }) => {
    if (!mayUse(client, 'refresh_token') && !client.scope.includes('offline_access')) {
      throw unauthorizedClient('refresh_token');
    }
    const token = getParameter(parameters, 'refresh_token');
    const stored = await refreshTokens.check(token, client);
    if (stored.dpopJkt !== undefined && stored.dpopJkt !== dpopJkt) {
      throw new OAuthError('invalid_dpop_proof', 'the refresh token is bound to another key');
    }
    // What was granted, less what the client was since denied.
    const allowed = stored.scope.filter((name) => client.scope.includes(name));
    const scope = chooseScope(parameters.get('scope'), allowed);

    const user = await directory.findRecentUser(stored.userId, isCurrentSince(stored.passwordChangedAt), origin);
    if (user === undefined) {
      await revocations.endGrant(stored.grantId);
      throw new OAuthError('invalid_grant', 'the user is disabled or has a new password; sign in again');
    }
    const { successor, status } = await refreshTokens.rotate(token, stored, await allocateStatus(client));
    const { grantId, authTime, sessionId, claims } = stored;
    // The grant may have been ended meanwhile, by somebody who did not see this status yet.
    if (await revocations.isGrantEnded(grantId)) {
      await revocations.endGrant(grantId, [status]);
      throw new OAuthError('invalid_grant', 'the grant was ended; sign in again');
    }
    return issueTokens.again(
      { grantId, client, user, scope, authTime, claims, nonce: undefined, sessionId, status, dpopJkt },
      successor,
    );
  };
}
