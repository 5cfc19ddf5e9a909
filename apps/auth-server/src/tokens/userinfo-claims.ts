import type { Address, DirectoryUser } from '@gatehouse/shared';
import type { RequestedClaims } from '../protocol/claims-parameter.ts';

/** The claims that each scope opens (OpenID Connect Core 5.4), in addition to `sub`. */
const claimsOfScope: Record<string, readonly string[]> = {
  profile: [
    ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
    ...['website', 'gender', 'birthdate', 'locale', 'zoneinfo', 'updated_at', 'external_id'],
  ],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  address: ['address'],
  roles: ['roles'],
  groups: ['groups'],
};

export const userinfoClaimNames = Object.values(claimsOfScope).flat();

/** The claims that these scopes open. */
export function listClaimsOf(scope: readonly string[]): string[] {
  return scope.flatMap((name) => claimsOfScope[name] ?? []);
}

/** Of the claims asked for by name, those that a client with these scopes may have (Core 5.5). The others are left out without an error. */
export function chooseClaims({ idToken, userinfo }: RequestedClaims, allowedScope: readonly string[]): RequestedClaims {
  const allowed = new Set(listClaimsOf(allowedScope));
  const choose = (names: readonly string[]) => names.filter((name) => allowed.has(name));
  return { idToken: choose(idToken), userinfo: choose(userinfo) };
}

/** The claims asked for by name that the scopes asked for do not open; each once. */
export function listClaimsBeyond(scope: readonly string[], { idToken, userinfo }: RequestedClaims): string[] {
  const opened = new Set(listClaimsOf(scope));
  return [...new Set([...userinfo, ...idToken])].filter((name) => !opened.has(name));
}

/**
 * The claims about a user that the granted scopes open, and those asked for by name. Core 5.3.2: what the user has not is
 * left out.
 */
export function buildUserinfoClaims(
  user: DirectoryUser,
  scope: readonly string[],
  asked: readonly string[] = [],
): Record<string, unknown> {
  const wanted = new Set([...listClaimsOf(scope), ...asked]);
  if (wanted.size === 0) return {};
  const all = Object.entries(buildAllClaims(user));
  return Object.fromEntries(all.filter(([name, value]) => wanted.has(name) && value !== undefined));
}

function buildAllClaims(user: DirectoryUser): Record<string, unknown> {
  return {
    name: [user.firstName, user.lastName].filter((part) => part !== '').join(' '),
    given_name: user.firstName,
    family_name: user.lastName,
    middle_name: user.middleName,
    nickname: user.nickname,
    preferred_username: user.username,
    profile: user.profile,
    picture: user.picture,
    website: user.website,
    gender: user.gender,
    birthdate: user.birthdate,
    locale: user.locale,
    zoneinfo: user.timezone,
    updated_at: Math.floor(user.updatedAt / 1000),
    external_id: user.externalId,
    email: user.email,
    email_verified: user.emailVerified,
    phone_number: user.phoneNumber,
    phone_number_verified: user.phoneNumberVerified,
    address: user.address === undefined ? undefined : buildAddressClaim(user.address),
    roles: user.roles,
    groups: user.groups,
  };
}

/** Core 5.1.1. JSON leaves out what is undefined. */
function buildAddressClaim({ formatted, streetAddress, locality, region, postalCode, country }: Address) {
  return { formatted, street_address: streetAddress, locality, region, postal_code: postalCode, country };
}
