import type { FastifyReply } from 'fastify';
import { sendErrorPage } from '../pages/error-page.ts';

/** Says that a page is about the user's account, and that no user is signed in at this browser. */
export function sendNotSignedInPage(reply: FastifyReply, realm: string): FastifyReply {
  return sendErrorPage(reply, 403, {
    realm,
    title: 'You are not signed in here',
    message: 'This page is about your account, and nobody is signed in at this browser.',
    advice: 'Go to an application of this organization, sign in there, and come back.',
    requestId: reply.request.id,
  });
}
