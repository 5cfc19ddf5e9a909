import type { FastifyReply } from 'fastify';
import { html, sendPage } from '../pages/page.ts';

/** Tells the user that the session is over. */
export function sendSignedOutPage(reply: FastifyReply, realm: string): FastifyReply {
  return sendPage(reply, 200, {
    title: 'Signed out',
    realm,
    body: html`<h1>You are signed out</h1>
<p>Your session here has ended. You can close this window.</p>`,
  });
}

/** Asks before it ends a session that nobody has proved to be meant. */
export function sendSignOutPage(
  reply: FastifyReply,
  { realm, formToken, request }: { realm: string; formToken: string; request: string },
): FastifyReply {
  return sendPage(reply, 200, {
    title: 'Sign out',
    realm,
    body: html`<h1>Sign out?</h1>
<p>Applications you signed in to from here may ask you to sign in again.</p>
<form method="post" action="logout">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="request" value="${request}">
<button type="submit">Sign out</button>
</form>`,
  });
}
