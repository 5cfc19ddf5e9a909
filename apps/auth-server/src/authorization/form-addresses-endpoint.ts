import type { FastifyInstance } from 'fastify';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, sendPage } from '../pages/page.ts';

/**
 * `GET /oauth/sign-in` and `GET /oauth/consent`: who comes back to the address of a form, by a bookmark or out of the
 * history of the browser, gets a page that says how to go on.
 */
export function registerFormAddresses(app: FastifyInstance, { realm }: { realm: string }): void {
  for (const path of ['/oauth/sign-in', '/oauth/consent']) {
    app.get(path, { schema: { hide: true } }, (request, reply) => {
      const messages = messagesFor(request);
      const { formTitle: title, form: text, formAdvice: advice } = messages.error;
      return sendPage(reply, 200, {
        title,
        realm,
        messages,
        body: html`<h1>${title}</h1>
<p>${text}</p>
<p>${advice}</p>
<p class="way"><a href="${reply.server.pageFrame.base}/">${messages.frame.start}</a></p>`,
      });
    });
  }
}
