import type { DirectoryUser, Role, UserDetails, UserType } from '@gatehouse/shared';

/** A user as the organization database knows it. Instants are milliseconds since the epoch. */
export interface User {
  /** UUIDv7. */
  id: string;
  username: string;
  userType: UserType;
  /** argon2id; undefined for a Robot, which never signs in with a password. */
  passwordHash: string | undefined;
  /** Tokens issued before are void. */
  passwordChangedAt: number;
  firstName: string;
  lastName: string;
  email: string;
  enabled: boolean;
  roles: Role[];
  organization: string;
  locale: string;
  timezone: string;
  createdAt: number;
  updatedAt: number;
}

/** The parts of a record that a scope opens, beside `id`, `userType` and `enabled`. */
export interface OpenParts {
  profile: boolean;
  email: boolean;
  roles: boolean;
}

/** What a first-party client sees. */
export const wholeRecord: OpenParts = { profile: true, email: true, roles: true };

/** The public record of a user, as far as the caller may see it. */
export function buildUserDetails(user: User, open: OpenParts): UserDetails {
  const { id, userType, enabled } = user;
  if (open === wholeRecord)
    return { id, userType, enabled, email: user.email, roles: user.roles, ...buildProfile(user) };
  return {
    id,
    userType,
    enabled,
    ...(open.profile ? buildProfile(user) : {}),
    ...(open.email ? { email: user.email } : {}),
    ...(open.roles ? { roles: user.roles } : {}),
  };
}

function buildProfile(user: User) {
  return {
    username: user.username,
    firstName: user.firstName,
    lastName: user.lastName,
    organization: user.organization,
    locale: user.locale,
    timezone: user.timezone,
    createdAt: new Date(user.createdAt).toISOString(),
    updatedAt: new Date(user.updatedAt).toISOString(),
  };
}

/** The record that the auth server gets. */
export function buildDirectoryUser(user: User): DirectoryUser {
  const { passwordHash: _never, createdAt: _unused, organization: _unneeded, ...directoryUser } = user;
  return directoryUser;
}
