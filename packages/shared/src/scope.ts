/** The scope that shows the groups of a user. It is off where `EXTRA_SCOPES` or a resource has the name already. */
export const groupsScope = 'groups';

/** The scopes every realm knows, but for the one that may be off; an operator adds more with `EXTRA_SCOPES`. */
export const knownScopes = ['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'roles'] as const;

/** One scope-token: RFC 6749 3.3. */
export const scopeTokenPattern = '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$';
