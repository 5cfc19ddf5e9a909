import { OAuthError, parseScope } from '@gatehouse/shared';

/** Gives the requested scope if `allowed` has all of it, and all of `allowed` if none is requested. */
export function chooseScope(asked: string | undefined, allowed: readonly string[]): string[] {
  if (asked === undefined) return [...allowed];
  const scope = parseScope(asked);
  if (scope.length > 0 && scope.every((token) => allowed.includes(token))) return scope;
  throw new OAuthError('invalid_scope', `ask for nothing beyond ${allowed.join(' ')}, which this client may have`);
}
