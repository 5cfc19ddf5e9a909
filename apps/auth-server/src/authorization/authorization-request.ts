import type { GrantType } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { RequestedClaims } from '../protocol/claims-parameter.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';

/** The combinations of RFC 6749 3.1.1 and OAuth 2.0 Multiple Response Types this server knows, words in order. */
export const responseTypes = ['code', 'id_token', 'id_token token', 'token'] as const;
export type ResponseType = (typeof responseTypes)[number];

export const responseModes = ['query', 'fragment', 'form_post'] as const;
export type ResponseMode = (typeof responseModes)[number];

export const prompts = ['none', 'login', 'consent', 'select_account'] as const;
export type Prompt = (typeof prompts)[number];

/** The grant type a client must be registered for. */
export const grantTypeOf: Record<ResponseType, GrantType> = {
  code: 'authorization_code',
  id_token: 'implicit',
  'id_token token': 'implicit',
  token: 'implicit',
};

/**
 * The first phase: who asks, and where an answer may go. Only with this in hand is an error sent back by redirect;
 * before, it is shown to the user.
 */
export interface AuthorizationTarget {
  client: Client;
  redirectUri: string;
  responseMode: ResponseMode;
  state: string | undefined;
}

/** The second phase: a request in which every parameter is as it must be. */
export interface AuthorizationRequest {
  target: AuthorizationTarget;
  responseType: ResponseType;
  scope: string[];
  /** As it stood in the request. */
  redirectUri: string | undefined;
  codeChallenge: string | undefined;
  /** RFC 9449 10. */
  dpopJkt: string | undefined;
  claims: RequestedClaims;
  nonce: string | undefined;
  prompts: ReadonlySet<Prompt>;
  /** Seconds. */
  maxAge: number | undefined;
  loginHint: string | undefined;
  /** The user the client expects, by `id_token_hint` or by the `sub` of `claims`. */
  expectedUserId: string | undefined;
}

/** The response type with its words in order; undefined for one this server does not know. */
export function findResponseType(parameters: RequestParameters): ResponseType | undefined {
  const words = (parameters.get('response_type') ?? '').split(' ').sort().join(' ');
  return responseTypes.find((type) => type === words);
}

/** Multiple Response Types 2.1: a code goes into the query, a token into the fragment, unless asked otherwise. */
export function defaultResponseMode(parameters: RequestParameters): ResponseMode {
  const words = (parameters.get('response_type') ?? '').split(' ');
  return words.includes('token') || words.includes('id_token') ? 'fragment' : 'query';
}
