import { isJsonObject, OAuthError, quoteName, unloggedName } from '@gatehouse/shared';
import type { RequestParameters } from '../protocol/request-parameters.ts';

/** RFC 7519 4.1: what an object says of itself. */
const ofTheObject = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/** Reads the parameters of an authorization request out of the claims of its object (RFC 9101 4); throws `invalid_request_object`. */
export function readObjectParameters(claims: Readonly<Record<string, unknown>>): RequestParameters {
  const parameters = Object.entries(claims).filter(([name]) => !ofTheObject.includes(name));
  const texts = parameters.map(([name, value]): [string, string] => [name, readText(name, value)]);
  // RFC 6749 3.1: a parameter without a value counts as absent.
  return new Map(texts.filter(([, text]) => text !== ''));
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  // OpenID Connect Core 6.1.
  if (name === 'max_age' && typeof value === 'number') return String(value);
  if (name === 'claims' && isJsonObject(value)) return JSON.stringify(value);
  // RFC 8707 2.1. A URI has no space, so a space separates them.
  if (name === 'resource' && Array.isArray(value) && value.every((uri) => typeof uri === 'string')) {
    return value.join(' ');
  }
  const describe = (shown: string) => `the request object is not valid: ${shown} must be a string`;
  throw new OAuthError('invalid_request_object', describe(quoteName(name)), { logged: describe(unloggedName) });
}
