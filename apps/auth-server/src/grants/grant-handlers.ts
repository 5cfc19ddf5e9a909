import { deviceCodeGrantType, type GrantType, type TokenGrantType, tokenExchangeGrantType } from '@gatehouse/shared';
import { createAuthorizationCodeGrant } from './authorization-code.ts';
import { createClientCredentialsGrant } from './client-credentials.ts';
import { createDeviceCodeGrant } from './device-code.ts';
import type { GrantHandler, GrantHandlers } from './grant-handler.ts';
import { createPasswordGrant } from './password.ts';
import { createRefreshTokenGrant } from './refresh-token.ts';
import { createTokenExchangeGrant } from './token-exchange.ts';

type Needs<T extends (deps: never) => GrantHandler> = Parameters<T>[0];

/** The parts by which the grant types decide and settle. */
export type GrantParts = Needs<typeof createPasswordGrant> &
  Needs<typeof createAuthorizationCodeGrant> &
  Needs<typeof createRefreshTokenGrant> &
  Needs<typeof createClientCredentialsGrant> &
  Needs<typeof createDeviceCodeGrant> &
  Needs<typeof createTokenExchangeGrant> & { config: { grantTypesOff: readonly GrantType[] } };

/** The grant types that are not switched off. */
export function createGrantHandlers(parts: GrantParts): GrantHandlers {
  const clientCredentials = createClientCredentialsGrant(parts);
  const handlers: Record<TokenGrantType, GrantHandler> = {
    password: createPasswordGrant(parts),
    authorization_code: createAuthorizationCodeGrant(parts),
    refresh_token: createRefreshTokenGrant(parts),
    client_credentials: clientCredentials,
    service_account: clientCredentials,
    [deviceCodeGrantType]: createDeviceCodeGrant(parts),
    [tokenExchangeGrantType]: createTokenExchangeGrant(parts),
  };
  const off: readonly string[] = parts.config.grantTypesOff;
  return new Map(Object.entries(handlers).filter(([name]) => !off.includes(name)));
}
