import type { Answer } from '../connection/send.ts';
import { buildAuthorizationUrl, leadsTo } from './authorization-request.ts';
import type { CheckId } from './checks.ts';
import type { Findings } from './findings.ts';
import { findEndpoint, isHttps, isNoStore, showHeader, strangeOrigin, type Target, withoutQuery } from './target.ts';

type Find = Findings['find'];

const strangeUri = `${strangeOrigin}/callback`;
/** Redirects of the server to itself on the way to its page. */
const mostRedirects = 5;

/** The pages that users see: errors that must not leave the server, and the sign-in page of a client. */
export async function checkPages(target: Target, { find, leave }: Findings): Promise<void> {
  const endpoint = findEndpoint(target, 'authorization_endpoint');
  if (endpoint === undefined) return leave('pages', 'the metadata has no authorization_endpoint');
  const { client } = target;
  const ask = (parameters: Record<string, string>) =>
    askPage(target, buildAuthorizationUrl(endpoint, parameters), { origin: strangeOrigin });
  const unknown = await ask({ client_id: 'gatehouse-verify-unknown-client', redirect_uri: strangeUri });
  if (leadsTo(unknown, strangeUri)) find('pages.unknown_client', `it answered ${unknown.status} to ${strangeUri}`);
  const shared = unknown.headers.get('access-control-allow-origin');
  if (shared !== null) find('pages.cors', showHeader(unknown, 'access-control-allow-origin'));

  if (client === undefined) return leave('pages', 'the sign-in page: it needs --client-id and --redirect-uri');
  const wrong = await ask({ client_id: client.id, redirect_uri: strangeUri });
  if (leadsTo(wrong, strangeUri)) find('pages.redirect_uri', `it answered ${wrong.status} to ${strangeUri}`);
  if (client.redirectUri === undefined) return leave('pages', 'the sign-in page: it needs --redirect-uri');
  const url = buildAuthorizationUrl(endpoint, { client_id: client.id, redirect_uri: client.redirectUri });
  const { page, cookies } = await openPage(target, url);
  if (page === undefined) leave('pages', 'the sign-in page: the server shows none for this client');
  else checkPage(page, find);
  for (const cookie of cookies) checkCookie(cookie, isHttps(target.issuer), find);
}

function askPage({ send }: Target, url: string, headers: Record<string, string>): Promise<Answer> {
  return send('pages', url, () => ({ headers: { accept: 'text/html', ...headers } }));
}

/** Goes from address to address of the server, as a browser does, to a page. */
async function openPage(target: Target, first: string): Promise<{ page: Answer | undefined; cookies: string[] }> {
  const cookies: string[] = [];
  let url = first;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const cookie = cookies.map((text) => text.split(';')[0]).join('; ');
    const answer = await askPage(target, url, cookie === '' ? {} : { cookie });
    cookies.push(...answer.headers.getSetCookie());
    if (answer.status === 200) return { page: answer, cookies };
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || location === null) break;
    const next = new URL(location, url);
    if (next.origin !== new URL(first).origin) break;
    url = next.href;
  }
  return { page: undefined, cookies };
}

function checkPage(page: Answer, find: Find): void {
  const policy = readPolicy(page.headers.get('content-security-policy') ?? '');
  const scripts = policy.get('script-src') ?? policy.get('default-src');
  if (scripts === undefined || allowsInline(scripts)) find('pages.csp', showHeader(page, 'content-security-policy'));
  if (!isKeptOutOfFrames(page, policy.get('frame-ancestors'))) {
    find('pages.frames', `${showHeader(page, 'content-security-policy')}; ${showHeader(page, 'x-frame-options')}`);
  }
  if (!isNoStore(page)) find('pages.no_store', showHeader(page, 'cache-control'));
  const [, meta = ''] = /<meta[^>]+name="?referrer"?[^>]+content="?([\w-]+)/i.exec(page.text) ?? [];
  const referrer = page.headers.get('referrer-policy') ?? meta;
  if (!discreet.test(referrer)) find('pages.referrer', showHeader(page, 'referrer-policy'));
}

/** The policies by which no other site sees the path; of a list the last one counts that a browser knows. */
const discreet =
  /(?:^|,)\s*(?:no-referrer|same-origin|origin|strict-origin|origin-when-cross-origin|strict-origin-when-cross-origin)\s*$/i;

function readPolicy(header: string): Map<string, string[]> {
  const directives = header.split(/[;,]/).map((text) => text.trim().split(/\s+/));
  return new Map(directives.reverse().map(([name = '', ...sources]) => [name.toLowerCase(), sources]));
}

/** Content Security Policy Level 3 6.7.3.2: a nonce, a hash or strict-dynamic switches 'unsafe-inline' off. */
function allowsInline(sources: readonly string[]): boolean {
  const isStrict = sources.some((source) => /^'(?:nonce-|sha\d{3}-|strict-dynamic')/i.test(source));
  return !isStrict && sources.some((source) => /^'unsafe-inline'$/i.test(source));
}

function isKeptOutOfFrames(page: Answer, ancestors: readonly string[] | undefined): boolean {
  if (ancestors !== undefined) return !ancestors.some((source) => /^(?:\*|https?:|https?:\/\/\*)$/i.test(source));
  return /^(?:deny|sameorigin)$/i.test((page.headers.get('x-frame-options') ?? '').trim());
}

function checkCookie(cookie: string, isSecure: boolean, find: Find): void {
  const [pair = '', ...attributes] = cookie.split(';').map((text) => text.trim());
  const [name = ''] = pair.split('=');
  const has = (attribute: string) => attributes.some((text) => text.toLowerCase().split('=')[0] === attribute);
  // It takes a cookie away.
  if (pair === `${name}=` || attributes.some((text) => /^max-age=-?0*$/i.test(text))) return;
  const faults: [CheckId, boolean][] = [
    ['pages.cookie_http_only', !has('httponly')],
    ['pages.cookie_secure', isSecure && !has('secure')],
    ['pages.cookie_same_site', !has('samesite')],
    ['pages.cookie_prefix', isSecure && !name.startsWith('__Host-')],
  ];
  for (const [id] of faults.filter(([, isFault]) => isFault)) find(id, `the cookie ${withoutQuery(name)}`);
}
