import { fill } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { type Html, html, sendPage } from '../pages/page.ts';
import { passwordScript } from '../pages/password-script.ts';
import { describeField, type FormFault, showFault } from '../sign-in/form-parts.ts';
import { type PasskeyOptions, showPasskeyPart } from '../sign-in/passkey-part.ts';
import { passkeyScript } from '../sign-in/passkey-script.ts';
import { showNewPassword } from './new-password-part.ts';

export interface LinkPage {
  realm: string;
  token: string;
  formToken: string;
  username: string;
  email: string;
  /** Whether a recovery code is needed, too. */
  needsCode: boolean;
  fault: FormFault | undefined;
}

/** Asks for a new password. */
export function sendResetPage(reply: FastifyReply, page: LinkPage): FastifyReply {
  const { realm, username, needsCode, fault } = page;
  const messages = messagesFor(reply.request);
  const { recover, mailed: texts } = messages;
  const codeField = html`<p>${texts.codeHint}</p>
<label for="code">${texts.code}</label>
<input id="code" name="code" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="64" required${describeField(fault)}>`;
  return sendPage(reply, fault?.status ?? 200, {
    title: recover.title,
    realm,
    messages,
    script: passwordScript,
    body: html`<h1>${recover.title}</h1>
<p class="quiet">${fill(texts.username, { username })}</p>
${showFault(fault)}
${openLinkForm(reply, page)}
<input type="text" name="username" autocomplete="username" value="${username}" hidden>
${needsCode ? codeField : undefined}
${showNewPassword(messages, fault)}
<button type="submit">${messages.profile.save}</button>
</form>`,
  });
}

/** Lets an invited user choose a passkey or a password. `passkey` is undefined where none can be made. */
export function sendInvitationPage(
  reply: FastifyReply,
  page: LinkPage & { passkey: PasskeyOptions | undefined },
): FastifyReply {
  const { realm, username, passkey, fault } = page;
  const messages = messagesFor(reply.request);
  const { mailed: texts, methods } = messages;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.invitationTitle,
    realm,
    messages,
    script: scriptOfFirstWay(passkey),
    body: html`<h1>${texts.invitationTitle}</h1>
${showFault(fault)}
<p>${fill(texts.invitation, { username })}</p>
${openLinkForm(reply, page)}
${passkey && showFirstPasskey(passkey, messages)}
<h2>${methods.password}</h2>
<input type="text" name="username" autocomplete="username" value="${username}" hidden>
${showNewPassword(messages, fault)}
<button type="submit"${passkey && html` class="second"`}>${methods.setPassword}</button>
</form>`,
  });
}

/** The first way to sign in is a passkey, or the password below it. */
export function showFirstPasskey(passkey: PasskeyOptions, messages: Messages): Html {
  const { title, about, create } = messages.passkey;
  return html`<h2>${title}</h2>
<p>${about}</p>
${showPasskeyPart(passkey, create, messages, 'first')}`;
}

export function scriptOfFirstWay(passkey: PasskeyOptions | undefined): string {
  return passkey === undefined ? passwordScript : passwordScript + passkeyScript;
}

/** Asks whether an address is the user's. */
export function sendVerifyPage(reply: FastifyReply, page: LinkPage): FastifyReply {
  const { realm, username, email, fault } = page;
  const messages = messagesFor(reply.request);
  const { mailed: texts } = messages;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.verifyTitle,
    realm,
    messages,
    body: html`<h1>${texts.verifyTitle}</h1>
<p class="quiet">${fill(texts.username, { username })}</p>
${showFault(fault)}
<p>${fill(texts.verify, { email })}</p>
${openLinkForm(reply, page)}
<button type="submit">${texts.confirm}</button>
</form>`,
  });
}

/** Opens the form of a link. */
export function openLinkForm(reply: FastifyReply, { formToken, token }: LinkPage): Html {
  return html`<form method="post" action="${reply.server.pageFrame.base}/account/link">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="token" value="${token}">`;
}

/** The field in which a person proves to know whose link it is. */
export function showUsernameField({ profile }: Messages, fault: FormFault | undefined): Html {
  return html`<label for="username">${profile.username}</label>
<input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" required${describeField(fault)}>`;
}

/** The same for a link that is unknown, used, replaced or expired. */
export function sendGonePage(reply: FastifyReply, realm: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { mailed: texts } = messages;
  return sendNote(reply, 404, { realm, messages, title: texts.goneTitle, text: texts.gone }, [
    `${reply.server.pageFrame.base}/account/recover`,
    texts.again,
  ]);
}

/** The new password is set. `next`: where to sign in. */
export function sendResetDonePage(reply: FastifyReply, realm: string, next: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { mailed: texts } = messages;
  return sendNote(reply, 200, { realm, messages, title: texts.setTitle, text: texts.set }, [next, texts.goOn]);
}

/** A mail with a link is on its way to the address. */
export function sendLinkSentPage(reply: FastifyReply, realm: string, email: string): FastifyReply {
  const messages = messagesFor(reply.request);
  const { mailed: texts, account } = messages;
  const text = fill(texts.sent, { email });
  return sendNote(reply, 200, { realm, messages, title: texts.sentTitle, text }, [
    `${reply.server.pageFrame.base}/account`,
    account.back,
  ]);
}

/** A page that says how it ended, and leads on. */
export function sendNote(
  reply: FastifyReply,
  status: number,
  { realm, messages, title, text }: { realm: string; messages: Messages; title: string; text: string },
  [href, label]: [string, string],
): FastifyReply {
  return sendPage(reply, status, {
    title,
    realm,
    messages,
    body: html`<h1>${title}</h1>
<p role="status">${text}</p>
<p class="way"><a href="${href}">${label}</a></p>`,
  });
}
