import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';
import { describeField, type FormFault } from '../sign-in/form-parts.ts';
import { type PasskeyOptions, showPasskeyPart } from '../sign-in/passkey-part.ts';
import { passkeyScript } from '../sign-in/passkey-script.ts';
import { showCodeAppPart } from '../sign-in/set-up-page.ts';
import { sendAccountPage, showAction } from './account-page.ts';

interface NewMethodPage {
  realm: string;
  username: string;
  formToken: string;
  fault: FormFault | undefined;
  messages: Messages;
}

/** Makes a passkey. `passkey` is undefined where none can be made; `name` is the one that it gets. */
export function sendNewPasskeyPage(
  reply: FastifyReply,
  page: NewMethodPage & { passkey: PasskeyOptions | undefined; name: string },
): FastifyReply {
  const { passkey, name, formToken, fault, messages } = page;
  const { methods: texts } = messages;
  const { base } = reply.server.pageFrame;
  const form =
    passkey &&
    html`<p>${messages.passkey.about}</p>
<form method="post" action="${base}/account/passkeys" class="narrow">
<input type="hidden" name="form_token" value="${formToken}">
<label for="name">${texts.passkeyName}</label>
<input id="name" name="name" type="text" maxlength="64"${describeField(fault)} value="${name}">
${showPasskeyPart(passkey, messages.passkey.create, messages, 'first')}
</form>`;
  return sendAccountPage(reply, {
    ...page,
    section: 'methods',
    title: texts.addPasskey,
    script: passkey && passkeyScript,
    body: html`${form ?? html`<p>${texts.tooManyPasskeys}</p>`}
${goBack(base, messages)}`,
  });
}

/** Sets a code app up. */
export function sendCodeAppPage(
  reply: FastifyReply,
  page: NewMethodPage & { secret: string; secretToken: string; uri: string },
): FastifyReply {
  const { secret, secretToken, uri, formToken, fault, messages } = page;
  const { base } = reply.server.pageFrame;
  return sendAccountPage(reply, {
    ...page,
    section: 'methods',
    title: messages.methods.codeApp,
    body: html`<form method="post" action="${base}/account/code-app" class="narrow">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="secret" value="${secret}">
<input type="hidden" name="secret_token" value="${secretToken}">
${showCodeAppPart({ secret, uri, fault, messages })}
<button type="submit">${messages.secondStep.submit}</button>
</form>
${goBack(base, messages)}`,
  });
}

/** Offers new recovery codes. */
export function sendRecoveryCodesOfferPage(reply: FastifyReply, page: NewMethodPage): FastifyReply {
  const { formToken, messages } = page;
  const { methods: texts } = messages;
  const { base } = reply.server.pageFrame;
  const action = { formToken, action: `${base}/account/recovery-codes`, label: texts.makeCodes, style: 'first' };
  return sendAccountPage(reply, {
    ...page,
    section: 'methods',
    title: texts.recoveryCodes,
    body: html`<p>${texts.recoveryCodesAbout}</p>
<div class="narrow">${showAction(action)}</div>
${goBack(base, messages)}`,
  });
}

/** Shows recovery codes, once. */
export function sendNewRecoveryCodesPage(
  reply: FastifyReply,
  page: Omit<NewMethodPage, 'formToken' | 'fault'> & { recoveryCodes: readonly string[] },
): FastifyReply {
  const { recoveryCodes, messages } = page;
  const { setUp: texts } = messages;
  const { base } = reply.server.pageFrame;
  return sendAccountPage(reply, {
    ...page,
    fault: undefined,
    section: 'methods',
    title: texts.codesTitle,
    body: html`<p>${texts.codes}</p>
<ol class="recovery-codes">${joinHtml(recoveryCodes.map((code) => html`<li><code>${code}</code></li>`))}</ol>
<form method="get" action="${base}/account/methods" class="narrow"><button type="submit" name="kept" value="yes">${texts.kept}</button></form>`,
  });
}

/** Asks for a mailed link, which comes first. */
export function sendLinkFirstPage(reply: FastifyReply, page: NewMethodPage & { action: string }): FastifyReply {
  const { action, formToken, messages } = page;
  const { setUp: texts } = messages;
  const { base } = reply.server.pageFrame;
  const send = { formToken, action: base + action, label: texts.linkSend, style: 'first' };
  return sendAccountPage(reply, {
    ...page,
    section: 'methods',
    title: texts.linkTitle,
    body: html`<p>${texts.link}</p>
<div class="narrow">${showAction(send, { decision: 'link' })}</div>
${goBack(base, messages)}`,
  });
}

function goBack(base: string, { account }: Messages): Html {
  return html`<p class="way"><a href="${base}/account/methods">${account.back}</a></p>`;
}
