import type { CallingBrowser } from '../sessions/browser-cookies.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';

/** The browser of a sign-in, for org-api: who signed in there before, and its name. */
export function describeBrowser(knownBrowsers: Pick<KnownBrowsers, 'read'>, { knownBrowser, label }: CallingBrowser) {
  return { knownBrowsers: knownBrowsers.read(knownBrowser), ...(label !== undefined && { browser: label }) };
}
