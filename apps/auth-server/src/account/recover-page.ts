import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { type Html, html, sendPage } from '../pages/page.ts';
import { describeField, type FormFault, showFault } from '../sign-in/form-parts.ts';

export interface RecoverPage {
  realm: string;
  formToken: string;
  /** The authorization request to go on with afterwards, as its query string. */
  request: string;
  fault: FormFault | undefined;
}

/** Asks for a name, to mail a link to. */
export function sendRecoverPage(reply: FastifyReply, { realm, formToken, request, fault }: RecoverPage): FastifyReply {
  const messages = messagesFor(reply.request);
  const { recover: texts } = messages;
  const { base } = reply.server.pageFrame;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.title,
    realm,
    messages,
    body: html`<h1>${texts.title}</h1>
${showFault(fault)}
<p>${texts.prompt}</p>
<form method="post" action="${base}/account/recover?ui_locales=${messages.language}">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="request" value="${request}">
<label for="username">${texts.field}</label>
<input id="username" name="username" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false"
 maxlength="255" required autofocus${describeField(fault)}>
<button type="submit">${texts.submit}</button>
</form>
${showWayBack(reply, request, messages)}`,
  });
}

/** To the sign-in of the application, or of the account. */
export function showWayBack(reply: FastifyReply, request: string, { recover }: Messages): Html {
  const { base } = reply.server.pageFrame;
  const href = request === '' ? `${base}/account` : `${base}/oauth/authorize?${request}`;
  return html`<p class="way"><a href="${href}">${recover.back}</a></p>`;
}

/** The answer to every name. `request`: as on the page before. */
export function sendRecoverSentPage(reply: FastifyReply, realm: string, request: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { sentTitle: title, sent: text } = messages.recover;
  return sendAnswerToAll(reply, { realm, request, messages, title, text });
}

/** The same page for every name that is typed. It leads back. */
export function sendAnswerToAll(
  reply: FastifyReply,
  page: { realm: string; request: string; messages: Messages; title: string; text: string },
): FastifyReply {
  const { realm, request, messages, title, text } = page;
  return sendPage(reply, 200, {
    title,
    realm,
    messages,
    body: html`<h1>${title}</h1>
<p role="status">${text}</p>
${showWayBack(reply, request, messages)}`,
  });
}

/** Where no mails are sent. */
export function sendNoMailPage(reply: FastifyReply, realm: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { helpUrl } = reply.server.pageFrame;
  return sendPage(reply, 200, {
    title: messages.recover.title,
    realm,
    messages,
    body: html`<h1>${messages.recover.title}</h1>
<p>${messages.recover.noMail}</p>
${helpUrl && html`<p class="way"><a href="${helpUrl}">${messages.frame.help}</a></p>`}`,
  });
}
