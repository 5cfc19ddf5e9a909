import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Text that is HTML already. Only {@link html} makes it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A template whose values are escaped, unless they are HTML already. */
export function html(strings: TemplateStringsArray, ...values: (string | Html | undefined)[]): Html {
  const parts = strings.map((text, index) => (index === 0 ? text : renderValue(values[index - 1]) + text));
  return new Html(parts.join(''));
}

export function joinHtml(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join('\n'));
}

function renderValue(value: string | Html | undefined): string {
  if (value === undefined) return '';
  return value instanceof Html ? value.text : escapeHtml(value);
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

const stylesheet = `
:root { color-scheme: light dark; --ink: #16202c; --quiet: #51606f; --paper: #ffffff; --ground: #eef2f6;
  --line: #8494a5; --accent: #0b5a8f; --on-accent: #ffffff; --alarm: #a11212; --alarm-ground: #fdecec; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eef4; --quiet: #a9b7c5; --paper: #1a232d; --ground: #10161d; --line: #66788a;
    --accent: #7cc4f5; --on-accent: #08202f; --alarm: #ffb4ab; --alarm-ground: #46191a; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
  justify-content: center; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
main { width: 100%; max-width: 25rem; padding: 2rem; background: var(--paper); border-radius: 12px;
  box-shadow: 0 1px 2px rgb(0 0 0 / 12%), 0 8px 32px rgb(0 0 0 / 10%); }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0 0 1.25rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .9rem; }
.realm { margin: 0 0 1.5rem; display: flex; align-items: center; gap: .5rem; color: var(--quiet);
  font-size: .85rem; letter-spacing: .02em; }
.realm svg { width: 1.25rem; height: 1.25rem; flex: none; }
h1 + .alarm { margin-top: 1rem; }
main > :last-child { margin-bottom: 0; }
.alarm { padding: .75rem 1rem; border-radius: 0 8px 8px 0; border-left: 4px solid var(--alarm);
  background: var(--alarm-ground); color: var(--alarm); }
label { display: block; margin: 0 0 .4rem; font-weight: 600; font-size: .95rem; }
input:not([type=hidden]) { display: block; width: 100%; margin: 0 0 1.1rem; padding: .65rem .75rem; font: inherit;
  color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px; }
button { display: block; width: 100%; padding: .75rem; margin-top: .4rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 0; border-radius: 8px; cursor: pointer; }
button.second { color: var(--accent); background: transparent; border: 1px solid var(--line); }
ul { margin: 0 0 1.25rem; padding-left: 1.25rem; }
ul.plain { list-style: none; padding: 0; }
ul.plain li { padding: 1rem 0; border-top: 1px solid var(--line); }
a { color: var(--accent); }
button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.user-code { margin: 0 0 1.25rem; font-size: 1.75rem; letter-spacing: .08em; text-align: center; }
code { display: block; font-size: .9em; overflow-wrap: anywhere; user-select: all; }
.name { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden;
  overflow-wrap: anywhere; }
footer { margin-top: 1.25rem; color: var(--quiet); font-size: .8rem; text-align: center; }
@media (max-width: 26rem) { main { padding: 1.5rem 1.25rem; } }
`;

const emblem = new Html(
  '<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"><path d="M3 21V5h4v3h3V5h4v3h3V5h4v16h-6v-5a3 3 0 0 0-6 0v5z"/></svg>',
);

export interface Page {
  title: string;
  realm: string;
  body: Html;
  /** A script that the page also works without. The policy names its hash. */
  script?: string;
}

/** Sends a page. It is never cached or framed, sends no referrer to other sites, and runs only its own script, if any. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  const scripts = page.script === undefined ? '' : `script-src 'sha256-${hashSource(page.script)}'; `;
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // There is no form-action: browsers apply it also to the redirect that follows the sign-in, to any client.
      'content-security-policy': `default-src 'none'; style-src 'sha256-${stylesheetHash}'; ${scripts}base-uri 'none'; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
    })
    .send(renderPage(page).text);
}

const stylesheetHash = hashSource(stylesheet);

function hashSource(source: string): string {
  return createHash('sha256').update(source).digest('base64');
}

function renderPage({ title, realm, body, script }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(stylesheet)}</style>
</head>
<body>
<main>
<p class="realm">${emblem}<span>${realm}</span></p>
${body}
</main>
<footer>Protected by Gatehouse</footer>
${script === undefined ? undefined : new Html(`<script>${script}</script>`)}
</body>
</html>
`;
}
