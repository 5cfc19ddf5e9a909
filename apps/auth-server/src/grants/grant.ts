import { OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { Origin } from '../protocol/request-context.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { TokenResponse } from './issue-tokens.ts';

/** A request to the token endpoint by a client that has proved who it is. */
export interface TokenRequest {
  client: Client;
  parameters: RequestParameters;
  origin: Origin;
  /** Thumbprint of the key that a DPoP proof was made with (RFC 9449 5). */
  dpopJkt: string | undefined;
}

/**
 * A way to obtain tokens (RFC 6749 1.3). Throws `unauthorized_client` where the client is not registered for it, and
 * what section 5.2 names for everything else.
 */
export type Grant = (request: TokenRequest) => Promise<TokenResponse>;

export function unauthorizedClient(grantType: string): OAuthError {
  return new OAuthError('unauthorized_client', `this client is not registered for the grant type ${grantType}`);
}
