import { fill } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, sendPage } from '../pages/page.ts';
import { showFault } from '../sign-in/form-parts.ts';
import { type LinkPage, openLinkForm, sendNote, showUsernameField } from './link-page.ts';

/** Goes on with the set-up of the first second step, in the browser that asked. */
export function sendSetUpGoOnPage(reply: FastifyReply, page: LinkPage): FastifyReply {
  const { realm, username, fault } = page;
  const messages = messagesFor(reply.request);
  const { mailed: texts } = messages;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.setUpTitle,
    realm,
    messages,
    body: html`<h1>${texts.setUpTitle}</h1>
${showFault(fault)}
<p>${fill(texts.setUp, { username })}</p>
${openLinkForm(reply, page)}
<button type="submit">${texts.setUpGoOn}</button>
</form>`,
  });
}

/** Removes the first second step, which another person set up. It names nobody: the user types the name. */
export function sendRemoveFirstPage(reply: FastifyReply, page: LinkPage): FastifyReply {
  const { realm, fault } = page;
  const messages = messagesFor(reply.request);
  const { mailed: texts } = messages;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.firstTitle,
    realm,
    messages,
    body: html`<h1>${texts.firstTitle}</h1>
${showFault(fault)}
<p>${texts.first}</p>
${openLinkForm(reply, page)}
${showUsernameField(messages, fault)}
<button type="submit">${texts.removeFirst}</button>
</form>`,
  });
}

/** The second step is removed, and every session has ended. */
export function sendFirstRemovedPage(reply: FastifyReply, realm: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { mailed: texts, recover } = messages;
  const note = { realm, messages, title: texts.removedTitle, text: texts.removed };
  return sendNote(reply, 200, note, [`${reply.server.pageFrame.base}/account/recover`, recover.title]);
}
