import type { FastifyReply } from 'fastify';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, joinHtml, sendPage } from '../pages/page.ts';
import type { AuthorizationResponse } from './authorization-response.ts';

/** Sends the browser back to the client with an answer: by a redirect, or by a form that submits itself. */
export function sendAuthorizationResponse(
  reply: FastifyReply,
  { realm, uiLocales }: Pick<FormPost, 'realm' | 'uiLocales'>,
  response: AuthorizationResponse,
): FastifyReply {
  if (response.kind === 'form_post') return sendFormPostPage(reply, { realm, uiLocales, ...response });
  // 303 after a form, so that the browser does not post the password on to the client (RFC 9700 4.12).
  const status = reply.request.method === 'POST' ? 303 : 302;
  return reply.code(status).headers({ location: response.location, 'cache-control': 'no-store' }).send();
}

const submitAtOnce = 'document.forms[0].submit()';

interface FormPost {
  realm: string;
  action: string;
  fields: Record<string, string>;
  uiLocales: string | undefined;
}

/** OAuth 2.0 Form Post Response Mode: sends the answer to the client by a form. Without scripts the user presses a button. */
function sendFormPostPage(reply: FastifyReply, { realm, action, fields, uiLocales }: FormPost): FastifyReply {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const messages = messagesFor(reply.request, uiLocales);
  const { formPost: texts } = messages;
  return sendPage(reply, 200, {
    title: texts.title,
    realm,
    messages,
    script: submitAtOnce,
    body: html`<h1>${texts.heading}</h1>
<p>${texts.text}</p>
<form method="post" action="${action}">
${joinHtml(inputs)}
<button type="submit">${texts.submit}</button>
</form>`,
  });
}
