import { commonPasswordList } from './common-password-list.ts';

const commonPasswords: ReadonlySet<string> = new Set(commonPasswordList.trim().split(/\s+/));

/** Whether a password is one of the 10,000 commonest, in upper or lower case. */
export function isCommonPassword(password: string): boolean {
  return commonPasswords.has(password.toLowerCase());
}
