import { createHash } from 'node:crypto';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

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

type Shown = Pick<AuthorizationRequest, 'target' | 'resources' | 'shown'>;

/**
 * Stands for the resources that the consent page shows, with their ids and words. It differs where one was made again or
 * described otherwise meanwhile, and where the client registered itself and changed what it says of itself. Empty where org-api
 * alone is asked for, by a client of an administrator.
 */
export function hashShown({ target, resources, shown }: Shown): string {
  const { dynamic, registrationId, document } = target.client;
  if (resources === undefined && dynamic === undefined) return '';
  const all = [
    resources,
    shown,
    ...(dynamic === undefined ? [] : [registrationId]),
    ...(document === undefined ? [] : [document.changedAt]),
  ];
  return createHash('sha256').update(JSON.stringify(all)).digest('base64url');
}
