import { fill } from '@gatehouse/service-kit/html';
import type { AccountData } from '@gatehouse/shared';
import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { html } from '../pages/page.ts';
import { passwordScript } from '../pages/password-script.ts';
import { describeField, type FormFault } from '../sign-in/form-parts.ts';
import { sendAccountPage } from './account-page.ts';
import { showNewPassword } from './new-password-part.ts';

export interface PasswordPage {
  realm: string;
  account: AccountData;
  formToken: string;
  fault: FormFault | undefined;
  messages: Messages;
}

/** Asks for a new password, and for the old one where there is one. */
export function sendPasswordPage(reply: FastifyReply, page: PasswordPage): FastifyReply {
  const { realm, account, formToken, fault, messages } = page;
  const { methods: texts } = messages;
  const { username = '' } = account.user;
  const { base } = reply.server.pageFrame;
  const hasOne = account.methods.password !== null;
  const oldField = html`<label for="old_password">${texts.oldPassword}</label>
<input id="old_password" name="old_password" type="password" autocomplete="current-password" maxlength="1024" required${describeField(fault)}>`;
  const hint = html`<p class="hint">${fill(texts.newPasswordHint, { length: String(account.passwordMinLength) })}</p>
`;
  return sendAccountPage(reply, {
    realm,
    username,
    messages,
    section: 'methods',
    title: hasOne ? texts.changePassword : texts.setPassword,
    fault,
    script: passwordScript,
    body: html`<form method="post" action="${base}/account/password" class="narrow">
<input type="hidden" name="form_token" value="${formToken}">
<input type="text" name="username" autocomplete="username" value="${username}" hidden>
${hasOne ? oldField : undefined}
${showNewPassword(messages, fault, hint)}
<p class="note">${texts.passwordEnds}</p>
<button type="submit">${messages.profile.save}</button>
</form>
<p class="way"><a href="${base}/account/methods">${messages.account.back}</a></p>`,
  });
}
