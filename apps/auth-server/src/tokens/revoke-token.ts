import { OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import { type AccessTokens, standsForUser } from './access-token.ts';
import type { RefreshTokens } from './refresh-tokens.ts';
import type { Revocations } from './revocations.ts';

/**
 * RFC 7009: ends a token of the client. A refresh token ends with everything issued from its grant, an access token
 * alone. A token that is not, or no longer, good is no error; one of another client is.
 */
export type RevokeToken = (token: string, client: Client) => Promise<RevokedToken | undefined>;

/** What was ended, as far as it may be told. */
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
  return async (token, client) => {
    const refreshToken = await refreshTokens.findEvenIfUsed(token);
    if (refreshToken !== undefined) {
      if (refreshToken.registrationId !== client.registrationId) throw issuedToAnother();
      await revocations.endGrant(refreshToken.grantId);
      return { token: 'refresh_token', grantId: refreshToken.grantId, userId: refreshToken.userId };
    }
    const claims = await accessTokens.verify(token);
    if (claims === undefined) return undefined;
    if (claims.client_id !== client.clientId) throw issuedToAnother();
    await revocations.revokeAccessToken(claims);
    const userId = standsForUser(claims) ? claims.sub : undefined;
    return { token: 'access_token', grantId: claims.grant_id, userId };
  };
}

function issuedToAnother(): OAuthError {
  return new OAuthError('invalid_grant', 'only the client that the token was issued to may revoke it');
}
