import { createHash } from 'node:crypto';
import type { SignedInUser } from '../sessions/signed-in-user.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** The subject of the sign-in form: this request. */
export function buildSignInSubject(encoded: string): string {
  return `sign-in ${encoded}`;
}

/**
 * The subject of the consent form: this session, this request and what the page shows. So the form also proves the fresh
 * sign-in before it.
 */
export function buildConsentSubject(
  { session }: Pick<SignedInUser, 'session'>,
  encoded: string,
  shown: string,
): string {
  return `consent ${session.sessionId} ${encoded}${shown === '' ? '' : ` ${shown}`}`;
}

/**
 * Stands for the resources that the consent page shows, with their ids and words. It differs where one was made again or
 * described otherwise meanwhile. Empty where org-api alone is asked for.
 */
export function hashShown({ resources, shown }: Pick<AuthorizationRequest, 'resources' | 'shown'>): string {
  if (resources === undefined) return '';
  return createHash('sha256')
    .update(JSON.stringify([resources, shown]))
    .digest('base64url');
}
