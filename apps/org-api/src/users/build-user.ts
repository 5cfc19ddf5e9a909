import { createId } from '@gatehouse/service-kit';
import { type NewUser, roles as rolesInOrder } from '@gatehouse/shared';
import { changePersonalData } from './personal-data.ts';
import type { User } from './user.ts';

/** Builds a new user, with defaults for absent fields. */
export function buildUser(newUser: NewUser, passwordHash: string | undefined, now: number, id = createId()): User {
  const email = newUser.email ?? newUser.username;
  const { verifiedEmail, ...personalData } = changePersonalData({}, email, newUser);
  return {
    id,
    username: newUser.username,
    userType: newUser.userType ?? 'Person',
    passwordHash,
    isPasswordImported: false,
    secondStep: false,
    isUnguarded: passwordHash !== undefined,
    methodsVersion: 0,
    passwordChangedAt: now,
    firstName: newUser.firstName ?? '',
    lastName: newUser.lastName ?? '',
    email,
    emailVerified: verifiedEmail === email,
    enabled: newUser.enabled ?? true,
    roles: rolesInOrder.filter((role) => newUser.roles?.includes(role)),
    organization: newUser.organization ?? '',
    locale: newUser.locale ?? 'en',
    timezone: newUser.timezone ?? 'UTC',
    externalId: newUser.externalId,
    createdAt: now,
    updatedAt: now,
    ...personalData,
  };
}
