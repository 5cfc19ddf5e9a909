import { logFailure } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toOAuthError } from '../http/error-handlers.ts';
import { sendErrorPage } from './error-page.ts';

/** The error handler of pages. It shows a page that says what the user can do. */
export function createPageErrorHandler(realm: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const failure = toOAuthError(error, request.id);
    logFailure(request, failure.status, failure);
    if (failure.retryAfter !== undefined) void reply.header('retry-after', failure.retryAfter);
    const isOurs = failure.status >= 500;
    sendErrorPage(reply, failure.status, {
      realm,
      title: isOurs ? 'This does not work at the moment' : 'This request cannot be answered',
      message: isOurs ? 'Something is wrong on our side.' : `${failure.message}.`,
      advice: isOurs ? 'Wait a moment and try again.' : 'Go back to the application and start again.',
      requestId: request.id,
    });
  };
}
