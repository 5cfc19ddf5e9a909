import { OAuthError } from '@gatehouse/shared';

/** Gives the requested scope if `allowed` has all of it, and all of `allowed` if none is requested. */
export function chooseScope(asked: string | undefined, allowed: readonly string[]): string[] {
  if (asked === undefined) return [...allowed];
  const scope = parseScope(asked);
  if (scope.length > 0 && scope.every((token) => allowed.includes(token))) return scope;
  throw new OAuthError('invalid_scope', `the scope must be part of what this client may request: ${allowed.join(' ')}`);
}

/** Splits a space-delimited scope (RFC 6749 3.3), dropping empty and repeated tokens. */
export function parseScope(scope: string): string[] {
  return [...new Set(scope.split(' ').filter((token) => token !== ''))];
}
