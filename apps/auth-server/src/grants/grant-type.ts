import type { RequestContext } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { TString } from 'typebox';
import type { Client } from '../clients/client.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { AuthorizationGrant } from '../tokens/authorization-grant.ts';

/** A request to the token endpoint by an authenticated client. */
export interface TokenRequest {
  client: Client;
  /** The `grant_type` that names this request. */
  grantType: string;
  parameters: RequestParameters;
  context: RequestContext;
  /** Thumbprint of the key that a DPoP proof was made with (RFC 9449 5). */
  dpopJkt: string | undefined;
}

/** A way to obtain tokens (RFC 6749 1.3). It decides; the token endpoint does what all of them share. */
export interface GrantType {
  /** Its own parameters of the form. */
  parameters: Readonly<Record<string, TString>>;
  /** Whether the client is registered for it. */
  mayUse(client: Client, grantType: string): boolean;
  /** Throws what RFC 6749 5.2 names. */
  decide(request: TokenRequest): Promise<Decision>;
}

/** What may be issued. */
export interface Decision {
  grant: Omit<AuthorizationGrant, 'client' | 'status' | 'dpopJkt'>;
  /** Consumes a code or rotates a token, and writes the rows of the grant. Absent where there is neither. */
  settle?(status: TokenStatus): Promise<Settled>;
  /** Runs the checks that must follow the issue of the tokens. */
  afterIssue?(): Promise<void>;
}

export interface Settled {
  /** The status that was allocated; of a repeated refresh the one that its first use had. */
  status: TokenStatus;
  refreshToken: string | undefined;
}

/** Throws `unauthorized_client` where the client is not registered for the grant type. */
export function checkMayUse({ mayUse }: GrantType, client: Client, grantType: string): void {
  if (mayUse(client, grantType)) return;
  throw new OAuthError('unauthorized_client', `this client is not registered for the grant type ${grantType}`);
}
