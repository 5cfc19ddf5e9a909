import { type Clock, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import { type DirectoryUser, levels } from '@gatehouse/shared';
import type { Tell } from '../events/event.ts';
import type { Proofs } from '../levels/proofs.ts';
import type { NewCodeApp, OrganizationDirectory, ProvenUser } from '../organization/organization-directory.ts';
import type { FoundCookies, SignInCookies } from '../sessions/browser-cookies.ts';
import type { BrowserSessions, SignedInUser } from '../sessions/browser-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import type { PendingSignIn } from './pending-sign-in.ts';

/** The proof before the second step: a password just now, or the sign-in of a session. */
export type FirstStep = { pending: PendingSignIn } | { signedIn: SignedInUser };

type SignedIn = { outcome: 'signed_in'; signedIn: SignedInUser; cookies: SignInCookies };

type Failure =
  | { outcome: 'wrong' }
  /** The first step does not count any more: the password or the methods changed, or the user is disabled. */
  | { outcome: 'void' }
  /** The code could not be checked: the organization is out of reach or overloaded. */
  | { outcome: 'unchecked'; error: unknown };

/** `retryAfter` in seconds. */
export type SecondStepResult = SignedIn | Failure | { outcome: 'limited'; retryAfter: number };
/** `recoveryCodes` are shown once. */
export type SetUpResult = (SignedIn & { recoveryCodes: readonly string[] }) | Failure;

export type SecondSteps = ReturnType<typeof createSecondSteps>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'checkCode' | 'addCodeApp'>;
  browserSessions: Pick<BrowserSessions, 'start'>;
  knownBrowsers: KnownBrowsers;
  tell: Tell;
  clock: Clock;
}

/** Ends sign-ins by a code: the session starts, or goes on at a higher level under a new cookie. */
export function createSecondSteps({ directory, browserSessions, knownBrowsers, tell, clock }: Dependencies) {
  const start = async (
    user: DirectoryUser,
    { sessionToken, knownBrowser }: FoundCookies,
    proofs: Partial<Proofs>,
    expiresAt?: number,
  ): Promise<SignedIn> => {
    const { token, session } = await browserSessions.start(user, sessionToken, proofs, expiresAt);
    const cookies = { sessionToken: token, knownBrowser: knownBrowsers.remember(knownBrowser, user) };
    return { outcome: 'signed_in', signedIn: { user, session }, cookies };
  };
  const finish = (user: DirectoryUser, first: FirstStep, cookies: FoundCookies): Promise<SignedIn> => {
    const codeAt = toSeconds(clock());
    if ('pending' in first) return start(user, cookies, { passwordAt: first.pending.passwordAt, codeAt });
    // A second step alone does not lengthen the session.
    const { proofs, expiresAt } = first.signedIn.session;
    return start(user, cookies, { ...proofs, codeAt }, expiresAt);
  };

  return {
    async byCode(
      first: FirstStep,
      { code, clientId }: { code: string; clientId: string | undefined },
      cookies: FoundCookies,
      context: RequestContext,
    ): Promise<SecondStepResult> {
      const proven = findProven(first);
      const check = { ...proven, code, knownBrowsers: knownBrowsers.read(cookies.knownBrowser) };
      const result = await directory.checkCode(check, context).catch(toUnchecked);
      if (result.outcome === 'unchecked') return result;
      if (result.outcome === 'changed') return { outcome: 'void' };
      const about = { clientId, context } as const;
      const user = result.outcome === 'verified' ? result.user : { id: proven.userId };
      const outcome = result.outcome === 'verified' ? result.by : result.outcome;
      tell({ ...about, type: 'second_step.checked', outcome, user });
      if (result.outcome !== 'verified') return result;
      if (!result.user.enabled) return { outcome: 'void' };
      if ('pending' in first) tell({ ...about, type: 'sign_in.completed', acr: levels[1], user: result.user });
      return finish(result.user, first, cookies);
    },
    async setUp(
      signedIn: SignedInUser,
      codeApp: NewCodeApp,
      cookies: FoundCookies,
      context: RequestContext,
    ): Promise<SetUpResult> {
      const first = { signedIn };
      const result = await directory.addCodeApp(findProven(first), codeApp, context).catch(toUnchecked);
      if (result.outcome === 'changed') return { outcome: 'void' };
      if (result.outcome !== 'done') return result;
      return { ...(await finish(result.user, first, cookies)), recoveryCodes: result.recoveryCodes };
    },
  };
}

function findProven(first: FirstStep): ProvenUser & { methodsVersion?: number } {
  if ('signedIn' in first) {
    const { userId, passwordChangedAt } = first.signedIn.session;
    return { userId, passwordChangedAt };
  }
  const { userId, passwordChangedAt, methodsVersion } = first.pending;
  return { userId, passwordChangedAt, methodsVersion };
}

function toUnchecked(error: unknown): { outcome: 'unchecked'; error: unknown } {
  return { outcome: 'unchecked', error };
}
