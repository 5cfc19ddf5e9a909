import type { FastifyInstance } from 'fastify';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { EndSessions } from '../sessions/end-sessions.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import type { AccountForm, AccountPage, AccountPages } from './account-pages-endpoint.ts';
import type { FindTimeZone } from './find-account.ts';
import type { ListSessions } from './list-sessions.ts';
import { sendSessionsPage } from './sessions-page.ts';

interface Dependencies {
  config: { realm: string };
  accountPages: AccountPages;
  browserCookies: BrowserCookies;
  findTimeZone: FindTimeZone;
  listSessions: ListSessions;
  endSessions: EndSessions;
  rememberedBrowsers: Pick<RememberedBrowsers, 'listOfUser' | 'forget'>;
}

/** `GET /account/sessions` shows the sessions of the user; `POST /account/sessions/end` ends one, or several. */
export function registerSessions(app: FastifyInstance, deps: Dependencies): void {
  const { config, accountPages, browserCookies, findTimeZone, listSessions, endSessions, rememberedBrowsers } = deps;
  const show: AccountPage['show'] = async ({ http, signedIn, context, formToken, messages }, fault) => {
    const [sessions, remembered, timeZone] = await Promise.all([
      listSessions(signedIn),
      rememberedBrowsers.listOfUser(signedIn.user),
      findTimeZone(signedIn, context),
    ]);
    const { username } = signedIn.user;
    return sendSessionsPage(http.reply, {
      ...config,
      username,
      timeZone,
      sessions,
      remembered,
      formToken,
      fault,
      messages,
    });
  };
  const end: AccountForm = {
    path: '/account/sessions/end',
    async take({ http, signedIn, context }, form) {
      const all = form.get('all');
      const sessionId = form.get('sid');
      if (all === 'others') await endSessions.others(signedIn, context);
      else if (all === 'every') await endSessions.every(signedIn.user, { context });
      else if (sessionId !== undefined) await endSessions.one(signedIn, sessionId, context);
      const isOwn = all === undefined && sessionId === signedIn.session.sessionId;
      if (all === 'every' || isOwn) browserCookies.clearSessionToken(http.reply);
      return { goTo: '/account/sessions' };
    },
  };
  const forget: AccountForm = {
    path: '/account/sessions/forget',
    async take({ signedIn, context }, form) {
      await rememberedBrowsers.forget(signedIn.user, form.get('id') ?? '', context);
      return { goTo: '/account/sessions' };
    },
  };
  accountPages.register(app, { path: '/account/sessions', show }, [end, forget]);
}
