import type { SignedInUser } from '../sessions/signed-in-user.ts';

/** What the sign-in form is about: this request. */
export function buildSignInSubject(encoded: string): string {
  return `sign-in ${encoded}`;
}

/** What the consent form is about: this session and this request. A fresh sign-in it followed stays proved by that. */
export function buildConsentSubject({ session }: Pick<SignedInUser, 'session'>, encoded: string): string {
  return `consent ${session.sessionId} ${encoded}`;
}
