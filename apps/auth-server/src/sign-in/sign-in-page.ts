import type { FastifyReply } from 'fastify';
import {
  type ApplicationLinks,
  type ApplicationName,
  showDocument,
  showLinks,
  showLogo,
} from '../pages/application.ts';
import { en, type Messages } from '../pages/messages/en.ts';
import { type Html, html, sendPage } from '../pages/page.ts';
import { showPasswordField } from '../pages/password-field.ts';
import { passwordScript } from '../pages/password-script.ts';
import type { FormFault } from './form-parts.ts';
import { describeField, hideFields, offerCancel, showApplicant, showFault } from './form-parts.ts';
import { type PasskeyOptions, showPasskeyPart } from './passkey-part.ts';
import { passkeyScript } from './passkey-script.ts';
import { type AskedAccount, showAskedAccount, showUpstreams, type UpstreamWays } from './upstream-part.ts';

export interface SignInPage {
  realm: string;
  /** The application that asks; undefined where a page of this server does. */
  application?: ApplicationName | undefined;
  /** Says what the sign-in is for, where no application asks. */
  purpose?: ((messages: Messages) => string) | undefined;
  /** The place that the form is posted to, relative to the page. */
  action: string;
  /** Proves that the form came from this server to this browser. */
  formToken: string;
  /** The request to go on with: the authorization request as its query string, or the fields that a page of this server carries. */
  request: string;
  /** The name that the client suggests for the username field. */
  loginHint?: string | undefined;
  /** The fault of the form that was posted before. */
  fault?: SignInFault | undefined;
  /** Whether an application can be told that the user does not want to sign in. */
  mayCancel?: boolean | undefined;
  /** The logo and the links that the application shows next to its name. */
  about?: ApplicationLinks | undefined;
  /** Where a user who forgot the password goes on; undefined where this server mails no links. */
  recoverUrl?: string | undefined;
  /** Where people who are new go on; undefined where nobody registers. */
  registerUrl?: string | undefined;
  /** Undefined where no passkey can sign in. */
  passkey?: PasskeyOptions | undefined;
  /** None where they are left out. */
  ways?: UpstreamWays;
  /** An account at one of them that waits for a sign-in as before. */
  askedAccount?: AskedAccount | undefined;
  /** English where they are left out. */
  messages?: Messages | undefined;
}

/** A sign-in form that did not sign anybody in. */
export interface SignInFault extends FormFault {
  /** As it was typed. */
  username: string | undefined;
}

/** The sign-in page: one form with two fields; works without scripts, by keyboard and by screen reader. */
export function sendSignInPage(reply: FastifyReply, page: SignInPage): FastifyReply {
  const { realm, application, action, passkey, fault, messages = en } = page;
  const { signIn: texts } = messages;
  const username = fault === undefined ? page.loginHint : fault.username;
  const hasUsername = username !== undefined;
  // A user who registers gets the address as name.
  const isAddress = page.registerUrl !== undefined;
  const usernameField = html`<input id="username" name="username" type="text" inputmode="email" autocomplete="username${passkey && ' webauthn'}"
 autocapitalize="none" spellcheck="false" maxlength="255" required${hasUsername ? undefined : html` autofocus`}${describeField(fault)} value="${username ?? ''}">`;
  const attributes = html`${hasUsername ? html` autofocus` : undefined}${describeField(fault)}`;
  return sendPage(reply, fault?.status ?? 200, {
    title: fault === undefined ? texts.title : texts.failedTitle,
    realm,
    messages,
    script: passkey === undefined ? passwordScript : passwordScript + passkeyScript,
    body: html`${showLogo(page.about)}${showDocument(application, messages)}<h1>${texts.title}</h1>
${showApplicant({ ...page, messages })}
${showFault(fault)}
${showAskedAccount(page.askedAccount, messages)}
<form method="post" action="${action}">
${hideFields(page)}
<label for="username">${isAddress ? messages.profile.email : texts.username}</label>
${usernameField}
${showPasswordField({ label: texts.password, autocomplete: 'current-password', attributes }, messages)}
<button type="submit">${texts.submit}</button>
${passkey && showPasskeyPart(passkey, messages.passkey.signIn, messages, 'second')}
${page.ways && showUpstreams(page.ways, messages)}
${offerCancel({ ...page, messages })}
</form>
${offerWays(page, messages)}
${showLinks(application?.name ?? '', page.about, messages)}`,
  });
}

/** The ways of people who cannot sign in. */
function offerWays({ recoverUrl, registerUrl }: SignInPage, { signIn, register }: Messages): Html | undefined {
  if (recoverUrl === undefined && registerUrl === undefined) return undefined;
  return html`<p class="way">${recoverUrl && html`<a href="${recoverUrl}">${signIn.recover}</a>`}
${registerUrl && html`<a href="${registerUrl}">${register.title}</a>`}</p>`;
}
