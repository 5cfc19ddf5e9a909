import { fill, fillHtml } from '@gatehouse/service-kit/html';
import type { Messages } from './messages/en.ts';
import { type Html, html } from './page.ts';

/**
 * Says of a host that nobody of the organization vouches for it, before the user goes there. The name of the application is
 * left out: a stranger chose its words.
 */
export function warnOfHost(host: string, { leaving: texts }: Messages): Html {
  return html`<p>${fillHtml(texts.wants, { host: html`<strong>${host}</strong>` })}</p>
<p>${texts.advice}</p>`;
}

/** The words of the link, or of the button, that leads there. */
export function nameLinkTo(host: string, { leaving: texts }: Messages): string {
  return fill(texts.goOn, { host });
}
