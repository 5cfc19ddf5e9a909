import { OAuthError } from '@gatehouse/shared';
import type { RequestParameters } from './request-parameters.ts';

const mostAcrValues = 10;
const longestAcrValue = 255;

/** OpenID Connect Core 3.1.2.1: `max_age` in seconds; undefined where it was not sent. Throws `invalid_request`. */
export function parseMaxAge(parameters: RequestParameters): number | undefined {
  const maxAge = parameters.get('max_age');
  if (maxAge === undefined) return undefined;
  if (!/^\d{1,9}$/.test(maxAge)) throw new OAuthError('invalid_request', 'max_age must be a number of seconds');
  return Number(maxAge);
}

/** OpenID Connect Core 3.1.2.1: the `acr_values`, the preferred one first. Throws `invalid_request`. */
export function parseAcrValues(parameters: RequestParameters): string[] {
  const values = (parameters.get('acr_values') ?? '').split(' ').filter((value) => value !== '');
  if (values.length <= mostAcrValues && values.every(({ length }) => length <= longestAcrValue)) return values;
  throw new OAuthError(
    'invalid_request',
    `acr_values must hold at most ${mostAcrValues} values of at most ${longestAcrValue} characters`,
  );
}
