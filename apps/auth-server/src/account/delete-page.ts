import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html } from '../pages/page.ts';
import { describeField, type FormFault } from '../sign-in/form-parts.ts';
import { sendAccountPage } from './account-page.ts';
import { sendNote } from './link-page.ts';

export interface DeletePage {
  realm: string;
  username: string;
  formToken: string;
  fault: FormFault | undefined;
  messages: Messages;
}

/** Asks for the username, to delete the account. */
export function sendDeletePage(reply: FastifyReply, page: DeletePage): FastifyReply {
  const { formToken, fault, messages } = page;
  const { deletion: texts, profile, account } = messages;
  const { base } = reply.server.pageFrame;
  return sendAccountPage(reply, {
    ...page,
    section: 'profile',
    title: texts.title,
    body: html`<p>${texts.about}</p>
<form method="post" action="${base}/account/delete" class="narrow">
<input type="hidden" name="form_token" value="${formToken}">
<label for="username">${profile.username}</label>
<input id="username" name="username" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="255" required${describeField(fault)}>
<button type="submit">${texts.submit}</button>
</form>
<p class="way"><a href="${base}/account">${account.back}</a></p>`,
  });
}

/** The account is gone. */
export function sendDeletedPage(reply: FastifyReply, realm: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { deletion: texts, frame } = messages;
  const note = { realm, messages, title: texts.doneTitle, text: texts.done };
  return sendNote(reply, 200, note, [`${reply.server.pageFrame.base}/`, frame.start]);
}
