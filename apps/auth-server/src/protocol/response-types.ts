import type { GrantType } from '@gatehouse/shared';
import type { RequestParameters } from './request-parameters.ts';

/** The combinations of RFC 6749 3.1.1 and OAuth 2.0 Multiple Response Types this server knows, words in order. */
export const responseTypes = ['code', 'id_token', 'id_token token', 'token'] as const;
export type ResponseType = (typeof responseTypes)[number];

export const responseModes = ['query', 'fragment', 'form_post'] as const;
export type ResponseMode = (typeof responseModes)[number];

/** The grant type a client must be registered for. */
export const grantTypeOf: Record<ResponseType, GrantType> = {
  code: 'authorization_code',
  id_token: 'implicit',
  'id_token token': 'implicit',
  token: 'implicit',
};

/** The response type with its words in order; undefined for one this server does not know. */
export function findResponseType(parameters: RequestParameters): ResponseType | undefined {
  const words = (parameters.get('response_type') ?? '').split(' ').sort().join(' ');
  return responseTypes.find((type) => type === words);
}

/** Undefined where none is asked for, or one this server does not know. */
export function findResponseMode(parameters: RequestParameters): ResponseMode | undefined {
  return responseModes.find((mode) => mode === parameters.get('response_mode'));
}

/** Multiple Response Types 2.1: a code goes into the query, a token into the fragment, unless asked otherwise. */
export function defaultResponseMode(parameters: RequestParameters): ResponseMode {
  const words = (parameters.get('response_type') ?? '').split(' ');
  return words.includes('token') || words.includes('id_token') ? 'fragment' : 'query';
}
