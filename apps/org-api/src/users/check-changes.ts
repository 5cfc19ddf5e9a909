import { fieldsProblem, foldUsername, type UserChanges } from '@gatehouse/shared';

/** Throws a 400 for a time zone that Node.js does not know. */
export function checkTimezone(timezone: string | undefined): void {
  if (timezone === undefined || isTimezone(timezone)) return;
  throw fieldsProblem([{ field: 'timezone', detail: 'must be an IANA time zone name' }]);
}

export function isTimezone(timezone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return true;
  } catch {
    return false;
  }
}

/** Throws a 400 where a number that is not there is said to be verified. */
export function checkPhoneToVerify(
  { phoneNumber, phoneNumberVerified }: Pick<UserChanges, 'phoneNumber' | 'phoneNumberVerified'>,
  storedNumber: string | undefined,
): void {
  const hasNumber = phoneNumber === undefined ? storedNumber !== undefined : phoneNumber !== null;
  if (phoneNumberVerified !== true || hasNumber) return;
  throw fieldsProblem([
    { field: 'phoneNumberVerified', detail: 'must not be true where the user has no phoneNumber; send one with it' },
  ]);
}

/** Throws a 400. Some letters become longer when they are folded (İ), and the folded form is stored for comparison. */
export function checkUsernameFits({ username }: { username: string }): void {
  if ([...foldUsername(username)].length <= 255) return;
  throw fieldsProblem([{ field: 'username', detail: 'must have at most 255 characters, also in lower case' }]);
}
