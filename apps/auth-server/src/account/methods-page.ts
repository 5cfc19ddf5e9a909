import { fill } from '@gatehouse/service-kit/html';
import type { AccountData, ListedPasskey, MethodTimes } from '@gatehouse/shared';
import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';
import type { RememberedBrowser } from '../sessions/remembered-browser-store.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import { formatDay, sendAccountPage, showAction } from './account-page.ts';
import { isLastWayIn, type WaysIn } from './last-way-in.ts';
import type { OwnIdentity } from './own-identities.ts';
import { showRemembered } from './remembered-part.ts';

export interface MethodsPage {
  realm: string;
  account: AccountData;
  ways: WaysIn;
  remembered: readonly RememberedBrowser[];
  formToken: string;
  fault: FormFault | undefined;
  messages: Messages;
}

/** The values that each part of the page needs. */
interface Part extends MethodsPage {
  base: string;
  timeZone: string;
}

/** Shows the ways in which a user signs in, with what the user can do about each. */
export function sendMethodsPage(reply: FastifyReply, page: MethodsPage): FastifyReply {
  const { realm, account, fault, messages } = page;
  const { username = '', timezone: timeZone = 'UTC' } = account.user;
  const part = { ...page, base: reply.server.pageFrame.base, timeZone };
  return sendAccountPage(reply, {
    realm,
    username,
    messages,
    section: 'methods',
    title: messages.account.methods,
    fault,
    body: html`${showPassword(part)}
${showPasskeys(part)}
${showCodeApp(part)}
${showRecoveryCodes(part)}
${showIdentities(part)}
${showRemembered(part, part.base)}
<p class="quiet">${messages.methods.removalEnds}</p>`,
  });
}

function showPassword({ account, ways, base, formToken, timeZone, messages }: Part): Html {
  const { methods: texts } = messages;
  const { password } = account.methods;
  const words =
    password === null
      ? findNoPassword(account, texts)
      : fill(texts.passwordChanged, { date: formatDay(Date.parse(password.changedAt), messages, timeZone) });
  const mayRemove = password !== null && !isLastWayIn(ways, { password: true });
  const remove = { formToken, action: `${base}/account/password/remove`, label: texts.removePassword };
  return html`<section><h2>${texts.password}</h2>
<p>${words}</p>
<div class="actions"><a class="button second" href="${base}/account/password">${password === null ? texts.setPassword : texts.changePassword}</a>
${mayRemove ? showAction(remove) : undefined}</div></section>`;
}

/** The words for a user without a password. */
function findNoPassword({ methods }: AccountData, texts: Messages['methods']): string {
  return methods.passkeys.some(({ userVerified }) => userVerified) ? texts.noPassword : texts.noPasswordAtAll;
}

function showPasskeys(part: Part): Html {
  const { account, base, messages } = part;
  const { methods: texts } = messages;
  const { passkeys } = account.methods;
  const items = passkeys.map((passkey) => showPasskey(part, passkey));
  const list = items.length === 0 ? html`<p>${texts.noPasskeys}</p>` : html`<ul class="rows">${joinHtml(items)}</ul>`;
  return html`<section><h2>${texts.passkeys}</h2>
<p class="quiet">${texts.passkeysAbout}</p>
${list}
<div class="actions"><a class="button second" href="${base}/account/passkeys">${texts.addPasskey}</a></div></section>`;
}

function showPasskey(part: Part, passkey: ListedPasskey): Html {
  const { ways, base, formToken, messages } = part;
  const { methods: texts } = messages;
  const { id, name, backupEligible, userVerified } = passkey;
  const badges = [backupEligible ? texts.synced : texts.oneDevice, ...(userVerified ? [] : [texts.secondStepOnly])];
  const remove = { formToken, action: `${base}/account/passkeys/remove`, label: texts.remove };
  const isLast = isLastWayIn(ways, { passkey: id });
  return html`<li><div><strong>${name}</strong> ${joinHtml(badges.map((badge) => html`<span class="badge">${badge}</span> `))}
<p class="quiet">${describeTimes(part, passkey)}</p>
<details><summary aria-label="${texts.rename}: ${name}">${texts.rename}</summary>
<form method="post" action="${base}/account/passkeys/rename" class="inline">
<input type="hidden" name="form_token" value="${formToken}"><input type="hidden" name="id" value="${id}">
<label for="name-${id}">${texts.passkeyName}</label>
<input id="name-${id}" name="name" type="text" maxlength="64" required value="${name}">
<button type="submit" class="second">${messages.profile.save}</button>
</form></details></div>
${isLast ? undefined : showAction(remove, { id }, name)}</li>`;
}

function showCodeApp(part: Part): Html {
  const { account, base, formToken, messages } = part;
  const { methods: texts } = messages;
  const { codeApp } = account.methods;
  const remove = { formToken, action: `${base}/account/code-app/remove`, label: texts.remove };
  return html`<section><h2>${texts.codeApp}</h2>
<p class="quiet">${codeApp === null ? texts.codeAppAbout : describeTimes(part, codeApp)}</p>
<div class="actions"><a class="button second" href="${base}/account/code-app">${codeApp === null ? texts.addCodeApp : texts.replaceCodeApp}</a>
${codeApp === null ? undefined : showAction(remove, {}, texts.codeApp)}</div></section>`;
}

function showRecoveryCodes({ account, base, timeZone, messages }: Part): Html | undefined {
  const { methods: texts } = messages;
  const { secondStep, recoveryCodes } = account.methods;
  if (!secondStep) return undefined;
  const words =
    recoveryCodes === null
      ? texts.noCodes
      : fill(texts.codesLeft, {
          count: String(recoveryCodes.left),
          date: formatDay(Date.parse(recoveryCodes.createdAt), messages, timeZone),
        });
  return html`<section><h2>${texts.recoveryCodes}</h2>
<p>${words}</p>
<div class="actions"><a class="button second" href="${base}/account/recovery-codes">${texts.makeCodes}</a></div></section>`;
}

/** Nothing where the user has none: they are linked by a sign-in at the upstream. */
function showIdentities(part: Part): Html | undefined {
  const { ways, messages } = part;
  const { methods: texts } = messages;
  if (ways.identities.length === 0) return undefined;
  const items = ways.identities.map((identity) => showIdentity(part, identity));
  return html`<section><h2>${texts.identities}</h2>
<p class="quiet">${texts.identitiesAbout}</p>
<ul class="rows">${joinHtml(items)}</ul></section>`;
}

function showIdentity(part: Part, { id, name, linkedAt, lastUsedAt, isEnabled }: OwnIdentity): Html {
  const { ways, base, formToken, messages } = part;
  const { methods: texts } = messages;
  const remove = { formToken, action: `${base}/account/identities/remove`, label: texts.unlink };
  return html`<li><div><strong>${name}</strong> ${isEnabled ? undefined : html`<span class="badge">${texts.identityOff}</span>`}
<p class="quiet">${describeTimes(part, { createdAt: linkedAt, lastUsedAt: lastUsedAt ?? null }, texts.linked)}</p></div>
${isLastWayIn(ways, { identity: id }) ? undefined : showAction(remove, { id }, name)}</li>`;
}

function describeTimes({ messages, timeZone }: Part, { createdAt, lastUsedAt }: MethodTimes, words?: string): string {
  const { methods, account } = messages;
  const created = fill(words ?? methods.created, { date: formatDay(Date.parse(createdAt), messages, timeZone) });
  const used =
    lastUsedAt === null
      ? account.never
      : fill(account.lastUsed, { date: formatDay(Date.parse(lastUsedAt), messages, timeZone) });
  return `${created} · ${used}`;
}
