import { isLevel, limitRoles, OAuthError, type PresentedToken } from '@gatehouse/shared';
import type { Tell } from '../events/event.ts';
import type { AccessTokenClaims } from '../tokens/access-token-claims.ts';
import type { FindActiveAccessToken } from '../tokens/find-active-access-token.ts';
import type { Administrator, AdministratorRequest } from './administrator.ts';
import { type AdministratorChallenge, AdministratorRefusal } from './administrator-challenge.ts';

/** Gives the user of an access token, with the roles that the client may use; throws 401 or 403. */
export type AuthenticateByToken = (presented: PresentedToken, request: AdministratorRequest) => Promise<Administrator>;

interface Dependencies {
  findActiveAccessToken: FindActiveAccessToken;
  tell: Tell;
  challenge: AdministratorChallenge;
  /** The `aud` of the tokens that open client administration. */
  audience: string;
}

export function createTokenAuthentication(deps: Dependencies): AuthenticateByToken {
  const { findActiveAccessToken, tell, challenge, audience } = deps;
  const { invalidToken } = challenge;

  return async (presented, request) => {
    let reason: string | undefined;
    const active = await findActiveAccessToken(presented.token, request.context, {
      disabledUser: true,
      note: (fault) => {
        reason = fault;
      },
    });
    if (active === undefined) {
      tell({ type: 'access_token.refused' });
      throw invalidToken('the access token is malformed, expired or revoked', reason);
    }
    const { client, claims, user } = active;
    if (claims.aud !== audience)
      throw invalidToken('the access token is meant for another resource server', `meant for ${claims.aud}`);
    await request.checkHolder(presented, active).catch((error: unknown) => {
      throw toRefusal(error, challenge);
    });
    const sees = claims.third_party ? claims.scope.split(' ') : undefined;
    if (sees?.includes('roles') === false) {
      throw new AdministratorRefusal(
        'the user has not allowed this application the scope roles, without which it may not use the roles of the user',
        { why: 'not_allowed' },
      );
    }
    if (user === undefined)
      throw new AdministratorRefusal('the access token stands for no user', { why: 'not_allowed' });
    const roles = limitRoles(limitRoles(user.roles, client.ceiling), claims.ceiling ?? client.ceiling);
    const acr = isLevel(claims.acr) ? claims.acr : undefined;
    return { user, roles, acr, clientId: client.clientId, sees, freshness: findFreshness(claims) };
  };
}

function findFreshness({ administration_max_age: maxAge, auth_time: signedInAt = 0 }: AccessTokenClaims) {
  return maxAge === undefined ? undefined : { maxAge, signedInAt };
}

/** The error for a token that comes without the proof of its key; any other failure stays as it is. */
function toRefusal(error: unknown, { invalidToken, invalidProof, useNonce }: AdministratorChallenge): unknown {
  if (!(error instanceof OAuthError)) return error;
  if (error.code === 'invalid_token') return invalidToken(error.message);
  if (error.code === 'use_dpop_nonce') return useNonce(error);
  return error.code === 'invalid_dpop_proof' ? invalidProof(error) : error;
}
