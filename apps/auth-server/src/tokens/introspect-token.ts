import { toSeconds } from '@gatehouse/service-kit';
import { buildScope } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import { isCurrent, type OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Origin } from '../origin.ts';
import type { FindActiveAccessToken } from './find-active-access-token.ts';
import type { RefreshTokens } from './refresh-token.ts';

/** RFC 7662 2.2. Times in seconds. */
export interface IntrospectionResponse {
  active: boolean;
  [member: string]: unknown;
}

/** Says what a token is worth at this moment. Of refresh tokens a client learns about its own only. */
export type IntrospectToken = (token: string, client: Client, origin: Origin) => Promise<IntrospectionResponse>;

interface Dependencies {
  findActiveAccessToken: FindActiveAccessToken;
  refreshTokens: RefreshTokens;
  directory: OrganizationDirectory;
  issuer: string;
}

const inactive: IntrospectionResponse = { active: false };

export function createIntrospectToken(deps: Dependencies): IntrospectToken {
  const { findActiveAccessToken, refreshTokens, directory, issuer } = deps;

  const introspectRefreshToken = async (token: string, client: Client, origin: Origin) => {
    const stored = await refreshTokens.find(token);
    if (stored === undefined || stored.registrationId !== client.registrationId) return inactive;
    const user = await directory.findUserById(stored.userId, origin);
    if (!isCurrent(user, stored.passwordChangedAt)) return inactive;
    return {
      active: true,
      scope: buildScope(stored.scope),
      client_id: client.clientId,
      username: user.username,
      sub: stored.userId,
      iss: issuer,
      exp: toSeconds(stored.expiresAt),
    };
  };

  return async (token, client, origin) => {
    const active = await findActiveAccessToken(token, origin);
    if (active === undefined) return introspectRefreshToken(token, client, origin);
    const { grant_id: _internal, password_changed_at: _unneeded, ...claims } = active.claims;
    return { active: true, token_type: 'Bearer', ...claims };
  };
}
