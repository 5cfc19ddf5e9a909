import { fill, fillHtml } from '@gatehouse/service-kit/html';
import { type Client, displayNameOf } from '../clients/client.ts';
import { hostOfDocument } from '../clients/document-url.ts';
import type { Messages } from './messages/en.ts';
import { type Html, html, listLinks } from './page.ts';

/** An application as pages name it. */
export interface ApplicationName {
  name: string;
  /** Of an application that registered itself: a host or another id, which tells it from every other one of this name. */
  place: string | undefined;
  /** Of an application that a document describes: its name is the host of the document, which it cannot choose. */
  document?: { selfNamed: string; redirectPlace: string; isListed: boolean } | undefined;
}

/** Anybody may register any name. So the place stands next to each name that nobody checked, whether another has it or not. */
export function nameApplication(client: Client, place: string): ApplicationName {
  return { name: displayNameOf(client), place: client.dynamic === undefined ? undefined : place };
}

/** `isListed`: whether administrators listed the document. */
export function nameByDocument(client: Client, redirectPlace: string, isListed: boolean): ApplicationName {
  const document = { selfNamed: displayNameOf(client), redirectPlace, isListed };
  return { name: hostOfDocument(client.clientId), place: undefined, document };
}

/** The host of a document before all else, with what stands in it. */
export function showDocument(application: ApplicationName | undefined, messages: Messages): Html | undefined {
  if (application?.document === undefined) return undefined;
  const { selfNamed, redirectPlace, isListed } = application.document;
  const { application: texts, consent } = messages;
  return html`<p class="host"><bdi>${application.name}</bdi></p>
<p class="quiet name">${fillHtml(texts.callsItself, { name: html`<strong>${selfNamed}</strong>` })}</p>
<p class="quiet">${fillHtml(consent.goesTo, { host: html`<strong>${redirectPlace}</strong>` })}</p>
${isListed ? undefined : html`<p class="note">${texts.unvouched}</p>`}
`;
}

export function showName({ name, place }: ApplicationName): Html {
  const addition = place === undefined || place === name ? undefined : html` (<bdi>${place}</bdi>)`;
  return html`<strong>${name}</strong>${addition}`;
}

/** Says that nobody checked the name. */
export function warnOfName({ place }: ApplicationName, { application }: Messages): Html | undefined {
  return place === undefined ? undefined : html`<p class="note">${application.unverified}</p>`;
}

/** The logo and the links that an application shows next to its name. */
export interface ApplicationLinks {
  website: string | undefined;
  privacy: string | undefined;
  terms: string | undefined;
  /** The path of its logo at this server, where an administrator put one. */
  logo: string | undefined;
}

export function showLogo(about: ApplicationLinks | undefined): Html | undefined {
  return about?.logo === undefined
    ? undefined
    : html`<img class="logo" src="${about.logo}" alt="" width="48" height="48">\n`;
}

export function showLinks(name: string, about: ApplicationLinks | undefined, messages: Messages): Html | undefined {
  const { application: texts } = messages;
  return listLinks(fill(texts.links, { application: name }), [
    [about?.website, texts.website],
    [about?.privacy, texts.privacy],
    [about?.terms, texts.terms],
  ]);
}
