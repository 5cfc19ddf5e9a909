import type { FastifyReply } from 'fastify';
import { fillHtml } from '../pages/messages/fill.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, joinHtml, sendPage } from '../pages/page.ts';
import { describeConsent, type ListedAccess } from './describe-access.ts';

export interface ConsentListPage {
  realm: string;
  username: string;
  formToken: string;
  consents: readonly ListedConsent[];
}

interface ListedConsent extends ListedAccess {
  registrationId: string;
  application: string;
}

/** Shows a user each consent, with a button that withdraws it. */
export function sendConsentListPage(reply: FastifyReply, page: ConsentListPage): FastifyReply {
  const { realm, username, formToken, consents } = page;
  const messages = messagesFor(reply.request);
  const { consents: texts, consent } = messages;
  const entries = consents.map(
    (one) => html`<li><strong class="name">${one.application}</strong>
<p class="quiet">${describeConsent(one, messages)}</p>
<form method="post" action="consents">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="registration" value="${one.registrationId}">
<button type="submit" class="second">${texts.takeBack}</button>
</form></li>`,
  );
  return sendPage(reply, 200, {
    title: texts.title,
    realm,
    messages,
    body: html`<h1>${texts.title}</h1>
<p class="quiet">${fillHtml(consent.signedInAs, { username })}</p>
${consents.length === 0 ? html`<p>${texts.none}</p>` : html`<ul class="plain">${joinHtml(entries)}</ul>`}
<p class="way"><a href="logout">${messages.signOut.title}</a></p>`,
  });
}
