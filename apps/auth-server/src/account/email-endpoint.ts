import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { levels, satisfies } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { isRecent } from '../levels/level-demand.ts';
import { listReached } from '../levels/proofs.ts';
import type { AskedLink, OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import { describeLimit } from '../sign-in/failure-page.ts';
import type { AccountForm, AccountPage, AccountPages, Taken, Visit } from './account-pages-endpoint.ts';
import { sendEmailPage } from './email-page.ts';
import type { FindAccount } from './find-account.ts';
import { freshFor } from './fresh-sign-in.ts';
import { sendLinkSentPage } from './link-page.ts';

/** Characters of an address. */
const longestEmail = 255;

interface Dependencies {
  config: { realm: string };
  accountPages: AccountPages;
  findAccount: FindAccount;
  settings: Pick<OrganizationSettings, 'find'>;
  knownBrowsers: Pick<KnownBrowsers, 'read'>;
  directory: Pick<OrganizationDirectory, 'requestLink'>;
  clock: Clock;
}

/** `/account/email`: the user confirms the e-mail address, or changes it. */
export function registerEmail(app: FastifyInstance, deps: Dependencies): void {
  const { config, settings, accountPages, findAccount, directory, knownBrowsers, clock } = deps;
  const show: AccountPage['show'] = async ({ http, signedIn, context, formToken, messages }, fault) => {
    const [account, { mails }] = await Promise.all([
      findAccount({ userId: signedIn.user.id }, context),
      settings.find(context),
    ]);
    const page = { ...config, account, formToken, fault, messages, isMailOn: mails === true };
    return sendEmailPage(http.reply, page);
  };
  /** `done`: what comes after. */
  const ask = async (visit: Visit, what: Pick<AskedLink, 'emailChange'>, done: () => Taken): Promise<Taken> => {
    const { http, signedIn, browser, context, messages } = visit;
    const { user, session } = signedIn;
    const asked = {
      ...what,
      signedIn: { userId: user.id, passwordChangedAt: session.passwordChangedAt },
      language: messages.language,
      browser: browser.label,
      knownBrowsers: knownBrowsers.read(browser.knownBrowser),
    };
    const result = await directory.requestLink(asked, context);
    switch (result.outcome) {
      case 'done':
        return done();
      case 'limited':
        return { fault: describeLimit(http, messages, messages.signIn, result.retryAfter) };
      case 'off':
        return { fault: { status: 400, message: messages.email.noMail } };
      case 'refused': {
        const { noAddress, sameAddress } = messages.email;
        return { fault: { status: 400, message: result.fault === 'same_address' ? sameAddress : noAddress } };
      }
      case 'changed':
        return { fault: { status: 400, message: messages.account.changedMeanwhile } };
    }
  };
  const verify = (visit: Visit) => {
    const { http, signedIn } = visit;
    return ask(visit, {}, () => ({ sent: sendLinkSentPage(http.reply, config.realm, signedIn.user.email) }));
  };
  const change: AccountForm['take'] = async (visit, posted) => {
    const email = posted.get('email')?.trim() ?? '';
    if (email === '' || email.length > longestEmail) {
      return { fault: { status: 400, message: visit.messages.email.noAddress } };
    }
    const strong = isStrong(visit.signedIn, toSeconds(clock()) * 1000);
    return ask(visit, { emailChange: { email, strong } }, () => ({ goTo: '/account/email' }));
  };
  const cancel = (visit: Visit) => ask(visit, { emailChange: {} }, () => ({ goTo: '/account/email' }));
  accountPages.register(app, { path: '/account/email', isGuarded: true, show }, [
    { path: '/account/email', isGuarded: true, take: change },
    { path: '/account/email/verify', isGuarded: true, take: verify },
    { path: '/account/email/cancel', isGuarded: true, take: cancel },
  ]);
}

/** Whether the user proved more than a password just now. */
function isStrong({ session }: SignedInUser, now: number): boolean {
  const [, mfa] = levels;
  return listReached(session.proofs).some(
    ({ acr, authTime }) => satisfies(acr, mfa) && isRecent(authTime, freshFor, now),
  );
}
