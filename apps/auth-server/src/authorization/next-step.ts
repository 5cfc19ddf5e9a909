import { OAuthError } from '@gatehouse/shared';
import { letsIn, notLetInText } from '../clients/allowed-groups.ts';
import { type Consents, isConsentOpen } from '../consent/consents.ts';
import { reaches } from '../levels/level-demand.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { ShownLevelStep, SignInDemand } from '../sign-in/due-step.ts';
import type { DueLevelStep } from '../sign-in/level-steps.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

export type NextStep =
  | { step: 'sign_in' }
  | { step: ShownLevelStep; signedIn: SignedInUser }
  | { step: 'not_let_in'; signedIn: SignedInUser }
  | { step: 'consent'; signedIn: SignedInUser }
  | { step: 'answer'; signedIn: SignedInUser };

/** The steps that the user has done for the request. */
export interface Done {
  signedIn: SignedInUser | undefined;
  /** `given`: by the form that was just posted. */
  consent: 'open' | 'given';
  /** The request just came from the client: it may lead to an upstream at once. */
  isFirst?: boolean;
  /** The sign-in page, which names the client, was shown for this request, and its form was just posted. */
  isNamed?: boolean;
  /** The user wants no second step now. */
  skipsSetUp?: boolean;
}

interface Dependencies {
  consents: Pick<Consents, 'isNeeded'>;
  /** Finds the step by which the user reaches a level asked for. */
  findLevelStep(signedIn: SignedInUser): Promise<DueLevelStep | undefined>;
}

/** Decides the next step: sign-in, the refusal of a user whom the client does not let in, second step, consent, or the answer to the client. */
export async function nextStep(
  asked: AuthorizationRequest,
  { signedIn, consent, isNamed = false, skipsSetUp = false }: Done,
  { consents, findLevelStep }: Dependencies,
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
  if (!letsIn(asked.target.client, signedIn.user)) {
    if (mayShowPage) return { step: 'not_let_in', signedIn };
    throw new OAuthError('access_denied', notLetInText);
  }
  const levelStep = await findStepToLevel(asked, signedIn, { findLevelStep, skipsSetUp });
  if (levelStep !== undefined) return levelStep;
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

/** Finds the step by which the user reaches a level asked for. Throws where a required one cannot be reached. */
async function findStepToLevel(
  { prompts }: AuthorizationRequest,
  signedIn: SignedInUser,
  { findLevelStep, skipsSetUp }: Pick<Dependencies, 'findLevelStep'> & { skipsSetUp: boolean },
): Promise<NextStep | undefined> {
  const due = await findLevelStep(signedIn);
  if (due === undefined) return undefined;
  const { step, level } = due;
  if (step === 'set_up_offered' && skipsSetUp) return undefined;
  if (prompts.has('none')) {
    if (reaches(signedIn.session.proofs, level)) return undefined;
    throw new OAuthError('login_required', 'the user must sign in by a higher level');
  }
  if (step !== 'unreachable') return { step, signedIn };
  throw new OAuthError('unmet_authentication_requirements', `the user cannot reach the acr ${level.required}`);
}

/** The demands of a request on the sign-in (OpenID Connect Core 3.1.2.3). */
export function demandOf({ prompts, level, expectedUserId }: AuthorizationRequest): SignInDemand {
  const isNew = prompts.has('login') || prompts.has('select_account');
  // prompt=login demands what max_age=0 does.
  return { maxAge: level.maxAge ?? (prompts.has('login') ? 0 : undefined), userId: expectedUserId, isNew };
}
