import type { TypedCode } from '../organization/organization-directory.ts';

/** A sign-in whose password was right and whose second step is open. The form of the second step carries it. */
export interface PendingSignIn extends Required<Pick<TypedCode, 'userId' | 'passwordChangedAt' | 'methodsVersion'>> {
  /** Seconds: of the password. */
  passwordAt: number;
}

/** Seconds for which the second step may follow the password. */
const openFor = 600;

/** The hidden field of the form. The token of the form vouches for it: it is about this text, at this browser. */
export function formatPending({ userId, passwordChangedAt, methodsVersion, passwordAt }: PendingSignIn): string {
  return [userId, passwordChangedAt, methodsVersion, passwordAt].join('.');
}

/** Reads the field of a form of this server at `now` (milliseconds); undefined where it is too old. */
export function parsePending(text: string, now: number): PendingSignIn | undefined {
  const [userId = '', passwordChangedAt, methodsVersion, passwordAt] = text.split('.');
  const pending = {
    userId,
    passwordChangedAt: Number(passwordChangedAt),
    methodsVersion: Number(methodsVersion),
    passwordAt: Number(passwordAt),
  };
  return now < (pending.passwordAt + openFor) * 1000 ? pending : undefined;
}
