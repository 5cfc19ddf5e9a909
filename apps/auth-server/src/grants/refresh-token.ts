import { OAuthError } from '@gatehouse/shared';
import { mayUse } from '../clients/client.ts';
import { isCurrent, type OrganizationDirectory } from '../organization/organization-directory.ts';
import { getParameter } from '../request-parameters.ts';
import type { IssueTokens } from '../tokens/issue-tokens.ts';
import type { RefreshTokens } from '../tokens/refresh-token.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { chooseScope, type Grant, unauthorizedClient } from './grant.ts';

interface Dependencies {
  refreshTokens: RefreshTokens;
  revocations: Revocations;
  directory: OrganizationDirectory;
  issueTokens: IssueTokens;
}

/** Refreshing an access token (RFC 6749 6), with rotation (RFC 9700 4.14.2). */
export function createRefreshTokenGrant(deps: Dependencies): Grant {
  const { refreshTokens, revocations, directory, issueTokens } = deps;
  return async ({ client, parameters, origin }) => {
    if (!mayUse(client, 'refresh_token') && !client.scope.includes('offline_access')) {
      throw unauthorizedClient('refresh_token');
    }
    const token = getParameter(parameters, 'refresh_token');
    const stored = await refreshTokens.check(token, client);
    // What was granted, less what the client was since denied.
    const allowed = stored.scope.filter((name) => client.scope.includes(name));
    const scope = chooseScope(parameters.get('scope'), allowed);

    const user = await directory.findUserById(stored.userId, origin);
    if (!isCurrent(user, stored.passwordChangedAt)) {
      await revocations.endGrant(stored.grantId);
      throw new OAuthError('invalid_grant', 'the user is disabled or has a new password; sign in again');
    }
    const successor = await refreshTokens.rotate(token, stored);
    const { grantId, authTime, sessionId } = stored;
    return issueTokens.again({ grantId, client, user, scope, authTime, nonce: undefined, sessionId }, successor);
  };
}
