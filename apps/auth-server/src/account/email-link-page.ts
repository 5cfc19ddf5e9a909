import { fill } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, sendPage } from '../pages/page.ts';
import { showFault } from '../sign-in/form-parts.ts';
import { type LinkPage, openLinkForm, sendNote, showUsernameField } from './link-page.ts';

export interface EmailLinkPage extends LinkPage {
  /** The side that the link went to. */
  side: 'old' | 'new';
  before: string;
  after: string;
  mayConfirm: boolean;
  /** The user who is signed in: the one of the link, another one, or none. */
  signedIn: 'own' | 'other' | 'none';
}

/** Asks one side whether the address of a user may change. The new side is told no name, and no other address. */
export function sendEmailLinkPage(reply: FastifyReply, page: EmailLinkPage): FastifyReply {
  const { realm, username, side, before, after, mayConfirm, signedIn, fault } = page;
  const messages = messagesFor(reply.request);
  const { email: texts } = messages;
  const confirm = html`<button type="submit" name="decision" value="confirm">${signedIn === 'own' ? texts.confirm : texts.signInAndConfirm}</button>`;
  const refuse = html`<button type="submit" name="decision" value="refuse" class="second">${texts.refuse}</button>`;
  const byName = html`<p class="way">${texts.refuseHint}</p>
${openLinkForm(reply, page)}
${showUsernameField(messages, fault)}
${refuse}
</form>`;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.decideTitle,
    realm,
    messages,
    body: html`<h1>${texts.decideTitle}</h1>
${showFault(fault)}
<p>${side === 'old' ? fill(texts.decide, { username, before, after }) : fill(texts.decideNew, { after })}</p>
${signedIn === 'own' || (mayConfirm && signedIn === 'none') ? html`${openLinkForm(reply, page)}${mayConfirm ? confirm : undefined}${signedIn === 'own' ? refuse : undefined}</form>` : undefined}
${signedIn === 'own' ? undefined : byName}`,
  });
}

/** The change was refused. */
export function sendEmailKeptPage(reply: FastifyReply, realm: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { email: texts, account } = messages;
  const note = { realm, messages, title: texts.refusedTitle, text: texts.refused };
  return sendNote(reply, 200, note, [`${reply.server.pageFrame.base}/account`, account.title]);
}
