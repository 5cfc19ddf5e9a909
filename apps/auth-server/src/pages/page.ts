import { buildDocument, emblem, Html, html, joinHtml } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import { en, type Messages } from './messages/en.ts';
import { hashSource, type PageFrame } from './page-frame.ts';

export { Html, html, joinHtml };

export interface Page {
  title: string;
  realm: string;
  body: Html;
  /** In the language of the page; English where they are left out. */
  messages?: Messages | undefined;
  /** Whether the page is as wide as lists and forms with several columns need. */
  isWide?: boolean;
  /** A script that the page also works without. The policy names its hash. */
  script?: string | undefined;
}

/** Sends a page. It is never cached or framed, sends no referrer to other sites, and runs only its own script, if any. Its images are of this server. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  const frame = reply.server.pageFrame;
  const scripts = page.script === undefined ? '' : `script-src '${hashSource(page.script)}'; `;
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // There is no form-action: browsers apply it also to the redirect that follows the sign-in, to any client.
      'content-security-policy': `default-src 'none'; style-src '${frame.stylesheetHash}'; ${scripts}img-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
    })
    .send(renderPage(frame, page).text);
}

function renderPage(frame: PageFrame, { title, realm, body, isWide = false, messages = en, script }: Page): Html {
  return buildDocument({
    language: messages.language,
    title: frame.displayName === undefined ? title : `${title} · ${frame.displayName}`,
    icon: frame.icon,
    style: frame.stylesheet,
    body: html`<main${isWide ? html` class="wide"` : undefined}>
<p class="realm">${renderHead(frame, realm)}</p>
${body}
</main>
<footer>${messages.frame.protectedBy}${renderLinks(frame, messages)}</footer>
${script === undefined ? undefined : new Html(`<script>${script}</script>`)}`,
  });
}

/** The organization: its logo, else its name. Where it gave none, the emblem and the name of the realm. */
function renderHead({ logo, logoDark, displayName }: PageFrame, realm: string): Html {
  if (logo === undefined)
    return displayName === undefined ? html`${emblem}<span>${realm}</span>` : html`${displayName}`;
  const image = html`<img src="${logo}" alt="${displayName ?? realm}">`;
  if (logoDark === undefined) return image;
  return html`<picture><source srcset="${logoDark}" media="(prefers-color-scheme: dark)">${image}</picture>`;
}

function renderLinks({ helpUrl, privacyUrl, termsUrl }: PageFrame, { frame }: Messages): Html | undefined {
  return listLinks(frame.links, [
    [helpUrl, frame.help],
    [privacyUrl, frame.privacy],
    [termsUrl, frame.terms],
  ]);
}

/** A list of links; nothing where no link has an address. */
export function listLinks(label: string, links: readonly [url: string | undefined, text: string][]): Html | undefined {
  const items = links.filter((link): link is [string, string] => link[0] !== undefined);
  if (items.length === 0) return undefined;
  return html`<ul class="links" aria-label="${label}">${joinHtml(items.map(([url, text]) => html`<li><a href="${url}">${text}</a></li>`))}</ul>`;
}
