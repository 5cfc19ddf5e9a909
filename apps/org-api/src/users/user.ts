import type { DirectoryUser, PersonalData, Role, UserDetails, UserType } from '@gatehouse/shared';
import { writeInstant } from './instant-text.ts';

/** A user as the organization database knows it. Instants are milliseconds since the epoch. */
export interface User extends PersonalData {
  /** UUIDv7. */
  id: string;
  username: string;
  userType: UserType;
  /**
   * argon2id, or what another server made; undefined for a user who never signs in with a password: a Robot, or a Person with
   * passkeys alone.
   */
  passwordHash: string | undefined;
  /** Whether another server made the hash. The first right password replaces it by ours. */
  isPasswordImported: boolean;
  /** Whether the password alone does not sign the user in. */
  secondStep: boolean;
  /** Whether a replica of the release before wrote a password next to the guarded one, or before the guard. */
  isUnguarded: boolean;
  /** Counts the changes of the methods. */
  methodsVersion: number;
  /** Milliseconds. Tokens issued before are not valid. */
  passwordChangedAt: number;
  firstName: string;
  lastName: string;
  email: string;
  emailVerified: boolean;
  enabled: boolean;
  roles: Role[];
  organization: string;
  locale: string;
  timezone: string;
  createdAt: number;
  updatedAt: number;
  /** The id in another system; unique. */
  externalId?: string | undefined;
  /** The names of the groups that the user is in, sorted; undefined where there is none. */
  groups?: string[] | undefined;
  /** The ids of the identities, the oldest first; undefined where there is none. */
  identities?: string[] | undefined;
}

/** The members of a record that a client sees. Undefined means all. */
export type VisibleMembers = ReadonlySet<string> | undefined;

const alwaysVisible = ['id', 'userType', 'enabled'];
/** The members that each scope shows a third-party client. A member in no list is for first-party clients alone. */
const membersOfScope: Record<string, readonly (keyof UserDetails)[]> = {
  profile: [
    ...(['username', 'firstName', 'lastName', 'organization', 'locale', 'timezone', 'createdAt', 'updatedAt'] as const),
    ...(['middleName', 'nickname', 'profile', 'picture', 'website', 'gender', 'birthdate'] as const),
    'externalId',
  ],
  email: ['email', 'emailVerified'],
  phone: ['phoneNumber', 'phoneNumberVerified'],
  address: ['address'],
  roles: ['roles'],
  groups: ['groups'],
};

/** The details that a third-party client sees with this scope. */
export function findVisibleMembers(scope: readonly string[]): ReadonlySet<string> {
  return new Set([...alwaysVisible, ...scope.flatMap((name) => membersOfScope[name] ?? [])]);
}

/** The public record of a user, as far as the client may see it. */
export function buildUserDetails(user: User, visible: VisibleMembers): UserDetails {
  const whole = buildWholeRecord(user);
  if (visible === undefined) return whole;
  return Object.fromEntries(Object.entries(whole).filter(([name]) => visible.has(name))) as UserDetails;
}

function buildWholeRecord(user: User): UserDetails {
  return {
    id: user.id,
    userType: user.userType,
    enabled: user.enabled,
    username: user.username,
    firstName: user.firstName,
    lastName: user.lastName,
    email: user.email,
    emailVerified: user.emailVerified,
    roles: user.roles,
    organization: user.organization,
    locale: user.locale,
    timezone: user.timezone,
    createdAt: writeInstant(user.createdAt),
    updatedAt: writeInstant(user.updatedAt),
    middleName: user.middleName,
    nickname: user.nickname,
    profile: user.profile,
    picture: user.picture,
    website: user.website,
    gender: user.gender,
    birthdate: user.birthdate,
    phoneNumber: user.phoneNumber,
    phoneNumberVerified: user.phoneNumberVerified,
    address: user.address,
    externalId: user.externalId,
    groups: user.groups,
  };
}

/** The record that the auth server gets. */
export function buildDirectoryUser(user: User): DirectoryUser {
  const {
    passwordHash: _never,
    isPasswordImported: _hidden,
    isUnguarded: _inner,
    methodsVersion: _own,
    ...rest
  } = user;
  const { createdAt: _unused, organization: _unneeded, ...directoryUser } = rest;
  return directoryUser;
}
