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

/** The public record of a user. */
export function buildUserDetails(user: User): UserDetails {
  return {
    id: user.id,
    username: user.username,
    userType: user.userType,
    firstName: user.firstName,
    lastName: user.lastName,
    email: user.email,
    enabled: user.enabled,
    roles: user.roles,
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
