import type { RequestContext } from '@gatehouse/service-kit';
import type { MethodFault, RemovedMethod } from '@gatehouse/shared';
import type { MethodOutcome, OrganizationDirectory, OwnMethodChange } from '../organization/organization-directory.ts';
import type { CallingBrowser, SignInCookies } from '../sessions/browser-cookies.ts';
import { proofsOfSession, type SignedInUser } from '../sessions/browser-sessions.ts';
import type { EndSessions } from '../sessions/end-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import { describeProof } from '../sign-in/second-step.ts';
import type { StartSession } from '../sign-in/start-session.ts';

export type ChangeMethods = ReturnType<typeof createChangeMethods>;

/** `cookies`: of the session, which goes on under a new one. */
export type PasswordChanged =
  | { outcome: 'done'; cookies: SignInCookies }
  /** The old password. */
  | { outcome: 'wrong' }
  | { outcome: 'refused'; fault: MethodFault }
  /** `retryAfter` in seconds. */
  | { outcome: 'limited'; retryAfter: number }
  | { outcome: 'changed' };

/** `needsSecondStep`: it is looked for again where the method is removed, since others may be removed at the same moment. */
interface Removal {
  remove: RemovedMethod;
  needsSecondStep?: true;
  /** Of the user's identities by which a sign-in is possible. */
  enabledIssuers?: string[];
}

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'changeMethods'>;
  endSessions: EndSessions;
  knownBrowsers: Pick<KnownBrowsers, 'read'>;
  startSession: StartSession;
}

/** Changes the methods of a user for the user. Throws an OrganizationUnavailableError and an OverloadedError. */
export function createChangeMethods({ directory, endSessions, knownBrowsers, startSession }: Dependencies) {
  const change = (
    signedIn: SignedInUser,
    what: OwnMethodChange,
    { label }: CallingBrowser,
    context: RequestContext,
  ): Promise<MethodOutcome> => {
    const { user, session } = signedIn;
    const proven = { userId: user.id, passwordChangedAt: session.passwordChangedAt };
    const about = { ...describeProof(signedIn), ...(label !== undefined && { browser: label }) };
    return directory.changeMethods(proven, { ...what, ...about }, context);
  };
  return {
    change,
    /**
     * Ends every other session first, so that a process that is killed in between leaves too few of them; and those that began
     * meanwhile.
     */
    async remove(
      signedIn: SignedInUser,
      removal: Removal,
      browser: CallingBrowser,
      context: RequestContext,
    ): Promise<MethodOutcome> {
      await endSessions.afterChange(signedIn, context);
      const result = await change(signedIn, removal, browser, context);
      await endSessions.afterChange(signedIn, context);
      return result;
    },
    /** All other sessions, and all tokens, are void from the moment of the change. */
    async password(
      signedIn: SignedInUser,
      password: { old: string | undefined; new: string },
      browser: CallingBrowser,
      context: RequestContext,
    ): Promise<PasswordChanged> {
      const { old, new: next } = password;
      const typed = { new: cut(next), ...(old !== undefined && { old: cut(old) }) };
      const what = { password: typed, knownBrowsers: knownBrowsers.read(browser.knownBrowser) };
      const result = await change(signedIn, what, browser, context);
      // No password waits for a link.
      if (result.outcome === 'link_needed') return { outcome: 'changed' };
      if (result.outcome !== 'done') return result;
      const { expiresAt, passwordChangedAt } = signedIn.session;
      const { cookies } = await startSession(result.user, browser, proofsOfSession(signedIn.session), expiresAt);
      // A first password ends nothing.
      if (result.user.passwordChangedAt !== passwordChangedAt) await endSessions.afterChange(signedIn, context);
      return { outcome: 'done', cookies };
    },
  };
}

/** A text that is longer than any password may be is as wrong when it is cut. */
function cut(password: string): string {
  return password.slice(0, 4096);
}
