import type { FastifyReply } from 'fastify';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, sendPage } from '../pages/page.ts';
import { describeField, showFault } from '../sign-in/form-parts.ts';
import type { PasskeyOptions } from '../sign-in/passkey-part.ts';
import { type LinkPage, openLinkForm, scriptOfFirstWay, showFirstPasskey } from './link-page.ts';
import { showNewPassword } from './new-password-part.ts';
import { type RecoverPage, sendAnswerToAll, showWayBack } from './recover-page.ts';

/** Asks for the address of a new user, to mail a link to. */
export function sendRegisterPage(reply: FastifyReply, { realm, formToken, request, fault }: RecoverPage): FastifyReply {
  const messages = messagesFor(reply.request);
  const { register: texts, profile } = messages;
  const { base } = reply.server.pageFrame;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.title,
    realm,
    messages,
    body: html`<h1>${texts.title}</h1>
${showFault(fault)}
<p>${texts.prompt}</p>
<form method="post" action="${base}/account/register?ui_locales=${messages.language}">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="request" value="${request}">
<label for="email">${profile.email}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="255" required autofocus${describeField(fault)}>
<button type="submit">${messages.recover.submit}</button>
</form>
${showWayBack(reply, request, messages)}`,
  });
}

/** The answer to every address. */
export function sendRegisterSentPage(reply: FastifyReply, realm: string, request: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { register, mailed } = messages;
  return sendAnswerToAll(reply, { realm, request, messages, title: mailed.sentTitle, text: register.sent });
}

/** Asks for the name, and a password or a passkey. `passkey` is undefined where none can be made. */
export function sendFinishRegistrationPage(
  reply: FastifyReply,
  page: LinkPage & { passkey: PasskeyOptions | undefined; firstName: string; lastName: string },
): FastifyReply {
  const { realm, username, passkey, firstName, lastName, fault } = page;
  const messages = messagesFor(reply.request);
  const { register: texts, profile, methods } = messages;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.title,
    realm,
    messages,
    script: scriptOfFirstWay(passkey),
    body: html`<h1>${texts.title}</h1>
<p class="quiet">${username}</p>
${showFault(fault)}
${openLinkForm(reply, page)}
<input type="text" name="username" autocomplete="username" value="${username}" hidden>
<label for="first-name">${profile.fields.firstName}</label>
<input id="first-name" name="firstName" type="text" autocomplete="given-name" maxlength="255" required value="${firstName}">
<label for="last-name">${profile.fields.lastName}</label>
<input id="last-name" name="lastName" type="text" autocomplete="family-name" maxlength="255" value="${lastName}">
${passkey && showFirstPasskey(passkey, messages)}
<h2>${methods.password}</h2>
${showNewPassword(messages, fault)}
<button type="submit"${passkey && html` class="second"`}>${texts.title}</button>
</form>`,
  });
}
