import { fillHtml } from '@gatehouse/service-kit/html';
import { tellRefusal } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyReply } from 'fastify';
import { notLetInText } from '../clients/allowed-groups.ts';
import { type ApplicationName, showName } from '../pages/application.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, sendPage } from '../pages/page.ts';
import { showUser } from '../pages/user.ts';
import type { BrowserRequest } from './authorization-request.ts';
import type { AuthorizationResponses } from './authorization-response.ts';
import { showWay } from './leaving-page.ts';

interface NotLetInPage {
  realm: string;
  application: ApplicationName;
  username: string;
  responses: Pick<AuthorizationResponses, 'buildError'>;
}

/** Tells users whom a client does not let in so, and whom to ask. The client learns of it once they go back to it. */
export function sendNotLetInPage(reply: FastifyReply, asked: BrowserRequest, page: NotLetInPage): FastifyReply {
  const { realm, application, username, responses } = page;
  const messages = messagesFor(reply.request, asked.target.uiLocales);
  const { notLetIn: texts, signOut } = messages;
  const failure = new OAuthError('access_denied', notLetInText);
  tellRefusal(reply.request, { status: 403, code: failure.code, detail: failure.message });
  const values = { application: showName(application) };
  return sendPage(reply, 403, {
    title: texts.title,
    realm,
    messages,
    body: html`${showUser(username, messages)}
<h1>${texts.title}</h1>
<p>${fillHtml(texts.text, values)}</p>
<p>${fillHtml(texts.advice, values)}</p>
${showWay(texts.back, responses.buildError(asked.target, failure))}
<p class="way"><a href="logout">${signOut.title}</a></p>`,
  });
}
