import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { type AccessTokens, findLifetime } from '../tokens/access-token.ts';
import { type AuthorizationGrant, isUserPresent } from '../tokens/authorization-grant.ts';
import type { IdTokens } from '../tokens/id-token.ts';

/** RFC 8693 3. */
export const accessTokenTypeUri = 'urn:ietf:params:oauth:token-type:access_token';

/** The successful answer of the token endpoint (RFC 6749 5.1, OpenID Connect Core 3.1.3.3). */
export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer' | 'DPoP';
  /** Seconds. */
  expires_in: number;
  /** Of the access token; absent where its resource has no scopes. */
  scope: string | undefined;
  refresh_token?: string;
  id_token?: string;
  /** Of an exchange (RFC 8693 2.2.1). */
  issued_token_type?: typeof accessTokenTypeUri;
}

interface Dependencies {
  accessTokens: AccessTokens;
  idTokens: IdTokens;
  clock: Clock;
}

export type TokenIssue = ReturnType<typeof createTokenIssue>;

export function createTokenIssue({ accessTokens, idTokens, clock }: Dependencies) {
  /** Issues the access token, and the ID token if there is one, of a decided grant. */
  function issueTokens(grant: AuthorizationGrant, refreshToken: string | undefined): TokenResponse {
    // Read once: `expires_in` is what `exp` says.
    const now = toSeconds(clock());
    const lifetime = findLifetime(grant, now);
    const accessToken = accessTokens.issue(grant, now);
    const response: TokenResponse = {
      access_token: accessToken,
      token_type: grant.dpopJkt === undefined ? 'Bearer' : 'DPoP',
      expires_in: lifetime,
      scope: grant.target.scope.length === 0 ? undefined : grant.target.scope.join(' '),
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(comesWithIdToken(grant) ? { id_token: idTokens.issue(grant, { accessToken, byTokenEndpoint: true }) } : {}),
    };
    return grant.subject === undefined ? response : { issued_token_type: accessTokenTypeUri, ...response };
  }
  return { issueTokens };
}

/** Whether the token endpoint issues an ID token too. */
export function comesWithIdToken(grant: Omit<AuthorizationGrant, 'status'>): boolean {
  return grant.scope.includes('openid') && isUserPresent(grant);
}
