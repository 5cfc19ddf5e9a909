import type { FastifyReply } from 'fastify';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, sendPage } from '../pages/page.ts';

/** Says what this server is, to people who come to its address. */
export function sendStartPage(reply: FastifyReply, realm: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { start: texts } = messages;
  const { base } = reply.server.pageFrame;
  return sendPage(reply, 200, {
    title: texts.title,
    realm,
    messages,
    body: html`<h1>${texts.title}</h1>
<p>${texts.purpose}</p>
<p class="way"><a href="${base}/account">${texts.account}</a><br>
<a href="${base}/oauth/consents">${texts.consents}</a></p>
<h2>${texts.developers}</h2>
<ul>
<li><a href="${base}/docs">${texts.reference}</a></li>
<li><a href="${base}/.well-known/openid-configuration">${texts.discovery}</a></li>
</ul>`,
  });
}
