import { fillHtml } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import {
  type ApplicationLinks,
  type ApplicationName,
  showLinks,
  showLogo,
  showName,
  warnOfName,
} from '../pages/application.ts';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { type Html, html, joinHtml, sendPage } from '../pages/page.ts';
import type { ShownResource } from '../resources/requested-access.ts';
import { describeAll, describeConsent, describeScopes, type ListedAccess, nameResource } from './describe-access.ts';

/** The resources that an application asks for, each with its scopes in the words of its administrator. */
function listResources(shown: readonly ShownResource[], messages: Messages): Html {
  return joinHtml(
    shown.map((one) => {
      const values = { resource: html`<strong>${nameResource(one, messages)}</strong>`, uri: one.resource };
      return html`<p>${fillHtml(messages.consent.atResource, values)}</p>
<ul>${joinHtml(describeScopes(one.scopes, messages).map((words) => html`<li>${words}</li>`))}</ul>`;
    }),
  );
}

/** The request of an application. */
export interface ShownAccess {
  scope: readonly string[];
  /** Claims requested by name that the scopes do not cover. */
  claims: readonly string[];
  /** Resources whose scopes are not in `scope`. */
  resources: readonly ShownResource[];
}

/** Lists what an application asks for. */
export function listAccess({ resources, ...access }: ShownAccess, messages: Messages): Html {
  const items = describeAll(access, messages).map((words) => html`<li>${words}</li>`);
  return html`${items.length === 0 ? undefined : html`<ul>${joinHtml(items)}</ul>`}
${listResources(resources, messages)}`;
}

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
    body: html`${showLogo(about)}<h1>${texts.title}</h1>
<p>${fillHtml(texts.asks, { application: showName(application) })}</p>
${listAccess(page, messages)}
${warnOfName(application, messages)}
<p class="quiet">${fillHtml(texts.goesTo, { host: html`<strong>${page.host}</strong>` })}</p>
<p class="quiet">${fillHtml(texts.signedInAs, { username: page.username })} ${fillHtml(texts.takeBack, { list })}</p>
${renderDecision(page)}
${showLinks(application.name, about, messages)}`,
  });
}

function renderDecision({ formToken, request, shown, messages: { consent: texts } }: ConsentPage): Html {
  return html`<form method="post" action="consent">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="request" value="${request}">
${shown === '' ? undefined : html`<input type="hidden" name="shown" value="${shown}">`}
<button type="submit" name="decision" value="allow">${texts.allow}</button>
<button type="submit" name="decision" value="deny" class="second">${texts.deny}</button>
<button type="submit" name="decision" value="other_user" class="plain other">${texts.notYou}</button>
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
  const { consents: texts, consent } = messages;
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
<p class="quiet">${fillHtml(consent.signedInAs, { username })}</p>
${consents.length === 0 ? html`<p>${texts.none}</p>` : html`<ul class="plain">${joinHtml(entries)}</ul>`}
<p class="way"><a href="logout">${messages.signOut.title}</a></p>`,
  });
}
