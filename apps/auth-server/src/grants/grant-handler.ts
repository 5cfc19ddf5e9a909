import type { RequestContext } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { TString } from 'typebox';
import type { Client } from '../clients/client.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import { listAskedResources } from '../resources/requested-resource.ts';
import type { AuthorizationGrant } from '../tokens/authorization-grant.ts';

/** A request to the token endpoint by an authenticated client. */
export interface TokenRequest {
  client: Client;
  /** The `grant_type` that names this request. */
  grantType: string;
  parameters: RequestParameters;
  /** The `resource` that it names (RFC 8707 2.2). */
  resource: string | undefined;
  context: RequestContext;
  /** Thumbprint of the key that a DPoP proof was made with (RFC 9449 5). */
  dpopJkt: string | undefined;
}

/** Handles requests of one grant type (RFC 6749 1.3). It decides; the token endpoint does what all of them share. */
export interface GrantHandler {
  /** Its own parameters of the form. */
  parameters: Readonly<Record<string, TString>>;
  /** Whether the client is registered for it. */
  mayUse(client: Client, grantType: string): boolean;
  /** Throws what RFC 6749 5.2 names. */
  decide(request: TokenRequest): Promise<Decision>;
}

/** The tokens that may be issued. */
export interface Decision {
  grant: Omit<AuthorizationGrant, 'client' | 'status' | 'dpopJkt'>;
  /** Consumes a code or rotates a token, and writes the rows of the grant. Absent where there is neither. */
  settle?(status: TokenStatus): Promise<Settled>;
}

export interface Settled {
  /** The status that was allocated; of a repeated refresh the one that its first use had. */
  status: TokenStatus;
  refreshToken: string | undefined;
}

/** By the names that `grant_type` has. */
export type GrantHandlers = ReadonlyMap<string, GrantHandler>;

/** The one `resource` of a token request; throws `invalid_target` where it names several: a token has one audience. */
export function findAskedResource(parameters: RequestParameters): string | undefined {
  if (!parameters.has('resource')) return undefined;
  const [asked, ...others] = listAskedResources(parameters);
  if (others.length === 0) return asked;
  throw new OAuthError('invalid_target', 'an access token is for one resource; send one resource with each request');
}

/**
 * Gives the handler of the grant type that the form names. Throws `invalid_request` where it names none, `unsupported_grant_type`, and
 * `unauthorized_client` where the client is not registered for it.
 */
export function getGrantHandler(handlers: GrantHandlers, parameters: RequestParameters, client: Client) {
  const name = parameters.get('grant_type');
  if (name === undefined) throw new OAuthError('invalid_request', 'the parameter grant_type is required');
  const handler = handlers.get(name);
  if (handler === undefined) {
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of ${[...handlers.keys()].join(', ')}`);
  }
  if (handler.mayUse(client, name)) return { name, handler };
  throw new OAuthError('unauthorized_client', `this client is not registered for the grant type ${name}`);
}
