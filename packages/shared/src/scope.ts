/** The scopes every realm knows; an operator adds more with `EXTRA_SCOPES`. */
export const knownScopes = ['openid', 'profile', 'email', 'offline_access', 'roles'] as const;

/** One scope-token: RFC 6749 3.3. */
export const scopeTokenPattern = '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$';

/** Splits a space-delimited scope (RFC 6749 3.3), dropping empty and repeated tokens. */
export function parseScope(scope: string): string[] {
  return [...new Set(scope.split(' ').filter((token) => token !== ''))];
}

/** Joins scope tokens as RFC 6749 3.3 writes them. */
export function buildScope(scope: readonly string[]): string {
  return scope.join(' ');
}
