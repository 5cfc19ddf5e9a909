import type { Client } from '../clients/client.ts';
import type { ClientDemands } from '../clients/client-demands.ts';
import type { LevelDemand } from '../levels/level-demand.ts';
import type { RequestedClaims } from '../protocol/claims-parameter.ts';
import type { Prompt } from '../protocol/prompt.ts';
import type { ResponseMode, ResponseType } from '../protocol/response-types.ts';
import type { RequestedAccess } from '../resources/requested-access.ts';

/**
 * The first phase: the client, and the address of the answer. Once it is known, an error goes back by redirect; before that
 * it is shown to the user.
 */
export interface AuthorizationTarget {
  client: Client;
  demands: ClientDemands;
  redirectUri: string;
  responseMode: ResponseMode;
  state: string | undefined;
  /** The languages that the client asks for, as they came. */
  uiLocales: string | undefined;
}

/** The second phase: a request whose parameters are all checked. */
export interface AuthorizationRequest extends RequestedAccess {
  target: AuthorizationTarget;
  responseType: ResponseType;
  /** As it stood in the request. */
  redirectUri: string | undefined;
  codeChallenge: string | undefined;
  /** RFC 9449 10. */
  dpopJkt: string | undefined;
  claims: RequestedClaims;
  nonce: string | undefined;
  prompts: ReadonlySet<Prompt>;
  level: LevelDemand;
  loginHint: string | undefined;
  /** The alias of the upstream where the user signs in. */
  upstream: string | undefined;
  /** The user the client expects, by `id_token_hint` or by the `sub` of `claims`. */
  expectedUserId: string | undefined;
  /** The `request_uri` of a pushed request, which the answer uses up. */
  pushed: string | undefined;
}

/** A request that a browser brought. */
export interface BrowserRequest extends AuthorizationRequest {
  /** The whole request, form-encoded: the pages carry it, so that their forms bring it back. */
  encoded: string;
}
