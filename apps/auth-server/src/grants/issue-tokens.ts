import type { AccessTokens } from '../tokens/access-token.ts';
import { type AuthorizationGrant, isUserPresent } from '../tokens/authorization-grant.ts';
import type { IdTokens } from '../tokens/id-token.ts';

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
}

/** Issues the access token, and the ID token if there is one, of a decided grant. */
export type IssueTokens = (grant: AuthorizationGrant, refreshToken: string | undefined) => TokenResponse;

export function createIssueTokens({
  accessTokens,
  idTokens,
}: {
  accessTokens: AccessTokens;
  idTokens: IdTokens;
}): IssueTokens {
  return (grant, refreshToken) => {
    const accessToken = accessTokens.issue(grant);
    const hasIdToken = grant.scope.includes('openid') && isUserPresent(grant);
    return {
      access_token: accessToken,
      token_type: grant.dpopJkt === undefined ? 'Bearer' : 'DPoP',
      expires_in: grant.target.accessTokenValidity,
      scope: grant.target.scope.length === 0 ? undefined : grant.target.scope.join(' '),
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(hasIdToken ? { id_token: idTokens.issue(grant, { accessToken, byTokenEndpoint: true }) } : {}),
    };
  };
}
