import { type GrantType, OAuthError } from '@gatehouse/shared';
import type { RequestParameters } from './request-parameters.ts';

/** The combinations of RFC 6749 3.1.1 and OAuth 2.0 Multiple Response Types this server knows, words in order. */
const responseTypes = [
  'code',
  'id_token',
  'id_token token',
  'token',
  'code id_token',
  'code id_token token',
  'code token',
] as const;
export type ResponseType = (typeof responseTypes)[number];

/** Those with `jwt` have the answer signed (JARM 2.3). */
export const responseModes = [
  ...(['query', 'fragment', 'form_post'] as const),
  ...(['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt'] as const),
] as const;
/** Where an answer goes, and whether it is signed. */
export type ResponseMode = Exclude<(typeof responseModes)[number], 'jwt'>;

/** Whether the answer has a code, an ID token or an access token (OAuth 2.0 Multiple Response Types 3 and 5). */
export function gives(responseType: ResponseType, word: 'code' | 'id_token' | 'token'): boolean {
  return responseType.split(' ').includes(word);
}

/** The grant types a client must be registered for. */
function grantTypesOf(responseType: ResponseType): GrantType[] {
  const implicit: GrantType[] = responseType === 'code' ? [] : ['implicit'];
  return gives(responseType, 'code') ? ['authorization_code', ...implicit] : implicit;
}

/** The response types of an installation that switched these grant types off. */
export function listResponseTypes(off: readonly GrantType[]): ResponseType[] {
  return responseTypes.filter((type) => !grantTypesOf(type).some((grantType) => off.includes(grantType)));
}

/**
 * Gives the response type, its words in order. Throws `invalid_request` where there is none, `unsupported_response_type`,
 * and `unauthorized_client` where the client is not registered for its grant types.
 */
export function getResponseType(
  parameters: RequestParameters,
  supported: readonly ResponseType[],
  registered: readonly GrantType[],
): ResponseType {
  const asked = parameters.get('response_type');
  if (asked === undefined) throw new OAuthError('invalid_request', 'the parameter response_type is required');
  const words = asked.split(' ').sort().join(' ');
  const responseType = supported.find((type) => type === words);
  if (responseType === undefined) {
    throw new OAuthError('unsupported_response_type', `response_type must be one of ${supported.join(', ')}`);
  }
  const missing = grantTypesOf(responseType).find((grantType) => !registered.includes(grantType));
  if (missing === undefined) return responseType;
  throw new OAuthError('unauthorized_client', `this client is not registered for the grant type ${missing}`);
}

/** Throws `invalid_request` for a mode that this server does not know, and for one that would show a token to servers. */
export function checkResponseMode(responseType: ResponseType, parameters: RequestParameters): void {
  if (!parameters.has('response_mode')) return;
  const mode = findResponseMode(parameters);
  if (mode === undefined) {
    throw new OAuthError('invalid_request', `response_mode must be one of ${responseModes.join(', ')}`);
  }
  if ((mode === 'query' || mode === 'query.jwt') && responseType !== 'code') {
    throw new OAuthError(
      'invalid_request',
      `response_mode ${mode} is for response_type code only: a token never goes into the query`,
    );
  }
}

/** Chooses the response mode. An unknown mode is an error, which is answered in the default mode. */
export function chooseResponseMode(parameters: RequestParameters, repeated: ReadonlySet<string>): ResponseMode {
  const fallback = defaultResponseMode(parameters);
  if (repeated.has('response_mode')) return fallback;
  const asked = findResponseMode(parameters);
  // Multiple Response Types 5: an answer with a token never goes into the query, whose own answers go there unasked;
  // neither does the error that says so.
  if (asked === undefined || asked === 'query') return fallback;
  // JARM 2.3.4. The error about `query.jwt` is signed as well.
  return asked === 'jwt' || asked === 'query.jwt' ? `${fallback}.jwt` : asked;
}

/**
 * The response mode of a request that says nothing of it. Multiple Response Types 2.1: a code goes into the query, a token into
 * the fragment, unless asked otherwise.
 */
export function defaultResponseMode(parameters: RequestParameters): 'query' | 'fragment' {
  const words = (parameters.get('response_type') ?? '').split(' ');
  return words.includes('token') || words.includes('id_token') ? 'fragment' : 'query';
}

/** Undefined where none is asked for, or one that this server does not know. */
function findResponseMode(parameters: RequestParameters) {
  return responseModes.find((mode) => mode === parameters.get('response_mode'));
}
