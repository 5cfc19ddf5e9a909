import type { FastifyReply } from 'fastify';
import { nameLinkTo, warnOfHost } from '../pages/host-warning.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, sendPage } from '../pages/page.ts';
import { showUser } from '../pages/user.ts';

/** Where the application wants the user to go on, at a host that nobody vouches for. */
interface WayOn {
  host: string;
  redirectUri: string;
}

/** Tells the user that the session is over. RFC 9700 4.11.2: the user decides whether to go on to an address of a stranger. */
export function sendSignedOutPage(reply: FastifyReply, realm: string, way?: WayOn): FastifyReply {
  const messages = messagesFor(reply.request);
  const { signOut: texts } = messages;
  const goingOn =
    way &&
    html`${warnOfHost(way.host, messages)}
<p class="way"><a href="${way.redirectUri}">${nameLinkTo(way.host, messages)}</a></p>`;
  return sendPage(reply, 200, {
    title: texts.doneTitle,
    realm,
    messages,
    body: html`<h1>${texts.doneHeading}</h1>
<p>${texts.done}</p>
${goingOn}
<p class="way"><a href="${reply.server.pageFrame.base}/">${messages.frame.start}</a></p>`,
  });
}

interface SignOutPage {
  realm: string;
  /** Undefined where the organization does not answer. */
  username: string | undefined;
  formToken: string;
  /** The request of the application, which the form carries. */
  request: string;
}

/** Asks before it ends a session that nobody has proved to be meant. */
export function sendSignOutPage(
  reply: FastifyReply,
  { realm, username, formToken, request }: SignOutPage,
): FastifyReply {
  const messages = messagesFor(reply.request);
  const { signOut: texts } = messages;
  return sendPage(reply, 200, {
    title: texts.title,
    realm,
    messages,
    body: html`${username === undefined ? undefined : showUser(username, messages)}
<h1>${texts.question}</h1>
<p>${texts.effect}</p>
<form method="post" action="logout">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="request" value="${request}">
<button type="submit">${texts.submit}</button>
</form>
<p class="way"><a href="${reply.server.pageFrame.base}/">${texts.stay}</a></p>`,
  });
}
