import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { type Html, html, sendPage } from '../pages/page.ts';

/** Says that a page is about the user's account, and that no user is signed in at this browser. That is no fault. `showWay`: how to go on. */
export function sendNotSignedInPage(
  reply: FastifyReply,
  realm: string,
  showWay: (messages: Messages) => Html = ({ error }) => html`<p>${error.notSignedInAdvice}</p>`,
): FastifyReply {
  const messages = messagesFor(reply.request);
  const { error: texts, frame } = messages;
  return sendPage(reply, 403, {
    title: texts.notSignedInTitle,
    realm,
    messages,
    body: html`<h1>${texts.notSignedInTitle}</h1>
<p>${texts.notSignedIn}</p>
${showWay(messages)}
<p class="way"><a href="${reply.server.pageFrame.base}/">${frame.start}</a></p>`,
  });
}
