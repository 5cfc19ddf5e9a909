import type { DirectoryUser } from '@gatehouse/shared';

/** The claims about a user that the granted scopes open (OpenID Connect Core 5.4), beside `sub`. */
export function buildUserinfoClaims(user: DirectoryUser, scope: readonly string[]): Record<string, unknown> {
  return {
    ...(scope.includes('profile') ? buildProfile(user) : {}),
    ...(scope.includes('email') ? { email: user.email } : {}),
    ...(scope.includes('roles') ? { roles: user.roles } : {}),
  };
}

function buildProfile(user: DirectoryUser): Record<string, unknown> {
  return {
    name: [user.firstName, user.lastName].filter((part) => part !== '').join(' '),
    given_name: user.firstName,
    family_name: user.lastName,
    preferred_username: user.username,
    locale: user.locale,
    zoneinfo: user.timezone,
    updated_at: Math.floor(user.updatedAt / 1000),
  };
}
