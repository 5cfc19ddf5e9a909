/** The scopes every realm knows; an operator adds more with `EXTRA_SCOPES`. */
export const knownScopes = ['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'roles'] as const;

/** Scope names of org-api, or of a later release of it. No other resource has a scope of these names. */
export const reservedScopes: readonly string[] = [...knownScopes, 'phone', 'address'];

/** One scope-token: RFC 6749 3.3. */
export const scopeTokenPattern = '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$';
