import { OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import { type AccessTokens, standsForUser } from './access-token.ts';
import type { AccessTokenClaims } from './access-token-claims.ts';
import type { RefreshToken } from './refresh-token.ts';
import type { RefreshTokens } from './refresh-tokens.ts';
import type { Revocations } from './revocations.ts';

/**
 * RFC 7009: ends a token of the client. A refresh token ends with everything issued from its grant, an access token
 * alone. A token that is not, or no longer, good is no error, and gives undefined; one of another client is an error.
 */
export type RevokeToken = (token: string, client: Client) => Promise<RevokedToken | undefined>;

/** The token or grant that ended, as far as it may be told. */
export interface RevokedToken {
  token: 'access_token' | 'refresh_token';
  grantId: string | undefined;
  /** Whom it stood for; undefined where a client acted for itself. */
  userId: string | undefined;
}

interface Dependencies {
  accessTokens: AccessTokens;
  refreshTokens: RefreshTokens;
  revocations: Revocations;
}

export function createRevokeToken({ accessTokens, refreshTokens, revocations }: Dependencies): RevokeToken {
  const endGrantOf = async ({ registrationId, grantId, userId }: RefreshToken, client: Client) => {
    if (registrationId !== client.registrationId) throw issuedToAnother();
    const isEnded = await revocations.endGrant(grantId);
    return isEnded ? ({ token: 'refresh_token', grantId, userId } as const) : undefined;
  };
  const revokeAccessToken = async (claims: AccessTokenClaims | undefined, client: Client) => {
    if (claims === undefined) return undefined;
    if (claims.client_id !== client.clientId) throw issuedToAnother();
    const userId = standsForUser(claims) ? claims.sub : undefined;
    const isRevoked = await revocations.revokeAccessToken(claims);
    return isRevoked ? ({ token: 'access_token', grantId: claims.grant_id, userId } as const) : undefined;
  };
  return async (token, client) => {
    const refreshToken = await refreshTokens.findEvenIfUsed(token);
    return refreshToken === undefined
      ? revokeAccessToken(await accessTokens.verify(token), client)
      : endGrantOf(refreshToken, client);
  };
}

function issuedToAnother(): OAuthError {
  return new OAuthError('invalid_grant', 'only the client that the token was issued to may revoke it');
}
