import type { FastifyReply } from 'fastify';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, sendPage } from '../pages/page.ts';

/** Says that a page is about the user's account, and that no user is signed in at this browser. That is no fault. */
export function sendNotSignedInPage(reply: FastifyReply, realm: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { error: texts, frame } = messages;
  return sendPage(reply, 403, {
    title: texts.notSignedInTitle,
    realm,
    messages,
    body: html`<h1>${texts.notSignedInTitle}</h1>
<p>${texts.notSignedIn}</p>
<p>${texts.notSignedInAdvice}</p>
<p class="way"><a href="${reply.server.pageFrame.base}/">${frame.start}</a></p>`,
  });
}
