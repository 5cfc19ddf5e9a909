import type { FastifyReply } from 'fastify';
import {
  type ApplicationLinks,
  type ApplicationName,
  showLinks,
  showLogo,
  showName,
  warnOfName,
} from '../pages/application.ts';
import { en, type Messages } from '../pages/messages/en.ts';
import { fillHtml } from '../pages/messages/fill.ts';
import { type Html, html, sendPage } from '../pages/page.ts';
import { passwordScript } from '../pages/password-script.ts';

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
  /** English where they are left out. */
  messages?: Messages | undefined;
}

/** A sign-in form that did not sign anybody in. */
export interface SignInFault {
  status: number;
  /** The text that the user reads. */
  message: string;
  /** As it was typed. */
  username: string | undefined;
}

/** The sign-in page: one form with two fields; works without scripts, by keyboard and by screen reader. */
export function sendSignInPage(reply: FastifyReply, page: SignInPage): FastifyReply {
  const { realm, application, action, formToken, request, fault, messages = en } = page;
  const { signIn: texts } = messages;
  const username = fault === undefined ? page.loginHint : fault.username;
  const hasUsername = username !== undefined;
  const usernameField = html`<input id="username" name="username" type="text" inputmode="email" autocomplete="username"
 autocapitalize="none" spellcheck="false" maxlength="255" required${hasUsername ? undefined : html` autofocus`}${fault === undefined ? undefined : html` aria-describedby="fault" aria-invalid="true"`} value="${username ?? ''}">`;
  const passwordField = html`<input id="password" name="password" type="password" autocomplete="current-password"
 maxlength="1024" required${hasUsername ? html` autofocus` : undefined}${fault === undefined ? undefined : html` aria-describedby="fault" aria-invalid="true"`}>`;
  return sendPage(reply, fault?.status ?? 200, {
    title: fault === undefined ? texts.title : texts.failedTitle,
    realm,
    messages,
    script: passwordScript,
    body: html`${showLogo(page.about)}<h1>${texts.title}</h1>
${application === undefined ? html`<p class="quiet">${page.purpose?.(messages)}</p>` : nameApplicant(application, messages)}
${fault === undefined ? undefined : html`<p class="alarm" role="alert" id="fault">${fault.message}</p>`}
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="request" value="${request}">
<label for="username">${texts.username}</label>
${usernameField}
<label for="password">${texts.password}</label>
${passwordField}
<p class="hint" role="status" id="caps-lock" data-text="${texts.capsLock}"></p>
<button type="button" class="plain" id="show-password" data-show="${texts.showPassword}" data-hide="${texts.hidePassword}" hidden>${texts.showPassword}</button>
<button type="submit">${texts.submit}</button>
${page.mayCancel === true ? html`<button type="submit" name="decision" value="cancel" class="second" formnovalidate>${texts.cancel}</button>` : undefined}
</form>
${showLinks(application?.name ?? '', page.about, messages)}`,
  });
}

/** Names the application. A long name is cut, but for what must stay in sight behind it. */
function nameApplicant(application: ApplicationName, messages: Messages): Html {
  const words = fillHtml(messages.signIn.application, { application: showName(application) });
  return application.place === undefined
    ? html`<p class="quiet name">${words}</p>`
    : html`<p class="quiet">${words}</p>\n${warnOfName(application, messages)}`;
}
