import { requestContextOf } from '@gatehouse/service-kit/http';
import { longestGoOn } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { getForm, getQuery } from '../http/form.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import { describeLimit } from '../sign-in/failure-page.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import type { Http } from '../sign-in/place-endpoint.ts';
import { sendNoMailPage, sendRecoverPage, sendRecoverSentPage } from './recover-page.ts';

/** Characters of a username, or of an address. */
const longestName = 255;
/** The subject of the form's token. */
const about = 'account recover';

interface Dependencies {
  config: { realm: string };
  settings: Pick<OrganizationSettings, 'find'>;
  directory: Pick<OrganizationDirectory, 'requestLink'>;
  browserCookies: BrowserCookies;
  knownBrowsers: Pick<KnownBrowsers, 'read'>;
}

/** `GET` and `POST /account/recover`: mails a link by which a user who cannot sign in sets a new password. */
export function registerRecover(app: FastifyInstance, deps: Dependencies): void {
  const { config, settings, directory, browserCookies, knownBrowsers } = deps;
  const { realm } = config;
  const show = ({ request, reply }: Http, goOn: string, fault?: FormFault) => {
    const formToken = browserCookies.issueFormToken(request, reply, about);
    return sendRecoverPage(reply, { realm, formToken, request: goOn, fault });
  };

  app.get('/account/recover', { schema: { hide: true } }, async (request, reply) => {
    const { mails } = await settings.find(requestContextOf(request));
    if (mails !== true) return sendNoMailPage(reply, realm);
    return show({ request, reply }, new URLSearchParams(getQuery(request)).get('request') ?? '');
  });

  app.post('/account/recover', { schema: { hide: true } }, async (request, reply) => {
    const http = { request, reply };
    const { mails } = await settings.find(requestContextOf(request));
    if (mails !== true) return sendNoMailPage(reply, realm);
    const form = getForm(request);
    const goOn = form.get('request') ?? '';
    const messages = messagesFor(request);
    if (!browserCookies.isFormTokenValid(request, form.get('form_token'), about)) {
      return show(http, goOn, { status: 403, message: messages.account.stale });
    }
    const name = form.get('username')?.trim() ?? '';
    if (name === '' || name.length > longestName) {
      return show(http, goOn, { status: 400, message: messages.recover.prompt });
    }
    const { label, knownBrowser } = browserCookies.readBrowser(request);
    const asked = {
      name,
      language: messages.language,
      ...(goOn !== '' && goOn.length <= longestGoOn && { goOn }),
      ...(label !== undefined && { browser: label }),
      knownBrowsers: knownBrowsers.read(knownBrowser),
    };
    const result = await directory.requestLink(asked, requestContextOf(request));
    if (result.outcome === 'off') return sendNoMailPage(reply, realm);
    if (result.outcome === 'limited') {
      return show(http, goOn, describeLimit(http, messages, messages.signIn, result.retryAfter));
    }
    return sendRecoverSentPage(reply, realm, goOn);
  });
}
