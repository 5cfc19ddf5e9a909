import { type DirectoryUser, levels, type MfaPolicy, requiresMfa } from '@gatehouse/shared';
import { reaches } from '../levels/level-demand.ts';
import type { CallingBrowser, SignInCookies } from '../sessions/browser-cookies.ts';
import type { BrowserSessions, SignedInUser, SignInProofs } from '../sessions/browser-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';

/** The cookies are the ones that the browser gets. */
export type SignedIn = { outcome: 'signed_in'; signedIn: SignedInUser; cookies: SignInCookies };

const [, mfa] = levels;

export type StartSession = ReturnType<typeof createStartSession>;

interface Dependencies {
  config: { requireMfa: MfaPolicy };
  browserSessions: Pick<BrowserSessions, 'start'>;
  knownBrowsers: KnownBrowsers;
}

/**
 * Starts the session of a user who signed in, or goes on with it, and makes the browser a known one: not by a password alone where
 * `REQUIRE_MFA` asks for more.
 */
export function createStartSession({ config, browserSessions, knownBrowsers }: Dependencies) {
  return async (
    user: DirectoryUser,
    { knownBrowser, ...browser }: CallingBrowser,
    proofs?: SignInProofs,
    expiresAt?: number,
  ): Promise<SignedIn> => {
    // A new cookie at each sign-in: one that an attacker planted before is not valid.
    const { token, session } = await browserSessions.start(user, browser, proofs, expiresAt);
    const isWhole = !requiresMfa(config.requireMfa, user) || reaches(session.proofs, { required: mfa });
    const known = isWhole ? knownBrowsers.remember(knownBrowser, user) : knownBrowser;
    const cookies = { sessionToken: token, knownBrowser: known };
    return { outcome: 'signed_in', signedIn: { user, session }, cookies };
  };
}
