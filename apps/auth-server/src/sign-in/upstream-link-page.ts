import { fillHtml } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import { html, sendPage } from '../pages/page.ts';
import { type FormFault, hideFields, showFault } from './form-parts.ts';
import type { FormPage } from './place-endpoint.ts';

export interface UpstreamLinkPage extends FormPage {
  attemptId: string;
  /** The name of the upstream, and the account there. */
  upstream: string;
  account: string;
  username: string;
}

/** Asks a user who signed in here whether an account at an upstream may sign in as the user. No answer is chosen. */
export function sendUpstreamLinkPage(reply: FastifyReply, page: UpstreamLinkPage): FastifyReply {
  const { realm, action, attemptId, upstream, account, username, messages } = page;
  const { upstream: texts } = messages;
  const values = { upstream, account: html`<strong>${account}</strong>`, username: html`<strong>${username}</strong>` };
  return sendPage(reply, 200, {
    title: texts.linkTitle,
    realm,
    messages,
    body: html`<h1>${texts.linkTitle}</h1>
<p>${fillHtml(texts.link, values)}</p>
<p>${fillHtml(texts.linkMeans, values)}</p>
<form method="post" action="${action}">
${hideFields(page)}
<input type="hidden" name="attempt" value="${attemptId}">
<button type="submit" name="decision" value="link" class="second">${texts.yes}</button>
<button type="submit" name="decision" value="refuse" class="second">${texts.no}</button>
</form>`,
  });
}

/** Says why the account was not linked. The user is signed in, and goes on. */
export function sendNotLinkedPage(reply: FastifyReply, page: FormPage & { fault: FormFault }): FastifyReply {
  const { realm, action, fault, messages } = page;
  const title = messages.upstream.notLinked;
  return sendPage(reply, fault.status, {
    title,
    realm,
    messages,
    body: html`<h1>${title}</h1>
${showFault(fault)}
<form method="post" action="${action}">
${hideFields(page)}
<button type="submit">${messages.secondStep.submit}</button>
</form>`,
  });
}
