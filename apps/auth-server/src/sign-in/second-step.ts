import { type Clock, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import { type DirectoryUser, levels, type NewMethod } from '@gatehouse/shared';
import type { Tell } from '../events/event.ts';
import { reaches } from '../levels/level-demand.ts';
import type { Proofs } from '../levels/proofs.ts';
import type { OrganizationDirectory, ProvenUser } from '../organization/organization-directory.ts';
import type { CallingBrowser } from '../sessions/browser-cookies.ts';
import { proofsOfSession, type SignedInUser } from '../sessions/browser-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import type { Attempts } from '../upstreams/attempts.ts';
import { describeBrowser } from './describe-browser.ts';
import type { PasskeyAnswer } from './passkeys-endpoint.ts';
import { type PendingSignIn, proofsOfPending } from './pending-sign-in.ts';
import type { SignedIn, StartSession } from './start-session.ts';

/** The proof before the second step: a password or a sign-in at an upstream just now, or the sign-in of a session. */
export type FirstStep = { pending: PendingSignIn } | { signedIn: SignedInUser };

type Failure =
  | { outcome: 'wrong' }
  /** The first step does not count any more: the password or the methods changed, or the user is disabled. */
  | { outcome: 'void' }
  /** The code or the passkey could not be checked: the organization is out of reach or overloaded. */
  | { outcome: 'unchecked'; error: unknown };

/** `byRecoveryCode`: by one of the codes for a loss. `setUpDue`: of a user who has no other second step left. */
export type CompletedSecondStep = SignedIn & { byRecoveryCode?: boolean; setUpDue?: boolean };

/** `retryAfter` in seconds. */
export type SecondStepResult = CompletedSecondStep | Failure | { outcome: 'limited'; retryAfter: number };
/** `recoveryCodes` are shown once. */
export type SetUpResult =
  | (SignedIn & { recoveryCodes: readonly string[] })
  | Failure
  /** A mailed link comes first. */
  | { outcome: 'link_needed' };

export type SecondSteps = ReturnType<typeof createSecondSteps>;

interface About {
  clientId: string | undefined;
  context: RequestContext;
}

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'checkCode' | 'checkPasskey' | 'changeMethods'>;
  startSession: StartSession;
  upstreamAttempts: Pick<Attempts, 'listUsable'>;
  knownBrowsers: KnownBrowsers;
  rememberedBrowsers: Pick<RememberedBrowsers, 'forgetAll'>;
  tell: Tell;
  clock: Clock;
}

