import { createHash } from 'node:crypto';
import { buildBaseStyle, emblem, Html, html, joinHtml } from '@gatehouse/service-kit/html';
import type { Settings } from './settings.ts';
import { decodeJwt } from './user-details.ts';

const style = `${buildBaseStyle()}
body { display: block; padding: 2rem 1rem; }
main { max-width: 60rem; margin: 0 auto; }
h2 { margin-top: 2rem; }
button { padding: .75rem 1.5rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent);
  border: 1px solid transparent; border-radius: 8px; cursor: pointer; }
button:hover { filter: brightness(1.08); }
code { overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .45rem 1rem .45rem 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; border-bottom: 1px solid var(--ground); }
th { font-weight: 600; } tbody th, table > tr > th { white-space: nowrap; }
thead th { color: var(--quiet); font-size: .85rem; }
pre { margin: .5rem 0; padding: 1rem; background: var(--ground); border-radius: 8px; font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.tokens { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 1.5rem; }
.tokens h3 { margin: .5rem 0; font-size: 1rem; }
@media (max-width: 40rem) {
  thead { display: none; } table, tbody, tr, th, td { display: block; } th, td { padding: .2rem 0; border: 0; white-space: normal !important; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--ground); }
}`;

export const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`;

function renderPage(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<p class="realm">${emblem}<span>Demo application</span></p>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;
}

/** For a browser where nobody is signed in. `note`: what happened before. */
export function renderWelcome(note?: string): string {
  return renderPage(
    'Welcome',
    html`${note === undefined ? undefined : html`<p role="status">${note}</p>`}
<p>This is an application of your organization, in a process of its own. It knows no password: it sends you to auth-server,
which signs you in and sends you back with a code.</p>
<form method="post" action="/sign-in"><button type="submit">Sign in</button></form>
<h2>Demo users</h2>
<table>
<thead><tr><th scope="col">Username</th><th scope="col">Password</th><th scope="col">Role</th></tr></thead>
<tbody>
<tr><td>user@example.com</td><td>user-password</td><td>none</td></tr>
<tr><td>admin@example.com</td><td>admin-password</td><td>SystemAdministrator</td></tr>
</tbody>
</table>`,
  );
}

interface Shown {
  settings: Settings;
  claims: object;
  idToken: string;
  accessToken: string;
  details: unknown;
}

/** For a user who is signed in: what the application got. */
export function renderSignedIn({ settings, claims, idToken, accessToken, details }: Shown): string {
  const { name, preferred_username: username } = claims as Record<string, string | undefined>;
  const rows = Object.entries(claims).map(
    ([claim, value]) => html`<tr><th scope="row">${claim}</th><td>${showValue(value)}</td></tr>`,
  );
  return renderPage(
    `Hello, ${name ?? username ?? 'you'}`,
    html`<form method="post" action="/sign-out"><button type="submit">Sign out</button></form>
<h2>What auth-server says of you</h2>
<p>The claims of the ID token and of <code>${settings.authUrl}/oauth/userinfo</code>.</p>
<table><tbody>${joinHtml(rows)}</tbody></table>
<h2>What org-api answers</h2>
<p>User details, asked for with the access token at <code>${settings.baseUrl}</code>.</p>
<pre>${JSON.stringify(details, null, 2)}</pre>
<h2>The tokens, decoded</h2>
<div class="tokens">
${renderToken('Access token', accessToken)}
${renderToken('ID token', idToken)}
</div>`,
  );
}

function renderToken(title: string, token: string): Html {
  const { header, claims } = decodeJwt(token);
  return html`<section><h3>${title}</h3>
<pre>${JSON.stringify(header, null, 2)}</pre>
<pre>${JSON.stringify(claims, null, 2)}</pre></section>`;
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** For what nobody expected. */
export function renderFailure(message: string): string {
  return renderPage(
    'That did not work',
    html`<p role="alert">${message}</p>
<p><a href="/">Back to the beginning</a></p>`,
  );
}
