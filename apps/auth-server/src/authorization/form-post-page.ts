import type { FastifyReply } from 'fastify';
import { html, joinHtml, sendPage } from '../pages/page.ts';
import type { AuthorizationResponse } from './authorization-response.ts';

/** Sends the browser back to the client with an answer: by a redirect, or by a form that submits itself. */
export function sendAuthorizationResponse(
  reply: FastifyReply,
  realm: string,
  response: AuthorizationResponse,
): FastifyReply {
  if (response.kind === 'form_post') return sendFormPostPage(reply, { realm, ...response });
  // 303 after a form, so that the browser does not post the password on to the client (RFC 9700 4.12).
  const status = reply.request.method === 'POST' ? 303 : 302;
  return reply.code(status).headers({ location: response.location, 'cache-control': 'no-store' }).send();
}

const submitAtOnce = 'document.forms[0].submit()';

/** OAuth 2.0 Form Post Response Mode: sends the answer to the client by a form. Without scripts the user presses a button. */
function sendFormPostPage(
  reply: FastifyReply,
  { realm, action, fields }: { realm: string; action: string; fields: Record<string, string> },
): FastifyReply {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return sendPage(reply, 200, {
    title: 'Back to the application',
    realm,
    script: submitAtOnce,
    body: html`<h1>One moment</h1>
<p>You are on your way back to the application. If nothing happens, press Continue.</p>
<form method="post" action="${action}">
${joinHtml(inputs)}
<button type="submit">Continue</button>
</form>`,
  });
}
