import { fillHtml } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import {
  type ApplicationLinks,
  type ApplicationName,
  showDocument,
  showLinks,
  showLogo,
  showName,
  warnOfName,
} from '../pages/application.ts';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { type Html, html, joinHtml, sendPage } from '../pages/page.ts';
import { showUser } from '../pages/user.ts';
import { listAccess, type ShownAccess } from './access-list.ts';
import { describeConsent, type ListedAccess } from './describe-access.ts';

export interface ConsentPage extends ShownAccess {
  realm: string;
  application: ApplicationName;
  /** The logo and the links that the application shows next to its name. */
  about: ApplicationLinks;
  /** The place where the answer goes. */
  host: string;
  username: string;
  /** Binds the form to the resources that the page shows. */
  shown: string;
  formToken: string;
  request: string;
  messages: Messages;
}

/** Asks a user whether a third-party client may have the requested scopes and claims. */
export function sendConsentPage(reply: FastifyReply, page: ConsentPage): FastifyReply {
  const { realm, application, about, messages } = page;
  const { consent: texts, consents } = messages;
  const list = html`<a href="consents">${consents.title}</a>`;
  return sendPage(reply, 200, {
    title: texts.title,
    realm,
    messages,
    body: html`${showUser(page.username, messages, html`<button type="submit" form="decision" name="decision" value="other_user" class="plain">${texts.notYou}</button>`)}
${showLogo(about)}${showDocument(application, messages)}<h1>${texts.title}</h1>
<p>${fillHtml(texts.asks, { application: showName(application) })}</p>
${listAccess(page, messages)}
${warnOfName(application, messages)}
<p class="quiet">${application.document === undefined ? html`${fillHtml(texts.goesTo, { host: html`<strong>${page.host}</strong>` })} ` : undefined}${fillHtml(texts.takeBack, { list })}</p>
${renderDecision(page)}
${showLinks(application.name, about, messages)}`,
  });
}

function renderDecision({ formToken, request, shown, messages: { consent: texts } }: ConsentPage): Html {
  return html`<form method="post" action="consent" id="decision">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="request" value="${request}">
${shown === '' ? undefined : html`<input type="hidden" name="shown" value="${shown}">`}
<button type="submit" name="decision" value="allow">${texts.allow}</button>
<button type="submit" name="decision" value="deny" class="second">${texts.deny}</button>
</form>`;
}

export interface ConsentListPage {
  realm: string;
  username: string;
  formToken: string;
  consents: readonly ListedConsent[];
}

interface ListedConsent extends ListedAccess {
  registrationId: string;
  application: ApplicationName;
}

/** Shows a user each consent, with a button that withdraws it. */
export function sendConsentListPage(reply: FastifyReply, page: ConsentListPage): FastifyReply {
  const { realm, username, formToken, consents } = page;
  const messages = messagesFor(reply.request);
  const { consents: texts } = messages;
  const entries = consents.map(
    (
      one,
    ) => html`<li><div${one.application.place === undefined ? html` class="name"` : undefined}>${showName(one.application)}</div>
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
${showUser(username, messages)}
${consents.length === 0 ? html`<p>${texts.none}</p>` : html`<ul class="plain">${joinHtml(entries)}</ul>`}
<p class="way"><a href="logout">${messages.signOut.title}</a></p>`,
  });
}
