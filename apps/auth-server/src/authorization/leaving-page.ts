import type { FastifyReply } from 'fastify';
import { nameLinkTo, warnOfHost } from '../pages/host-warning.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { type Html, html, joinHtml, sendPage } from '../pages/page.ts';
import type { AuthorizationResponse } from './authorization-response.ts';

interface Leaving {
  realm: string;
  uiLocales: string | undefined;
  /** The host that nobody vouches for. */
  host: string;
  /** The error answer, which goes to the client once the user goes on. */
  response: AuthorizationResponse;
  /** Of the error, for those who run the application. */
  code: string;
  requestId: string;
}

/** RFC 9700 4.11.2: asks the user before an error leads to a website that nobody vouches for. */
export function sendLeavingPage(reply: FastifyReply, status: number, leaving: Leaving): FastifyReply {
  const { realm, uiLocales, host, response, code, requestId } = leaving;
  const messages = messagesFor(reply.request, uiLocales);
  const { leaving: texts, error, frame } = messages;
  return sendPage(reply, status, {
    title: texts.title,
    realm,
    messages,
    body: html`<h1>${texts.title}</h1>
<p>${texts.nothing}</p>
${warnOfHost(host, messages)}
${showWay(nameLinkTo(host, messages), response)}
<p class="quiet">${error.reference} <code>${code}</code> <code>${requestId}</code></p>
<p class="way"><a href="${reply.server.pageFrame.base}/">${frame.start}</a></p>`,
  });
}

export function showWay(words: string, response: AuthorizationResponse): Html {
  if (response.kind === 'redirect') return html`<p class="way"><a href="${response.location}">${words}</a></p>`;
  const inputs = Object.entries(response.fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${response.action}">
${joinHtml(inputs)}
<button type="submit">${words}</button>
</form>`;
}
