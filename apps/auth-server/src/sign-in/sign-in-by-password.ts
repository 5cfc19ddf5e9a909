import { type Clock, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import { levels } from '@gatehouse/shared';
import type { Tell } from '../events/event.ts';
import type { CheckPassword, PasswordProof } from '../organization/check-password.ts';
import type { CallingBrowser } from '../sessions/browser-cookies.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import type { SignedIn, StartSession } from './start-session.ts';

/** The name and password of a sign-in, and the client that they are typed for; undefined where that is not known yet. */
export interface SignInForm {
  username: string;
  password: string;
  clientId: string | undefined;
  /** Whether a remembered browser may stand for the second step. */
  mayBeRemembered: boolean;
}

/** The result of a password. */
export type SignInResult =
  | SignedIn
  /** The password is right. No session exists before the second step is done. */
  | { outcome: 'unfinished'; pending: PendingSignIn }
  | { outcome: 'refused' }
  /** The password could not be checked: too many tries, or the organization is out of reach or overloaded. */
  | { outcome: 'unchecked'; error: unknown };

export type SignInByPassword = ReturnType<typeof createSignInByPassword>;

interface Dependencies {
  checkPassword: CheckPassword;
  startSession: StartSession;
  knownBrowsers: KnownBrowsers;
  rememberedBrowsers: Pick<RememberedBrowsers, 'stands'>;
  tell: Tell;
  clock: Clock;
}

/** Signs a user in by password, and starts the session. */
export function createSignInByPassword(deps: Dependencies) {
  const { checkPassword, startSession, knownBrowsers, rememberedBrowsers, tell, clock } = deps;
  return async (form: SignInForm, browser: CallingBrowser, context: RequestContext): Promise<SignInResult> => {
    const { mayBeRemembered, ...typed } = form;
    const credentials = { ...typed, browser: browser.label, knownBrowsers: knownBrowsers.read(browser.knownBrowser) };
    let proof: PasswordProof | undefined;
    try {
      proof = await checkPassword(credentials, context);
    } catch (error) {
      return { outcome: 'unchecked', error };
    }
    if (proof === undefined) return { outcome: 'refused' };
    const { user, secondStep } = proof;
    const isRemembered =
      secondStep !== undefined && mayBeRemembered && (await rememberedBrowsers.stands(browser.rememberedBrowser, user));
    if (isRemembered)
      tell({ type: 'sign_in.completed', by: 'sign_in_page', acr: levels[0], user, clientId: form.clientId, context });
    if (secondStep !== undefined && !isRemembered) {
      const { id: userId, passwordChangedAt } = user;
      const { methodsVersion } = secondStep;
      const pending = { userId, passwordChangedAt, methodsVersion, firstAt: toSeconds(clock()) };
      return { outcome: 'unfinished', pending };
    }
    return startSession(user, browser);
  };
}
