import { type PersonalData, personalDataNames, type UserChanges } from '@gatehouse/shared';

/**
 * The personal data of a user as it is stored. It names the e-mail address that was verified, not that the address of
 * the row is: a release that does not know this may change the address of the row, which is then not verified.
 */
export interface StoredPersonalData extends PersonalData {
  verifiedEmail?: string | undefined;
}

type Changes = Pick<UserChanges, keyof PersonalData | 'email' | 'emailVerified'>;

/** Whether the changes are of personal data, or of what it says about the e-mail address. */
export function touchesPersonalData(changes: Changes): boolean {
  return ['email', 'emailVerified', ...personalDataNames].some((name) => changes[name as keyof Changes] !== undefined);
}

/** The data stored after a change of a user with this e-mail address. Members that this release does not know stay. */
export function changePersonalData(stored: StoredPersonalData, email: string, changes: Changes): StoredPersonalData {
  const next: StoredPersonalData = { ...stored, ...pickGiven(changes) };
  return {
    ...next,
    phoneNumberVerified: findPhoneVerified(stored, next.phoneNumber, changes.phoneNumberVerified),
    verifiedEmail: findVerifiedEmail(stored, email, changes),
  };
}

/** The members of the change; null becomes undefined, which is not stored. */
function pickGiven(changes: Changes): PersonalData {
  const given = personalDataNames.filter((name) => changes[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, changes[name] ?? undefined]));
}

/** Another number is not verified until an administrator says so. Without a number there is nothing to verify. */
function findPhoneVerified(
  stored: StoredPersonalData,
  number: string | undefined,
  said: boolean | undefined,
): boolean | undefined {
  if (number === undefined) return undefined;
  return said ?? (number === stored.phoneNumber && stored.phoneNumberVerified === true);
}

/** Another address is not verified until an administrator says so. */
function findVerifiedEmail(
  { verifiedEmail }: StoredPersonalData,
  email: string,
  { email: changed = email, emailVerified }: Changes,
): string | undefined {
  if (emailVerified === undefined) return changed === email ? verifiedEmail : undefined;
  return emailVerified ? changed : undefined;
}
