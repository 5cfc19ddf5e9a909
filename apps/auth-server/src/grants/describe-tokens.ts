import type { AccessTokens } from '../tokens/access-token.ts';
import type { AccessTokenClaims } from '../tokens/access-token-claims.ts';
import type { AuthorizationGrant } from '../tokens/authorization-grant.ts';
import type { IdTokens } from '../tokens/id-token.ts';
import { type BuildUserinfo, isForUserinfo } from '../tokens/userinfo.ts';
import { comesWithIdToken } from './issue-tokens.ts';

/** A grant that was decided, and is not settled. */
export type PlannedGrant = Omit<AuthorizationGrant, 'status'>;

export type DescribeTokens = ReturnType<typeof createDescribeTokens>;

interface Dependencies {
  config: { baseUrl: string };
  accessTokens: Pick<AccessTokens, 'describe'>;
  idTokens: Pick<IdTokens, 'describe'>;
  buildUserinfo: BuildUserinfo;
}

/** Describes what the token endpoint would issue for a grant, and what userinfo would answer. Signs nothing. */
export function createDescribeTokens({ config, accessTokens, idTokens, buildUserinfo }: Dependencies) {
  return (grant: PlannedGrant) => {
    const accessToken = accessTokens.describe(grant);
    const token = { claims: accessToken.claims as AccessTokenClaims, user: grant.user };
    return {
      accessToken,
      idToken: comesWithIdToken(grant) ? idTokens.describe(grant) : undefined,
      userinfo: isForUserinfo(token, config.baseUrl) ? buildUserinfo(token) : undefined,
    };
  };
}
