import type { FastifyReply } from 'fastify';
import { showLogo } from '../pages/application.ts';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml, sendPage } from '../pages/page.ts';
import type { FormFault } from './form-parts.ts';
import { describeField, hideFields, offerCancel, showApplicant, showFault } from './form-parts.ts';
import { type PasskeyOptions, showPasskeyPart } from './passkey-part.ts';
import { passkeyScript } from './passkey-script.ts';
import type { FormPage } from './place-endpoint.ts';
import { drawQrCode } from './qr-code.ts';

export interface SetUpPage extends FormPage {
  /** Base32. */
  secret: string;
  /** The secret for the camera of a code app. */
  uri: string;
  /** Undefined where no passkey can be made. */
  passkey: PasskeyOptions | undefined;
  /** Whether the user may go on without. */
  isOffered: boolean;
  fault: FormFault | undefined;
}

/** Offers to make a passkey. Shows the secret of a code app, as a picture and as text, and asks for the first code. */
export function sendSetUpPage(reply: FastifyReply, page: SetUpPage): FastifyReply {
  const { realm, action, secret, uri, passkey, isOffered, fault, messages } = page;
  const { setUp: texts, secondStep } = messages;
  return sendPage(reply, fault?.status ?? 200, {
    title: fault === undefined ? texts.title : texts.failedTitle,
    realm,
    messages,
    script: passkey && passkeyScript,
    body: html`${showLogo(page.about)}<h1>${texts.title}</h1>
${showApplicant(page)}
${showFault(fault)}
<p>${isOffered ? texts.offered : texts.required}</p>
<form method="post" action="${action}">
${hideFields(page)}
<input type="hidden" name="secret" value="${secret}">
<input type="hidden" name="offered" value="${isOffered ? 'yes' : 'no'}">
${passkey && showNewPasskey(passkey, messages)}
<h2>${texts.codeApp}</h2>
${showCodeAppPart({ secret, uri, fault, messages })}
<button type="submit">${secondStep.submit}</button>
${isOffered ? html`<button type="submit" name="decision" value="skip" class="second" formnovalidate>${texts.notNow}</button>` : offerCancel(page)}
</form>`,
  });
}

/** The secret of a code app, as a picture and as text, and the field for the first code. */
export function showCodeAppPart({
  secret,
  uri,
  fault,
  messages,
}: Pick<SetUpPage, 'secret' | 'uri' | 'fault' | 'messages'>): Html {
  const { setUp: texts } = messages;
  const groups = secret.match(/.{4}/g) ?? [];
  return html`<p>${texts.scan}</p>
${drawQrCode(uri, texts.picture)}
<dl><dt>${texts.key}</dt><dd><code>${groups.join(' ')}</code></dd></dl>
<label for="code">${texts.prompt}</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" maxlength="16"
 required${describeField(fault)}>`;
}

function showNewPasskey(passkey: PasskeyOptions, messages: Messages): Html {
  return html`<h2>${messages.passkey.title}</h2>
<p>${messages.passkey.about}</p>
${showPasskeyPart(passkey, messages.passkey.create, messages, 'first')}`;
}

/** Shows the recovery codes, once. */
export function sendRecoveryCodesPage(
  reply: FastifyReply,
  page: FormPage & { recoveryCodes: readonly string[] },
): FastifyReply {
  const { realm, action, recoveryCodes, messages } = page;
  const { setUp: texts } = messages;
  return sendPage(reply, 200, {
    title: texts.codesTitle,
    realm,
    messages,
    body: html`<h1>${texts.codesTitle}</h1>
<p>${texts.codes}</p>
<ol class="recovery-codes">${joinHtml(recoveryCodes.map((code) => html`<li><code>${code}</code></li>`))}</ol>
<form method="post" action="${action}">
${hideFields(page)}
<button type="submit" name="kept" value="yes">${texts.kept}</button>
</form>`,
  });
}

/** Asks for a mailed link, which comes first. */
export function sendSetUpLinkPage(
  reply: FastifyReply,
  page: FormPage & Pick<SetUpPage, 'isOffered' | 'fault'>,
): FastifyReply {
  const { realm, action, isOffered, fault, messages } = page;
  const { setUp: texts } = messages;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.linkTitle,
    realm,
    messages,
    body: html`${showLogo(page.about)}<h1>${texts.linkTitle}</h1>
${showApplicant(page)}
${showFault(fault)}
<p>${texts.link}</p>
<form method="post" action="${action}">
${hideFields(page)}
<input type="hidden" name="secret" value="">
<input type="hidden" name="offered" value="${isOffered ? 'yes' : 'no'}">
<button type="submit" name="decision" value="link">${texts.linkSend}</button>
${isOffered ? html`<button type="submit" name="decision" value="skip" class="second">${texts.notNow}</button>` : offerCancel(page)}
</form>`,
  });
}

/** The link is on its way. */
export function sendSetUpLinkSentPage(reply: FastifyReply, { realm, messages }: Pick<FormPage, 'realm' | 'messages'>) {
  const { setUp: texts, mailed } = messages;
  return sendPage(reply, 200, {
    title: mailed.sentTitle,
    realm,
    messages,
    body: html`<h1>${mailed.sentTitle}</h1>
<p role="status">${texts.linkSent}</p>`,
  });
}