/** Ends sign-ins by a code or a passkey: the session starts, or goes on at a higher level under a new cookie. */
export function createSecondSteps(deps: Dependencies) {
  const { directory, startSession, upstreamAttempts, knownBrowsers, rememberedBrowsers, tell, clock } = deps;
  /** The upstream of the first step; undefined where that was a password, and where it is gone meanwhile, or disabled. */
  const findUpstream = async (upstreamId: string | undefined) =>
    upstreamId === undefined ? undefined : (await upstreamAttempts.listUsable()).find(({ id }) => id === upstreamId);
  const finish = (
    user: DirectoryUser,
    first: FirstStep,
    browser: CallingBrowser,
    proof: Partial<Proofs>,
  ): Promise<SignedIn> => {
    if ('pending' in first) return startSession(user, browser, { ...proofsOfPending(first.pending), ...proof });
    // A second step alone does not lengthen the session.
    const { session } = first.signedIn;
    return startSession(user, browser, { ...proofsOfSession(session), ...proof }, session.expiresAt);
  };
  const complete = async (
    first: FirstStep,
    user: DirectoryUser,
    { browser, proof, about }: { browser: CallingBrowser; proof: Partial<Proofs>; about: About },
  ): Promise<SignedIn | Failure> => {
    const upstreamId = 'pending' in first ? first.pending.upstream?.upstreamId : undefined;
    const upstream = await findUpstream(upstreamId);
    const isOver = upstreamId !== undefined && upstream === undefined;
    if (!user.enabled || isOver) return { outcome: 'void' };
    const acr = proof.passkeyAt === undefined ? levels[1] : levels[2];
    if ('pending' in first) {
      const by = upstream === undefined ? 'sign_in_page' : 'upstream';
      tell({ ...about, type: 'sign_in.completed', by, acr, user, upstream: upstream?.alias });
    }
    return finish(user, first, browser, proof);
  };
  const now = () => toSeconds(clock());

  return {
    async byCode(
      first: FirstStep,
      { code, clientId }: { code: string; clientId: string | undefined },
      browser: CallingBrowser,
      context: RequestContext,
    ): Promise<SecondStepResult> {
      const proven = findProven(first);
      const check = { ...proven, code, ...describeBrowser(knownBrowsers, browser) };
      const result = await directory.checkCode(check, context).catch(toUnchecked);
      if (result.outcome === 'unchecked') return result;
      if (result.outcome === 'changed') return { outcome: 'void' };
      const about = { clientId, context } as const;
      const user = result.outcome === 'verified' ? result.user : { id: proven.userId };
      const outcome = result.outcome === 'verified' ? result.by : result.outcome;
      tell({ ...about, type: 'second_step.checked', outcome, user });
      if (result.outcome !== 'verified') return result;
      const completed = await complete(first, result.user, { browser, proof: { codeAt: now() }, about });
      return completed.outcome === 'signed_in'
        ? { ...completed, byRecoveryCode: result.by === 'recovery_code', setUpDue: result.setUpDue === true }
        : completed;
    },
    async byPasskey(
      first: FirstStep,
      { answer, clientId }: { answer: PasskeyAnswer; clientId: string | undefined },
      browser: CallingBrowser,
      context: RequestContext,
    ): Promise<SignedIn | Failure> {
      const proven = findProven(first);
      const check = { ...answer, first: proven, ...describeBrowser(knownBrowsers, browser) };
      const result = await directory.checkPasskey(check, context).catch(toUnchecked);
      if (result.outcome === 'unchecked') return result;
      if (result.outcome === 'changed') return { outcome: 'void' };
      const about = { clientId, context } as const;
      const user = result.outcome === 'verified' ? result.user : { id: proven.userId };
      const outcome = result.outcome === 'verified' ? 'passkey' : result.outcome;
      tell({ ...about, type: 'second_step.checked', outcome, user });
      if (result.outcome !== 'verified') return { outcome: 'wrong' };
      const proof = { passkeyAt: now(), passkeyUv: result.userVerified };
      return complete(first, result.user, { browser, proof, about });
    },
    async setUp(
      signedIn: SignedInUser,
      method: NewMethod,
      browser: CallingBrowser,
      context: RequestContext,
    ): Promise<SetUpResult> {
      const first = { signedIn };
      const change = { add: method, ...describeProof(signedIn), ...describeBrowser(knownBrowsers, browser) };
      const result = await directory.changeMethods(findProven(first), change, context).catch(toUnchecked);
      if (result.outcome === 'unchecked' || result.outcome === 'wrong' || result.outcome === 'link_needed')
        return result;
      if (result.outcome !== 'done') return { outcome: 'void' };
      const { user, recoveryCodes, userVerified } = result;
      // The browsers of before the first second step knew none.
      if (recoveryCodes.length > 0) await rememberedBrowsers.forgetAll(user.id);
      const proof = method.codeApp ? { codeAt: now() } : { passkeyAt: now(), passkeyUv: userVerified === true };
      return { ...(await finish(user, first, browser, proof)), recoveryCodes };
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

/** Says where a sign-in had no second step, so that it changes nothing of a user who got one meanwhile. */
export function describeProof({ session }: SignedInUser): { withoutSecondStep?: true } {
  return reaches(session.proofs, { required: levels[1] }) ? {} : { withoutSecondStep: true };
}

/** For a question that org-api did not answer. */
export function toUnchecked(error: unknown): { outcome: 'unchecked'; error: unknown } {
  return { outcome: 'unchecked', error };
}
