import type { RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, type LinkRequestResult, longestGoOn } from '@gatehouse/shared';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { CallingBrowser } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';

export type SetUpLinks = ReturnType<typeof createSetUpLinks>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'listMethods' | 'requestLink'>;
  settings: Pick<OrganizationSettings, 'find'>;
  knownBrowsers: Pick<KnownBrowsers, 'read'>;
}

/** Mailed links that come before the first second step, at a browser and in a network that are both new. */
export function createSetUpLinks({ directory, settings, knownBrowsers }: Dependencies) {
  return {
    /** Throws an OrganizationUnavailableError. */
    async areNeeded(user: DirectoryUser, browser: CallingBrowser, context: RequestContext): Promise<boolean> {
      if (user.secondStep === true || user.emailVerified !== true) return false;
      if ((await settings.find(context)).mails !== true) return false;
      const caller = { address: context.address, knownBrowsers: knownBrowsers.read(browser.knownBrowser) };
      return (await directory.listMethods({ userId: user.id, caller }, context)).needsLink;
    },
    /** Mails one that leads to `goOn`, a path. Throws an OrganizationUnavailableError. */
    async request(
      { user, session }: SignedInUser,
      { goOn, language }: { goOn: string; language: string },
      browser: CallingBrowser,
      context: RequestContext,
    ): Promise<LinkRequestResult> {
      if (browser.binding === undefined) return { outcome: 'changed' };
      const asked = {
        signedIn: { userId: user.id, passwordChangedAt: session.passwordChangedAt },
        setUp: { binding: browser.binding },
        language,
        ...(goOn.length <= longestGoOn && { goOn }),
        browser: browser.label,
        knownBrowsers: knownBrowsers.read(browser.knownBrowser),
      };
      return directory.requestLink(asked, context);
    },
  };
}
