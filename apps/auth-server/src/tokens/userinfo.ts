import type { DirectoryUser, ResponseAlgorithm } from '@gatehouse/shared';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { AccessTokenClaims } from './access-token-claims.ts';
import { buildUserinfoClaims } from './userinfo-claims.ts';

/** An access token that is in force, as far as userinfo reads it. */
export interface Token {
  claims: Pick<AccessTokenClaims, 'aud' | 'scope' | 'userinfo_claims'>;
  user: DirectoryUser | undefined;
}

/** Whether a token can open userinfo, which belongs to the API of `baseUrl`: it is meant for that and stands for a user. */
export function isForUserinfo<T extends Token>(
  token: T | undefined,
  baseUrl: string,
): token is T & { user: DirectoryUser } {
  return token?.user !== undefined && token.claims.aud === baseUrl;
}

/** The answer of userinfo (OpenID Connect Core 5.3.2); undefined where the token lacks the scope openid. */
export type BuildUserinfo = ReturnType<typeof createBuildUserinfo>;

export function createBuildUserinfo(orgApi: Pick<OrgApi, 'limitToClaims'>) {
  return ({ claims, user }: Token & { user: DirectoryUser }) => {
    const scope = claims.scope.split(' ');
    if (!scope.includes('openid')) return undefined;
    return { sub: user.id, ...buildUserinfoClaims(user, orgApi.limitToClaims(scope), claims.userinfo_claims) };
  };
}

/**
 * The same answer as a signed JWT (Core 5.3.2) for the client of the token. It has no `typ`, `exp` and `nonce`: nothing here
 * takes it for an ID token.
 */
export type SignUserinfo = (
  algorithm: ResponseAlgorithm,
  userinfo: NonNullable<ReturnType<BuildUserinfo>>,
  clientId: string,
) => string;

export function createSignUserinfo(deps: { signingKeys: Pick<SigningKeys, 'sign'>; issuer: string }): SignUserinfo {
  const { signingKeys, issuer } = deps;
  return (algorithm, userinfo, clientId) =>
    signingKeys.sign(algorithm, undefined, { iss: issuer, aud: clientId, ...userinfo });
}
