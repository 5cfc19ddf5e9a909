import { fieldsProblem } from '@gatehouse/shared';
import { commonPasswordList } from './common-password-list.ts';

const commonPasswords: ReadonlySet<string> = new Set(commonPasswordList.trim().split(/\s+/));

/** Whether a password is one of the 10,000 commonest, in upper or lower case. */
export function isCommonPassword(password: string): boolean {
  return commonPasswords.has(password.toLowerCase());
}

/** Throws a 400 that names the field where a new password is one of the 10,000 commonest. */
export function checkNotCommonPassword(password: string): void {
  if (!isCommonPassword(password)) return;
  throw fieldsProblem([{ field: 'password', detail: 'must not be one of the 10,000 most common passwords' }]);
}
