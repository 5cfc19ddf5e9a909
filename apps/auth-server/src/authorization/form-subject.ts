import type { SignedInUser } from '../sessions/signed-in-user.ts';

/** The subject of the sign-in form: this request. */
export function buildSignInSubject(encoded: string): string {
  return `sign-in ${encoded}`;
}

/** The subject of the consent form: this session and this request. So the form also proves the fresh sign-in before it. */
export function buildConsentSubject({ session }: Pick<SignedInUser, 'session'>, encoded: string): string {
  return `consent ${session.sessionId} ${encoded}`;
}
