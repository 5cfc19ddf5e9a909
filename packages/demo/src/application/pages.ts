import { createHash } from 'node:crypto';
import { buildBaseStyle, emblem, Html, html, joinHtml } from '@gatehouse/service-kit/html';
import type { Settings } from './settings.ts';
import { decodeJwt } from './user-details.ts';

const style = `${buildBaseStyle()}
body { display: block; padding: 2rem 1rem; }
main { max-width: 44rem; margin: 0 auto; }
dl { display: flex; flex-wrap: wrap; gap: .5rem 3rem; margin: 0 0 1.5rem; } dt { color: var(--quiet); font-size: .9rem; } dd { margin: 0; }
.steps { margin: 0; padding: 0; list-style: none; counter-reset: step; }
.steps li { position: relative; padding: .9rem 0 .9rem 3rem; border-top: 1px solid var(--ground); counter-increment: step; }
.steps li::before { content: counter(step); position: absolute; left: 0; top: .9rem; width: 2rem; line-height: 2rem; text-align: center;
  font-weight: 600; color: var(--accent); background: var(--ground); border-radius: 50%; }
.steps a { font-weight: 600; } .steps p { margin: .15rem 0 0; color: var(--quiet); }
details { padding: .25rem 0; border-top: 1px solid var(--ground); } details > p { margin-top: .5rem; }
summary { padding: .65rem 0; font-weight: 600; cursor: pointer; }
h2 { margin-top: 2rem; }
button { padding: .75rem 1.5rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent);
  border: 1px solid transparent; border-radius: 8px; cursor: pointer; }
button.second { color: var(--accent); background: transparent; border-color: var(--line); }
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
  const { name, email, preferred_username: username } = claims as Record<string, string | undefined>;
  const rows = Object.entries(claims).map(
    ([claim, value]) => html`<tr><th scope="row">${claim}</th><td>${showValue(value)}</td></tr>`,
  );
  return renderPage(
    `Hello, ${name ?? username ?? 'you'}`,
    html`<dl><div><dt>Name</dt><dd>${name ?? 'not set'}</dd></div><div><dt>E-mail address</dt><dd>${email ?? 'not set'}</dd></div></dl>
<form method="post" action="/sign-out"><button type="submit" class="second">Sign out</button></form>
<h2>What to try next</h2>
<ol class="steps">
<li><a href="${settings.authUrl}/account/passkeys">Set a passkey</a><p>Then sign out, and sign in again without a password.</p></li>
<li><a href="${settings.authUrl}/account">See your account</a><p>Second steps, sessions, applications with access, and what happened.</p></li>
<li><a href="${settings.authUrl}/docs">Register your own application</a><p>The API reference sends the request; the banner of <code>npm start</code> has it as a command.</p></li>
</ol>
<h2>What this application got</h2>
<details><summary>Claims of the ID token and of userinfo</summary>
<p>Of <code>${settings.authUrl}/oauth/userinfo</code>, too.</p>
<table><tbody>${joinHtml(rows)}</tbody></table></details>
<details><summary>User details of org-api</summary>
<p>Asked for with the access token at <code>${settings.baseUrl}</code>.</p>
<pre>${JSON.stringify(details, null, 2)}</pre></details>
<details><summary>The tokens, decoded</summary>
<div class="tokens">
${renderToken('Access token', accessToken)}
${renderToken('ID token', idToken)}
</div></details>`,
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
