import type { FastifyReply } from 'fastify';
import { type AskedAccess, listAccess } from '../consent/consent-page.ts';
import { html, sendPage } from '../pages/page.ts';

interface DevicePage {
  realm: string;
  username: string;
  formToken: string;
  /** What was wrong with the form that was posted before. */
  fault?: DeviceFault | undefined;
}

/** A form that did not lead on. */
export interface DeviceFault {
  status: number;
  /** What the user reads. */
  message: string;
}

/** Asks for the code that a device shows (RFC 8628 3.3). `typed`: what was typed before. */
export function sendUserCodePage(
  reply: FastifyReply,
  { realm, username, formToken, fault, typed = '' }: DevicePage & { typed?: string | undefined },
): FastifyReply {
  const described = fault === undefined ? undefined : html` aria-describedby="fault" aria-invalid="true"`;
  return sendPage(reply, fault?.status ?? 200, {
    title: fault === undefined ? 'Connect a device' : 'Connect a device – not successful',
    realm,
    body: html`<h1>Connect a device</h1>
${showFault(fault)}
<p>Type the code that your device or your command line shows.</p>
<form method="post" action="device">
<input type="hidden" name="form_token" value="${formToken}">
<label for="user_code">Code</label>
<input id="user_code" name="user_code" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false"
 maxlength="64" required autofocus${described} value="${typed}">
<button type="submit">Continue</button>
</form>
${showUser(username)}`,
  });
}

export interface DeviceDecisionPage extends DevicePage {
  application: string;
  /** With the hyphen. */
  userCode: string;
  access: AskedAccess;
  /** Whether the user can take the access back at the page of consents. */
  isThirdParty: boolean;
}

/** Asks whether a device may have what it asks for. RFC 8628 5.4: who started nothing must notice it here. */
export function sendDeviceDecisionPage(reply: FastifyReply, page: DeviceDecisionPage): FastifyReply {
  const { realm, application, username, userCode, access, isThirdParty, formToken, fault } = page;
  return sendPage(reply, fault?.status ?? 200, {
    title: 'Allow this device?',
    realm,
    body: html`<h1>Allow this device?</h1>
${showFault(fault)}
<p>Is this the code that your device shows?</p>
<p class="user-code"><code>${userCode}</code></p>
<p><strong class="name">${application}</strong> on that device would like to:</p>
${listAccess(access)}
<p><strong>Allow it only if you started this yourself</strong> and the device in front of you shows this code. If somebody sent you the
code or the link, do not allow it: that person would get the access.</p>
<form method="post" action="device">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="user_code" value="${userCode}">
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny" class="second">Do not allow</button>
</form>
${showUser(username, isThirdParty)}`,
  });
}

/** Tells the user that the decision is stored. */
export function sendDeviceDecidedPage(
  reply: FastifyReply,
  { realm, application, decision }: { realm: string; application: string; decision: 'allow' | 'deny' },
): FastifyReply {
  const isAllowed = decision === 'allow';
  const title = isAllowed ? 'The device is connected' : 'The device is not connected';
  return sendPage(reply, 200, {
    title,
    realm,
    body: isAllowed
      ? html`<h1>${title}</h1>
<p>Go back to your device: <strong class="name">${application}</strong> goes on there in a few seconds. You can close this window.</p>`
      : html`<h1>${title}</h1>
<p><strong class="name">${application}</strong> gets nothing. You can close this window.</p>`,
  });
}

function showFault(fault: DeviceFault | undefined) {
  return fault === undefined ? undefined : html`<p class="alarm" role="alert" id="fault">${fault.message}</p>`;
}

function showUser(username: string, canTakeBack = false) {
  const takeBack = html` You can take this back at any time under <a href="consents">Applications with access</a>.`;
  return html`<p class="quiet">You are signed in as ${username}.${canTakeBack ? takeBack : undefined}</p>`;
}
