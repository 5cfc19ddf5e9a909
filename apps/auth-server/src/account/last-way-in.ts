import type { AccountData, RemovedMethod, UserMethods } from '@gatehouse/shared';
import type { OwnIdentity } from './own-identities.ts';

/** The ways in which a user signs in. */
export interface WaysIn {
  methods: UserMethods;
  identities: readonly OwnIdentity[];
  /** Of the user. */
  roles: readonly string[];
}

export function listWaysIn({ methods, user: { roles = [] } }: AccountData, identities: readonly OwnIdentity[]): WaysIn {
  return { methods, identities, roles };
}

/** Whether the user could sign in no more without this. A SystemAdministrator keeps a password or a passkey, whatever else there is. */
export function isLastWayIn({ methods, identities, roles }: WaysIn, removed: RemovedMethod): boolean {
  if ('codeApp' in removed) return false;
  const { password, passkeys } = methods;
  const keepsPassword = password !== null && !('password' in removed);
  const keepsPasskey = passkeys.some(
    ({ id, userVerified }) => userVerified && !('passkey' in removed && removed.passkey === id),
  );
  if (keepsPassword || keepsPasskey) return false;
  if ('identity' in removed) return !identities.some(({ id, isEnabled }) => isEnabled && id !== removed.identity);
  return roles.includes('SystemAdministrator') || !identities.some(({ isEnabled }) => isEnabled);
}

/** Says why a method or an identity cannot be removed; undefined where it can. */
export function findRemovalRefusal(ways: WaysIn, removed: RemovedMethod): 'unknown' | 'last_way_in' | undefined {
  if (!isThere(ways, removed)) return 'unknown';
  return isLastWayIn(ways, removed) ? 'last_way_in' : undefined;
}

function isThere({ methods, identities }: WaysIn, removed: RemovedMethod): boolean {
  if ('codeApp' in removed) return methods.codeApp !== null;
  if ('password' in removed) return methods.password !== null;
  if ('identity' in removed) return identities.some(({ id }) => id === removed.identity);
  return methods.passkeys.some(({ id }) => id === removed.passkey);
}

/** Whether no second step would be left without this method. */
export function isLastSecondStep({ passkeys, codeApp }: UserMethods, removed: RemovedMethod): boolean {
  if ('password' in removed || 'identity' in removed) return false;
  return passkeys.length + (codeApp === null ? 0 : 1) === 1;
}
