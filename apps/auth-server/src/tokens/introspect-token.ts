import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { buildScope } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { isCurrentSince, type OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Origin } from '../origin.ts';
import type { FindActiveAccessToken } from './find-active-access-token.ts';
import type { RefreshTokens } from './refresh-token.ts';

/** RFC 7662 2.2. Times in seconds. */
export interface IntrospectionResponse {
  active: boolean;
  [member: string]: unknown;
}

/** Says what a token is worth: what was revoked counts at once, what changed of its user within a second. Of refresh tokens a client learns about its own only. */
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
    const user = await directory.findRecentUser(stored.userId, isCurrentSince(stored.passwordChangedAt), origin);
    if (user === undefined) return inactive;
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
    const {
      grant_id: _1,
      password_changed_at: _2,
      userinfo_claims: _3,
      client_generation: _4,
      ...claims
    } = active.claims;
    return { active: true, token_type: claims.cnf === undefined ? 'Bearer' : 'DPoP', ...claims };
  };
}

/** The answer as a signed JWT (RFC 9701 5), for the resource server that asked. */
export type SignIntrospection = (response: IntrospectionResponse, client: Client) => string;

export function createSignIntrospection(deps: {
  signingKeys: SigningKeys;
  issuer: string;
  clock: Clock;
}): SignIntrospection {
  const { signingKeys, issuer, clock } = deps;
  return (response, { clientId }) =>
    signingKeys.sign('RS256', 'token-introspection+jwt', {
      iss: issuer,
      aud: clientId,
      iat: toSeconds(clock()),
      token_introspection: response,
    });
}
