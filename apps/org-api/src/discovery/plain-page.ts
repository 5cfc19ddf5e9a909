import { createHash } from 'node:crypto';
import {
  buildBaseStyle,
  buildDocument,
  emblem,
  emblemFile,
  findByLanguage,
  type Html,
  html,
} from '@gatehouse/service-kit/html';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { startMessages } from './start-messages.ts';

export type PageLanguage = keyof typeof startMessages;

const languages = Object.fromEntries(
  (Object.keys(startMessages) as PageLanguage[]).map((language) => [language, language]),
);

/** By `ui_locales`, as at the pages of auth-server, then by what the browser accepts. */
export function chooseLanguage({ headers, url }: FastifyRequest): PageLanguage {
  const uiLocales = new URLSearchParams(url.split('?')[1]).get('ui_locales') ?? undefined;
  return findByLanguage(languages, { uiLocales, acceptLanguage: headers['accept-language'] }) ?? 'en';
}

export interface Page {
  language: PageLanguage;
  title: string;
  body: Html;
}

const style = `${buildBaseStyle()}.quiet { color: var(--quiet); font-size: .9rem; }
code { display: block; font-size: .9em; overflow-wrap: anywhere; user-select: all; }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** It stands in the page, so that it needs no address. */
const icon = { href: `data:image/svg+xml,${encodeURIComponent(emblemFile)}`, type: 'image/svg+xml' };

/** A page loads nothing, runs no script, and cannot be framed. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; img-src data:; frame-ancestors 'none'`;

export function sendPage(reply: FastifyReply, status: number, { language, title, body }: Page): FastifyReply {
  const framed = html`<main>
<p class="realm">${emblem}<span>Gatehouse</span></p>
<h1>${title}</h1>
${body}
</main>`;
  return reply
    .code(status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    .send(buildDocument({ language, title, style, icon, body: framed }).text);
}
