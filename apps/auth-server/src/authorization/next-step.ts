import { OAuthError } from '@gatehouse/shared';
import { type Consents, isConsentOpen } from '../consent/consents.ts';
import type { BrowserSession } from '../sessions/browser-session.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

export type NextStep =
  | { step: 'sign_in' }
  | { step: 'consent'; signedIn: SignedInUser }
  | { step: 'answer'; signedIn: SignedInUser };

/** The steps that the user has done for the request. */
export interface Done {
  signedIn: SignedInUser | undefined;
  /** `given`: by the form that was just posted. */
  consent: 'open' | 'given';
  /** The sign-in page, which names the client, was shown for this request, and its form was just posted. */
  isNamed?: boolean;
}

/** Decides the next step: sign-in, consent, or the answer to the client. */
export async function nextStep(
  asked: AuthorizationRequest,
  { signedIn, consent, isNamed = false }: Done,
  consents: Pick<Consents, 'isNeeded'>,
): Promise<NextStep> {
  const { pageEachTime } = asked.target.demands;
  // OpenID Connect Core 3.1.2.6: prompt=none allows no page.
  const mayShowPage = !asked.prompts.has('none');
  if (pageEachTime && !mayShowPage) {
    throw new OAuthError('interaction_required', 'this client shows a page each time, and prompt=none allows no page');
  }
  if (signedIn === undefined) {
    if (mayShowPage) return { step: 'sign_in' };
    throw new OAuthError('login_required', 'the user is not signed in, and prompt=none allows no page');
  }
  if (consent === 'given') return { step: 'answer', signedIn };
  const isPageDue = pageEachTime && !isNamed;
  const isConsentDue = isPageDue || (await isConsentOpen(consents, asked.target.client, signedIn.user.id, asked));
  if (!isConsentDue) return { step: 'answer', signedIn };
  if (mayShowPage) return { step: 'consent', signedIn };
  throw new OAuthError(
    'consent_required',
    'the user has not consented to this request, and prompt=none allows no page',
  );
}

/**
 * Whether a session is recent enough, and of the right user, to answer without a new sign-in (Core 3.1.2.3). `authTime`
 * is rounded down to the second, so the elapsed time never counts as shorter than it is. `max_age=0` means `prompt=login`.
 * Only a fresh request is checked: after the sign-in that it demanded, it would demand another.
 */
export function satisfies(session: BrowserSession, asked: AuthorizationRequest, now: number): boolean {
  if (asked.prompts.has('login') || asked.prompts.has('select_account')) return false;
  if (asked.maxAge !== undefined && now >= (session.authTime + asked.maxAge) * 1000) return false;
  return asked.expectedUserId === undefined || asked.expectedUserId === session.userId;
}
