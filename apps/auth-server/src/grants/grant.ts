import { OAuthError, parseScope } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { Origin } from '../origin.ts';
import type { RequestParameters } from '../request-parameters.ts';
import type { TokenResponse } from '../tokens/issue-tokens.ts';

/** A request to the token endpoint by a client that has proved who it is. */
export interface TokenRequest {
  client: Client;
  parameters: RequestParameters;
  origin: Origin;
}

/**
 * A way to obtain tokens (RFC 6749 1.3). Throws `unauthorized_client` where the client is not registered for it, and
 * what section 5.2 names for everything else.
 */
export type Grant = (request: TokenRequest) => Promise<TokenResponse>;

/** The scope to grant: what is asked for, if all of it is in `allowed`; all of `allowed` where none is asked. */
export function chooseScope(asked: string | undefined, allowed: readonly string[]): string[] {
  if (asked === undefined) return [...allowed];
  const scope = parseScope(asked);
  if (scope.length > 0 && scope.every((token) => allowed.includes(token))) return scope;
  throw new OAuthError('invalid_scope', `ask for nothing beyond ${allowed.join(' ')}, which this client may have`);
}

export function unauthorizedClient(grantType: string): OAuthError {
  return new OAuthError('unauthorized_client', `this client is not registered for the grant type ${grantType}`);
}
