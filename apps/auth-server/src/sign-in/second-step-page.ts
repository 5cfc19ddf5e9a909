import { fill } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import { showLogo } from '../pages/application.ts';
import { html, sendPage } from '../pages/page.ts';
import type { FormFault } from './form-parts.ts';
import { describeField, hideFields, offerCancel, showApplicant, showFault } from './form-parts.ts';
import { type PasskeyOptions, showPasskeyPart } from './passkey-part.ts';
import { passkeyScript } from './passkey-script.ts';
import type { FormPage } from './place-endpoint.ts';

export interface SecondStepPage extends FormPage {
  /** The sign-in whose password was right; empty for a user who is signed in. */
  pending: string;
  /** Undefined where the user has no passkey. */
  passkey: PasskeyOptions | undefined;
  fault: FormFault | undefined;
  /** For how many days a browser is remembered; 0 where none is. */
  rememberDays: number;
}

/** Asks for a code of the app, or a recovery code. One field takes both. */
export function sendSecondStepPage(reply: FastifyReply, page: SecondStepPage): FastifyReply {
  const { realm, action, pending, passkey, fault, rememberDays, messages } = page;
  const { secondStep: texts } = messages;
  return sendPage(reply, fault?.status ?? 200, {
    title: fault === undefined ? texts.title : texts.failedTitle,
    realm,
    messages,
    script: passkey && passkeyScript,
    body: html`${showLogo(page.about)}<h1>${texts.title}</h1>
${showApplicant(page)}
${showFault(fault)}
<p>${passkey === undefined ? texts.prompt : messages.passkey.second}</p>
<form method="post" action="${action}">
${hideFields(page)}
<input type="hidden" name="pending" value="${pending}">
${passkey && showPasskeyPart(passkey, messages.passkey.use, messages, 'first')}
<label for="code">${texts.code}</label>
<input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false"
 maxlength="64" required${passkey === undefined ? html` autofocus` : undefined}${describeField(fault)}>
${rememberDays > 0 ? html`<label class="choice"><input type="checkbox" name="remember_browser" value="yes">${fill(texts.remember, { days: String(rememberDays) })}</label>` : undefined}
<button type="submit"${passkey && html` class="second"`}>${texts.submit}</button>
${offerCancel(page)}
</form>`,
  });
}
