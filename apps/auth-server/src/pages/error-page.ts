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

/** Shows an error to the user, because there is no safe address to send it to. */
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
