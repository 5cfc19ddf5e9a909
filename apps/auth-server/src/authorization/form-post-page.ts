import type { FastifyReply } from 'fastify';
import { html, joinHtml, sendPage } from '../pages/page.ts';

const submitAtOnce = 'document.forms[0].submit()';

/** OAuth 2.0 Form Post Response Mode: hands the answer to the client by a form; one press of a button without scripts. */
export function sendFormPostPage(
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
