import { acceptsPage } from '@gatehouse/service-kit/html';
import { problemNotFoundHandler } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendErrorPage } from './error-page.ts';
import { loadLanguages } from './messages/choose-messages.ts';
import { messagesFor } from './messages/messages-for.ts';

/** Answers paths that do not exist: people by a page, programs by a problem document. */
export function createNotFoundHandler(realm: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!acceptsPage(request.headers.accept)) {
      problemNotFoundHandler(request, reply);
      return;
    }
    await loadLanguages();
    const messages = messagesFor(request);
    const { nothingTitle: title, nothing: message, nothingAdvice: advice } = messages.error;
    sendErrorPage(reply, 404, { realm, messages, title, message, advice, requestId: request.id });
  };
}
