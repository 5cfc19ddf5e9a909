import type { RequestContext } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import type { CheckPassword } from '../organization/check-password.ts';
import type { FoundCookies, SignInCookies } from '../sessions/browser-cookies.ts';
import type { BrowserSessions, SignedInUser } from '../sessions/browser-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';

/** The name and password of a sign-in, and the client that they are typed for; undefined where that is not known yet. */
export interface SignInForm {
  username: string;
  password: string;
  clientId: string | undefined;
}

/** The result of a password. The cookies of a `signed_in` are the ones that the browser gets. */
export type SignInResult =
  | { outcome: 'signed_in'; signedIn: SignedInUser; cookies: SignInCookies }
  | { outcome: 'refused' }
  /** The password could not be checked: too many tries, or the organization is out of reach or overloaded. */
  | { outcome: 'unchecked'; error: unknown };

export type SignInByPassword = ReturnType<typeof createSignInByPassword>;

interface Dependencies {
  checkPassword: CheckPassword;
  browserSessions: Pick<BrowserSessions, 'start'>;
  knownBrowsers: KnownBrowsers;
}

/** Signs a user in by password, and starts the session. */
export function createSignInByPassword({ checkPassword, browserSessions, knownBrowsers }: Dependencies) {
  return async (
    form: SignInForm,
    { sessionToken, knownBrowser }: FoundCookies,
    context: RequestContext,
  ): Promise<SignInResult> => {
    const credentials = { ...form, knownBrowsers: knownBrowsers.read(knownBrowser) };
    let user: DirectoryUser | undefined;
    try {
      user = await checkPassword(credentials, context);
    } catch (error) {
      return { outcome: 'unchecked', error };
    }
    if (user === undefined) return { outcome: 'refused' };
    // A new cookie at each sign-in: one that an attacker planted before is not valid.
    const { token, session } = await browserSessions.start(user, sessionToken);
    const cookies = { sessionToken: token, knownBrowser: knownBrowsers.remember(knownBrowser, user) };
    return { outcome: 'signed_in', signedIn: { user, session }, cookies };
  };
}
