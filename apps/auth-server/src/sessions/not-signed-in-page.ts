import type { FastifyReply } from 'fastify';
import { sendErrorPage } from '../pages/error-page.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';

/** Says that a page is about the user's account, and that no user is signed in at this browser. */
export function sendNotSignedInPage(reply: FastifyReply, realm: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { notSignedInTitle: title, notSignedIn: message, notSignedInAdvice: advice } = messages.error;
  return sendErrorPage(reply, 403, { realm, messages, title, message, advice, requestId: reply.request.id });
}
