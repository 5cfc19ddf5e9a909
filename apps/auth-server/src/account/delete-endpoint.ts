import { completeUsername, foldUsername } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { AccountForm, AccountPage, AccountPages } from './account-pages-endpoint.ts';
import { sendDeletedPage, sendDeletePage } from './delete-page.ts';
import type { ForgetUser } from './forget-deleted-users.ts';

interface Dependencies {
  config: { realm: string };
  accountPages: AccountPages;
  settings: Pick<OrganizationSettings, 'find'>;
  browserCookies: BrowserCookies;
  directory: Pick<OrganizationDirectory, 'deleteAccount'>;
  forgetUser: ForgetUser;
}

/** `GET` and `POST /account/delete`: the user deletes the account; 404 where `ACCOUNT_DELETION` is off. */
export function registerDeletion(app: FastifyInstance, deps: Dependencies): void {
  const { config, accountPages, settings, browserCookies, directory, forgetUser } = deps;
  const page: AccountPage = {
    path: '/account/delete',
    isGuarded: true,
    isOffered: ({ accountDeletion }) => accountDeletion === true,
    show: async ({ http, signedIn, formToken, messages }, fault) =>
      sendDeletePage(http.reply, { ...config, username: signedIn.user.username, formToken, fault, messages }),
  };
  const form: AccountForm = {
    path: '/account/delete',
    isGuarded: true,
    async take({ http, signedIn, context, messages }, posted) {
      const { user, session } = signedIn;
      const { usernameDomain } = await settings.find(context);
      const typed = completeUsername(posted.get('username') ?? '', usernameDomain);
      if (foldUsername(typed) !== foldUsername(user.username)) {
        return { fault: { status: 400, message: messages.email.wrongUsername } };
      }
      const proven = { userId: user.id, passwordChangedAt: session.passwordChangedAt };
      const result = await directory.deleteAccount(proven, context);
      if (result.outcome === 'last_administrator') {
        return { fault: { status: 400, message: messages.deletion.lastAdministrator } };
      }
      if (result.outcome !== 'deleted') return { fault: { status: 400, message: messages.account.changedMeanwhile } };
      // A process that is killed now leaves it to the look of the next minute.
      await forgetUser(user.id);
      browserCookies.clearSessionToken(http.reply);
      return { sent: sendDeletedPage(http.reply, config.realm) };
    },
  };
  accountPages.register(app, page, [form]);
}
