import type { Messages } from './messages/en.ts';
import { fill } from './messages/fill.ts';
import { type Html, html, listLinks } from './page.ts';

/** What an application shows of itself beside its name. */
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
