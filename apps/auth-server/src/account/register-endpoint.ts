import { requestContextOf } from '@gatehouse/service-kit/http';
import { longestGoOn } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getForm, getQuery } from '../http/form.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { describeLimit } from '../sign-in/failure-page.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import type { Http } from '../sign-in/place-endpoint.ts';
import { sendRegisterPage, sendRegisterSentPage } from './register-page.ts';

/** Characters of an address. */
const longestEmail = 255;
/** The subject of the form's token. */
const about = 'account register';

interface Dependencies {
  config: { realm: string };
  settings: Pick<OrganizationSettings, 'find'>;
  directory: Pick<OrganizationDirectory, 'requestLink'>;
  browserCookies: BrowserCookies;
}

function sendNotFound(reply: FastifyReply): FastifyReply {
  reply.header('cache-control', 'no-store').callNotFound();
  return reply;
}

/** `GET` and `POST /account/register`: mails a link by which people who are new make an account; 404 where `REGISTRATION` is off. */
export function registerRegister(app: FastifyInstance, deps: Dependencies): void {
  const { config, settings, directory, browserCookies } = deps;
  const { realm } = config;
  const isOpen = async (request: FastifyRequest) =>
    (await settings.find(requestContextOf(request))).registration === true;
  const show = ({ request, reply }: Http, goOn: string, fault?: FormFault) => {
    const formToken = browserCookies.issueFormToken(request, reply, about);
    return sendRegisterPage(reply, { realm, formToken, request: goOn, fault });
  };

  app.get('/account/register', { schema: { hide: true } }, async (request, reply) => {
    if (!(await isOpen(request))) return sendNotFound(reply);
    return show({ request, reply }, new URLSearchParams(getQuery(request)).get('request') ?? '');
  });

  app.post('/account/register', { schema: { hide: true } }, async (request, reply) => {
    if (!(await isOpen(request))) return sendNotFound(reply);
    const http = { request, reply };
    const form = getForm(request);
    const goOn = form.get('request') ?? '';
    const messages = messagesFor(request);
    if (!browserCookies.isFormTokenValid(request, form.get('form_token'), about)) {
      return show(http, goOn, { status: 403, message: messages.account.stale });
    }
    const name = form.get('email')?.trim() ?? '';
    if (name === '' || name.length > longestEmail) {
      return show(http, goOn, { status: 400, message: messages.email.noAddress });
    }
    const { label } = browserCookies.readBrowser(request);
    const asked = {
      ...{ name, register: true as const, language: messages.language, browser: label },
      ...(goOn !== '' && goOn.length <= longestGoOn && { goOn }),
    };
    const result = await directory.requestLink(asked, requestContextOf(request));
    switch (result.outcome) {
      case 'limited':
        return show(http, goOn, describeLimit(http, messages, messages.signIn, result.retryAfter));
      case 'refused': {
        const { noAddress } = messages.email;
        const message = result.fault === 'other_domain' ? messages.register.otherDomain : noAddress;
        return show(http, goOn, { status: 400, message });
      }
      case 'off':
        return sendNotFound(reply);
      default:
        return sendRegisterSentPage(reply, realm, goOn);
    }
  });
}
