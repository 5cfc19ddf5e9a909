import { fill } from '@gatehouse/service-kit/html';
import type { AccountData, WaitingEmailChange } from '@gatehouse/shared';
import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';
import { describeField, type FormFault } from '../sign-in/form-parts.ts';
import { formatTime, sendAccountPage, showAction } from './account-page.ts';

export interface EmailPage {
  realm: string;
  account: AccountData;
  formToken: string;
  isMailOn: boolean;
  fault: FormFault | undefined;
  messages: Messages;
}

/** Shows the e-mail address of a user and the change that waits, and asks for another address. */
export function sendEmailPage(reply: FastifyReply, page: EmailPage): FastifyReply {
  const { realm, account, isMailOn, formToken, fault, messages } = page;
  const { email: texts, profile } = messages;
  const { username = '', email = '', emailVerified, timezone = 'UTC' } = account.user;
  const { base } = reply.server.pageFrame;
  const badge = html`<span class="badge">${emailVerified === true ? profile.verified : profile.notVerified}</span>`;
  const verify = { formToken, action: `${base}/account/email/verify`, label: profile.confirmEmail };
  const parts = html`${emailVerified === true ? undefined : showAction(verify)}
${account.emailChange && showWaiting(account.emailChange, { base, formToken, messages, timezone })}
<h2>${texts.change}</h2>
<form method="post" action="${base}/account/email" class="narrow">
<input type="hidden" name="form_token" value="${formToken}">
<label for="email">${texts.newEmail}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="255" required${describeField(fault)}>
<p class="hint">${texts.hint}</p>
<button type="submit">${texts.send}</button>
</form>`;
  return sendAccountPage(reply, {
    realm,
    username,
    messages,
    section: 'profile',
    title: profile.email,
    fault,
    body: html`<p>${email} ${badge}</p>
${isMailOn ? parts : html`<p class="note">${texts.noMail}</p>`}
<p class="way"><a href="${base}/account">${messages.account.back}</a></p>`,
  });
}

interface WaitingPart {
  base: string;
  formToken: string;
  messages: Messages;
  timezone: string;
}

function showWaiting(change: WaitingEmailChange, { base, formToken, messages, timezone }: WaitingPart): Html {
  const { email: texts } = messages;
  const lines = describeWaiting(change, messages, timezone).map((line) => html`<p>${line}</p>`);
  const end = { formToken, action: `${base}/account/email/cancel`, label: texts.end };
  return html`<div class="note" role="status">${joinHtml(lines)}${showAction(end)}</div>`;
}

/** A change that waits, in words: what it waits for, and from when on it counts. */
export function describeWaiting(
  { email, waitsFor, expiresAt, countsAt }: WaitingEmailChange,
  messages: Messages,
  timeZone: string,
): string[] {
  const { email: texts } = messages;
  const name = (instant: string) => formatTime(Date.parse(instant), messages, timeZone);
  return [
    fill(texts.waiting, { email, time: name(expiresAt) }),
    ...(waitsFor.includes('new') ? [texts.waitsForNew] : []),
    ...(waitsFor.includes('old') ? [texts.waitsForOld] : []),
    ...(countsAt === undefined ? [] : [fill(texts.countsAt, { time: name(countsAt) })]),
  ];
}
