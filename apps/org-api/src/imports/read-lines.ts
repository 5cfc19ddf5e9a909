import { parseImportedHash } from '@gatehouse/service-kit/imported-hash';
import { createFieldsChecker, type FieldError, ImportedUser, ProblemError } from '@gatehouse/shared';
import { checkPhoneToVerify, checkTimezone, checkUsernameFits } from '../users/check-changes.ts';

/** Bytes of a line. */
export const longestLine = 64 * 1024;

/** A line of an import: its number, from 1, and a user, or why it is none. */
export type ReadLine = { line: number } & (
  | { user: ImportedUser; problems?: undefined }
  | { user?: undefined; problems: FieldError[] }
);

const checkUser = createFieldsChecker(ImportedUser);

/** Reads each line by itself: a faulty one leaves the others as they are. */
export function readLines(lines: readonly string[]): ReadLine[] {
  return lines.map((text, index) => ({ line: index + 1, ...readLine(text) }));
}

function readLine(text: string) {
  if (Buffer.byteLength(text) > longestLine) return { problems: ofLine(`must have at most ${longestLine} bytes`) };
  const body = parse(text);
  if (body === undefined) return { problems: ofLine('must be JSON') };
  const checked = checkUser(body);
  if (!checked.ok) return { problems: checked.errors.map(({ field, detail }) => ({ field, detail })) };
  const problems = findProblems(checked.value);
  return problems.length > 0 ? { problems } : { user: checked.value };
}

/** Rules that no pattern of a field can say. */
function findProblems(user: ImportedUser): FieldError[] {
  const { userType = 'Person', passwordHash, codeApp, passkeys = [], identities = [], createdAt } = user;
  const instants = [createdAt, ...passkeys.map((passkey) => passkey.createdAt)];
  const signsIn = [passwordHash, codeApp, passkeys[0], identities[0]].some((way) => way !== undefined);
  return [
    ...collect(() => checkUsernameFits(user)),
    ...collect(() => checkTimezone(user.timezone)),
    ...collect(() => checkPhoneToVerify(user, undefined)),
    ...when(userType === 'Robot' && signsIn, 'userType', 'is Robot, which has no password and no other way to sign in'),
    ...when(
      passwordHash !== undefined && parseImportedHash(passwordHash) === undefined,
      'passwordHash',
      'hash_not_known: must be argon2, bcrypt, PBKDF2 or scrypt in its usual form, within the bounds',
    ),
    ...when(
      instants.some((at) => at !== undefined && Number.isNaN(Date.parse(at))),
      'createdAt',
      'must be an instant that there is',
    ),
    ...when(hasRepeats(passkeys.map(({ credentialId }) => credentialId)), 'passkeys', 'must not have one twice'),
    ...when(hasRepeats(identities.map(({ issuer }) => issuer)), 'identities', 'must be of different issuers'),
  ];
}

function collect(check: () => void): FieldError[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ProblemError && error.errors !== undefined) return [...error.errors];
    throw error;
  }
}

function when(condition: boolean, field: string, detail: string): FieldError[] {
  return condition ? [{ field, detail }] : [];
}

function hasRepeats(values: readonly string[]): boolean {
  return new Set(values).size < values.length;
}

function ofLine(detail: string): FieldError[] {
  return [{ field: 'line', detail }];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
