import { createHash } from 'node:crypto';
import { buildBaseStyle, buildDocument, emblem, emblemFile, html } from '@gatehouse/service-kit/html';
import { type StartLanguage, startMessages } from './start-messages.ts';

/** Where the links of the page lead. */
export interface StartLinks {
  authorization_server: string;
  documentation: string;
  metadata: string;
}

const style = buildBaseStyle();
const styleHash = createHash('sha256').update(style).digest('base64');

/** It stands in the page, so that it needs no address. */
const icon = { href: `data:image/svg+xml,${encodeURIComponent(emblemFile)}`, type: 'image/svg+xml' };

/** The page loads nothing, runs no script, and cannot be framed. */
export const startPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; img-src data:; frame-ancestors 'none'`;

export function renderStartPage(language: StartLanguage, links: StartLinks): string {
  const { title, purpose, developers, reference, metadata } = startMessages[language];
  const [before, after] = purpose.split('{issuer}');
  const { authorization_server: issuer } = links;
  const body = html`<main>
<p class="realm">${emblem}<span>Gatehouse</span></p>
<h1>${title}</h1>
<p>${before}<a href="${issuer}/">${issuer}</a>${after}</p>
<h2>${developers}</h2>
<ul>
<li><a href="${links.documentation}">${reference}</a></li>
<li><a href="${links.metadata}">${metadata}</a></li>
</ul>
</main>`;
  return buildDocument({ language, title, style, icon, body }).text;
}
