import { hostileTexts } from './hostile-values.ts';
import type { Random } from './random.ts';
import { buildRaw } from './raw-request.ts';

const texts = Object.values(hostileTexts);

const paths = {
  'auth-server': [
    '/clients',
    '/clients/{}',
    '/clients/{}/secret',
    '/oauth/token',
    '/oauth/authorize',
    '/oauth/sign-in',
    '/oauth/logout',
    '/oauth/introspect',
    '/oauth/revoke',
    '/oauth/userinfo',
    '/oauth/jwks',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/health/live',
    '/health/ready',
    '/metrics',
    '/openapi.json',
    '/docs/{}',
    '/{}',
  ],
  'org-api': [
    '/organization/api/organization/user',
    '/organization/api/organization/user/allDetails/userId/{}',
    '/organization/api/organization/user/userId/{}',
    '/organization/api/organization/user/userId/{}/password',
    '/internal/directory/password-checks',
    '/internal/directory/user-queries',
    '/health/ready',
    '/metrics',
    '/openapi.json',
    '/docs/{}',
    '/{}',
  ],
} as const;
const methods = [
  'GET',
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
];
const contentTypes = [
  'application/json',
  'application/json',
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/xml',
  'nonsense',
  '',
];
const names = [
  ...['client_id', 'client_secret', 'scope', 'authorized_grant_types', 'redirect_uri', 'access_token_validity'],
  ...['srvc_ac_user_name', 'grant_type', 'username', 'password', 'code', 'code_verifier', 'refresh_token', 'token'],
  ...['response_type', 'response_mode', 'state', 'nonce', 'prompt', 'max_age', 'id_token_hint', 'login_hint'],
  ...['request', 'form_token', 'search', 'limit', 'cursor', 'userType', 'roles', 'enabled', 'oldPassword', 'address'],
  ...['ids', 'usernames', 'grace_seconds', '__proto__', 'constructor', 'toString'],
];
const plausible = [
  ...['password', 'authorization_code', 'refresh_token', 'client_credentials', 'service_account', 'code', 'token'],
  ...['id_token', 'openid', 'profile', 'none', 'login', 'query', 'form_post', 'S256', 'Person', 'Robot', '1', '-1'],
  ...['99999999999999999999', 'https://app.example.com/callback', 'robot@example.com', 'SystemAdministrator'],
];

/** One request to one service, well-formed as HTTP goes and in nothing else. */
export function createFuzzRequest(
  random: Random,
  service: keyof typeof paths,
  options: { authorizations: readonly string[]; address: string },
): { description: string; bytes: Buffer } {
  const method = random.pick(methods);
  const path = random.pick(paths[service]).replace('{}', () => percentEncode(pickText(random), random));
  const query = random.chance(0.5) ? `?${buildForm(random)}` : '';
  const hasBody = !['GET', 'HEAD', 'TRACE'].includes(method) && random.chance(0.9);
  const contentType = random.pick(contentTypes);
  const body = hasBody ? buildBody(random, contentType) : '';
  const authorization = random.pick(options.authorizations);
  const bytes = buildRaw({
    method,
    path: `${path}${query}`.slice(0, 12_000),
    headers: {
      'x-forwarded-for': options.address,
      ...(authorization === '' ? {} : { authorization }),
      ...(contentType === '' ? {} : { 'content-type': contentType }),
      ...(random.chance(0.2) ? { accept: random.pick(['application/problem+json', '*/*', 'text/html', ',;,']) } : {}),
      ...(random.chance(0.2) ? { cookie: `gatehouse-session=${random.next()}; gatehouse-browser=%zz; =;;` } : {}),
    },
    body,
  });
  return { description: bytes.subarray(0, 600).toString('latin1'), bytes };
}

function pickText(random: Random): string {
  const text = random.pick(random.chance(0.5) ? plausible : texts);
  return text.length > 3000 && random.chance(0.8) ? text.slice(0, 400) : text;
}

/** Mostly right, now and then broken. */
function percentEncode(text: string, random: Random): string {
  const encoded = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return random.chance(0.1) ? `${encoded.slice(0, -1)}%zz%ff%c0%af` : encoded;
}

function buildForm(random: Random): string {
  const pairs = Array.from({ length: random.below(7) }, () => {
    return `${percentEncode(random.pick(names), random)}=${percentEncode(pickText(random), random)}`;
  });
  return pairs.join(random.pick(['&', '&', '&&', ';']));
}

function buildBody(random: Random, contentType: string): string {
  if (random.chance(0.05)) return '{"client_id":"a","__proto__":{"scope":["openid"]}';
  if (random.chance(0.03)) return '['.repeat(30_000);
  if (contentType.startsWith('application/json')) return JSON.stringify(buildJson(random, 3));
  return buildForm(random);
}

function buildJson(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 8 : 6);
  if (kind >= 6) return Array.from({ length: random.below(4) }, () => buildJson(random, depth - 1));
  if (depth === 3 || (kind === 5 && depth > 0)) {
    const entries = Array.from({ length: random.below(7) }, () => [random.pick(names), buildJson(random, depth - 1)]);
    return Object.fromEntries(entries);
  }
  return [pickText(random), pickText(random), random.below(100_000), -1.5, null, true][kind];
}
