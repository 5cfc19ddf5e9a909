import { OAuthError, parseScope } from '@gatehouse/shared';

/** The scope to grant: what is asked for, if all of it is in `allowed`; all of `allowed` where none is asked. */
export function chooseScope(asked: string | undefined, allowed: readonly string[]): string[] {
  if (asked === undefined) return [...allowed];
  const scope = parseScope(asked);
  if (scope.length > 0 && scope.every((token) => allowed.includes(token))) return scope;
  throw new OAuthError('invalid_scope', `ask for nothing beyond ${allowed.join(' ')}, which this client may have`);
}
