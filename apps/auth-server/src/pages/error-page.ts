import type { FastifyReply } from 'fastify';
import { html, sendPage } from './page.ts';

export interface ErrorPage {
  realm: string;
  title: string;
  /** What is wrong. */
  message: string;
  /** What the user can do about it. */
  advice: string;
  requestId: string;
}

/** An error that is shown to the user, because there is nowhere it could safely be sent. */
export function sendErrorPage(reply: FastifyReply, status: number, page: ErrorPage): FastifyReply {
  const { realm, title, message, advice, requestId } = page;
  return sendPage(reply, status, {
    title,
    realm,
    body: html`<h1>${title}</h1>
<p class="alarm" role="alert">${message}</p>
<p>${advice}</p>
<p class="quiet">If you report this, give this reference: <code>${requestId}</code></p>`,
  });
}
