import { logFailure } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toOAuthError } from '../http/error-handlers.ts';
import { sendErrorPage } from './error-page.ts';
import { messagesFor } from './messages/messages-for.ts';

/** The error handler of pages. It shows a page that says what the user can do. */
export function createPageErrorHandler(realm: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const failure = toOAuthError(error, request.id);
    logFailure(request, failure.status, failure);
    if (failure.retryAfter !== undefined) void reply.header('retry-after', failure.retryAfter);
    const isOurs = failure.status >= 500;
    const messages = messagesFor(request);
    const { error: texts } = messages;
    sendErrorPage(reply, failure.status, {
      realm,
      messages,
      title: isOurs ? texts.oursTitle : texts.theirsTitle,
      message: isOurs ? texts.ours : `${failure.message}.`,
      isTechnical: !isOurs,
      advice: isOurs ? texts.oursAdvice : texts.theirsAdvice,
      requestId: request.id,
    });
  };
}
