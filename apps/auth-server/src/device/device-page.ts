import { fillHtml } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import { listAccess, type ShownAccess } from '../consent/access-list.ts';
import {
  type ApplicationLinks,
  type ApplicationName,
  showLinks,
  showLogo,
  showName,
  warnOfName,
} from '../pages/application.ts';
import type { Messages } from '../pages/messages/en.ts';
import { html, sendPage } from '../pages/page.ts';
import { showUser } from '../pages/user.ts';

interface DevicePage {
  realm: string;
  username: string;
  formToken: string;
  /** The fault of the form that was posted before. */
  fault?: DeviceFault | undefined;
  messages: Messages;
}

/** A form that did not lead on. */
export interface DeviceFault {
  status: number;
  /** The text that the user reads. */
  message: string;
}

/** Asks for the code that a device shows (RFC 8628 3.3). `typed`: what was typed before. */
export function sendUserCodePage(
  reply: FastifyReply,
  { realm, username, formToken, fault, messages, typed = '' }: DevicePage & { typed?: string | undefined },
): FastifyReply {
  const { device: texts } = messages;
  const described = fault === undefined ? undefined : html` aria-describedby="fault" aria-invalid="true"`;
  return sendPage(reply, fault?.status ?? 200, {
    title: fault === undefined ? texts.title : texts.failedTitle,
    realm,
    messages,
    body: html`${showUser(username, messages)}
<h1>${texts.title}</h1>
${showFault(fault)}
<p>${texts.prompt}</p>
<form method="post" action="device">
<input type="hidden" name="form_token" value="${formToken}">
<label for="user_code">${texts.code}</label>
<input id="user_code" name="user_code" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false"
 maxlength="64" required autofocus${described} value="${typed}">
<button type="submit">${texts.submit}</button>
</form>`,
  });
}

export interface DeviceDecisionPage extends DevicePage {
  application: ApplicationName;
  /** The logo and the links that the application shows next to its name. */
  about: ApplicationLinks;
  /** With the hyphen. */
  userCode: string;
  access: ShownAccess;
  /** Whether the device could use a role of the user. */
  givesRoles: boolean;
  /** Whether the user can take the access back at the page of consents. */
  isThirdParty: boolean;
}

/** Asks whether a device may have what it asks for. RFC 8628 5.4: who started nothing must notice it here. */
export function sendDeviceDecisionPage(reply: FastifyReply, page: DeviceDecisionPage): FastifyReply {
  const { realm, application, about, userCode, access, formToken, fault, messages } = page;
  const { device: texts, consent } = messages;
  return sendPage(reply, fault?.status ?? 200, {
    title: texts.question,
    realm,
    messages,
    body: html`${showUser(page.username, messages)}
${showLogo(about)}<h1>${texts.question}</h1>
${showFault(fault)}
<p>${texts.isCode}</p>
<p class="user-code"><code>${userCode}</code></p>
<p>${fillHtml(texts.asks, { application: showName(application) })}</p>
${listAccess(access, messages)}
${warnOfName(application, messages)}
<p class="risk"><strong>${texts.onlyYours}</strong> ${page.givesRoles ? texts.warningOfRoles : texts.warning}</p>
${offerToTakeBack(page)}
<form method="post" action="device">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="user_code" value="${userCode}">
<button type="submit" name="decision" value="allow">${consent.allow}</button>
<button type="submit" name="decision" value="deny" class="second">${consent.deny}</button>
</form>
${showLinks(application.name, about, messages)}`,
  });
}

/** Tells the user that the decision is stored. */
export function sendDeviceDecidedPage(
  reply: FastifyReply,
  page: Pick<DeviceDecisionPage, 'realm' | 'application' | 'messages'> & { decision: 'allow' | 'deny' },
): FastifyReply {
  const { realm, messages } = page;
  const { device: texts } = messages;
  const [title, text] =
    page.decision === 'allow' ? [texts.connected, texts.goesOn] : [texts.notConnected, texts.nothing];
  const application = showName(page.application);
  return sendPage(reply, 200, {
    title,
    realm,
    messages,
    body: html`<h1>${title}</h1>
<p>${fillHtml(text, { application })}</p>
<p class="way"><a href="${reply.server.pageFrame.base}/">${messages.frame.start}</a></p>`,
  });
}

function showFault(fault: DeviceFault | undefined) {
  return fault === undefined ? undefined : html`<p class="alarm" role="alert" id="fault">${fault.message}</p>`;
}

function offerToTakeBack({ isThirdParty, messages: { consent, consents } }: DeviceDecisionPage) {
  if (!isThirdParty) return undefined;
  const list = html`<a href="consents">${consents.title}</a>`;
  return html`<p class="quiet">${fillHtml(consent.takeBack, { list })}</p>`;
}
