import { acceptsPage, html } from '@gatehouse/service-kit/html';
import { problemNotFoundHandler } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFoundMessages } from './not-found-messages.ts';
import { chooseLanguage, sendPage } from './plain-page.ts';

/** Answers paths that do not exist: people by a page, programs by a problem document. */
export function createNotFoundHandler({ baseUrl }: { baseUrl: string }) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    if (!acceptsPage(request.headers.accept)) {
      problemNotFoundHandler(request, reply);
      return;
    }
    const language = chooseLanguage(request);
    const { title, nothing, advice, reference, start } = notFoundMessages[language];
    void reply.header('cache-control', 'no-store');
    const body = html`<p>${nothing}</p>
<p>${advice}</p>
<p class="quiet">${reference} <code>${request.id}</code></p>
<p><a href="${baseUrl}/">${start}</a></p>`;
    sendPage(reply, 404, { language, title, body });
  };
}
