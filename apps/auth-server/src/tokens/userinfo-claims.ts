import type { DirectoryUser } from '@gatehouse/shared';
import type { RequestedClaims } from '../protocol/claims-parameter.ts';

/** The claims that each scope opens (OpenID Connect Core 5.4), beside `sub`. */
const claimsOfScope: Record<string, readonly string[]> = {
  profile: ['name', 'given_name', 'family_name', 'preferred_username', 'locale', 'zoneinfo', 'updated_at'],
  email: ['email'],
  roles: ['roles'],
};

export const userinfoClaimNames = Object.values(claimsOfScope).flat();

/** The claims that these scopes open. */
export function listClaimsOf(scope: readonly string[]): string[] {
  return scope.flatMap((name) => claimsOfScope[name] ?? []);
}

/** Of the claims asked for by name, those that a client with these scopes may have (Core 5.5). */
export function chooseClaims(asked: readonly string[], allowedScope: readonly string[]): string[] {
  const allowed = new Set(listClaimsOf(allowedScope));
  return asked.filter((name) => allowed.has(name));
}

/** The claims asked for by name that the scopes asked for do not open; each once. */
export function listClaimsBeyond(scope: readonly string[], { idToken, userinfo }: RequestedClaims): string[] {
  const opened = new Set(listClaimsOf(scope));
  return [...new Set([...userinfo, ...idToken])].filter((name) => !opened.has(name));
}

/** The claims about a user that the granted scopes open, and those asked for by name. */
export function buildUserinfoClaims(
  user: DirectoryUser,
  scope: readonly string[],
  asked: readonly string[] = [],
): Record<string, unknown> {
  const wanted = new Set([...listClaimsOf(scope), ...asked]);
  return Object.fromEntries(Object.entries(buildAllClaims(user)).filter(([name]) => wanted.has(name)));
}

function buildAllClaims(user: DirectoryUser): Record<string, unknown> {
  return {
    name: [user.firstName, user.lastName].filter((part) => part !== '').join(' '),
    given_name: user.firstName,
    family_name: user.lastName,
    preferred_username: user.username,
    locale: user.locale,
    zoneinfo: user.timezone,
    updated_at: Math.floor(user.updatedAt / 1000),
    email: user.email,
    roles: user.roles,
  };
}
