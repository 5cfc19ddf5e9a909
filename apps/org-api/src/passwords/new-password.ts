import { fieldsProblem, foldUsername, type MethodFault } from '@gatehouse/shared';
import type { User } from '../users/user.ts';
import type { IsBreached } from './breached-passwords.ts';
import { isCommonPassword } from './common-password.ts';

/** Characters. */
const longestPassword = 1024;
/** Characters that do not make a name a password. */
const fewCharacters = 4;

type PasswordFault = Extract<MethodFault, `password_${string}`>;

/** The names of the user whose password it is. */
type Names = Partial<Pick<User, 'username' | 'email' | 'firstName' | 'lastName'>>;

export type NewPasswords = ReturnType<typeof createNewPasswords>;

interface Dependencies {
  config: { passwordMinLength: number };
  /** Undefined where there is no list. */
  isBreached: IsBreached | undefined;
}

/** The rules for new passwords. There is none about kinds of characters, and none expires. */
export function createNewPasswords({ config: { passwordMinLength: minLength }, isBreached }: Dependencies) {
  const texts: Record<PasswordFault, string> = {
    password_too_short: `must have at least ${minLength} characters`,
    password_too_long: `must have at most ${longestPassword} characters`,
    password_common: 'must not be one of the 10,000 most common passwords',
    password_breached: 'must not be one that is known from a breach',
    password_resembles_name: `must not be a name or an address of the user, nor one followed by at most ${fewCharacters} characters`,
  };
  const findFault = async (password: string, names: Names): Promise<PasswordFault | undefined> => {
    const { length } = [...password];
    if (length < minLength) return 'password_too_short';
    if (length > longestPassword) return 'password_too_long';
    if (isCommonPassword(password)) return 'password_common';
    if (resemblesName(password, names)) return 'password_resembles_name';
    return (await isBreached?.(password)) === true ? 'password_breached' : undefined;
  };
  return {
    minLength,
    findFault,
    /** Throws a 400 that names the field. */
    async check(password: string, names: Names): Promise<void> {
      const fault = await findFault(password, names);
      if (fault !== undefined) throw fieldsProblem([{ field: 'password', detail: texts[fault] }]);
    },
  };
}

function resemblesName(password: string, { username = '', email = '', firstName = '', lastName = '' }: Names): boolean {
  const [localPart = ''] = username.split('@', 1);
  const names = [username, localPart, email, `${firstName} ${lastName}`.trim(), firstName + lastName];
  const folded = foldUsername(password);
  return names.some((name) => {
    const start = foldUsername(name);
    return start !== '' && folded.startsWith(start) && [...folded.slice(start.length)].length <= fewCharacters;
  });
}
