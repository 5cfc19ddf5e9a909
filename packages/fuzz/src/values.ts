import { randomBytes } from 'node:crypto';
import { accessTokenType, assertionType, deviceGrant, showCode, tokenExchange } from '@gatehouse/test-kit';
import { buildAssertion, buildClaimsParameter } from './hostile-claims.ts';
import { askOfNobody, buildCredential } from './hostile-credentials.ts';
import { hostileTexts } from './hostile-texts.ts';
import { callback, type Ingredients, loopbackCallback } from './ingredients.ts';
import { missNearly } from './near-miss.ts';
import { everybodysPassword } from './prepare-people.ts';
import type { Random } from './random.ts';

const texts = Object.values(hostileTexts);
const plausible = [
  ...['password', 'authorization_code', 'refresh_token', 'client_credentials', 'service_account', 'code', 'token'],
  ...['id_token', 'openid', 'profile', 'none', 'login', 'query', 'form_post', 'S256', 'Person', 'Robot', '1', '-1'],
  ...[
    accessTokenType,
    tokenExchange,
    '99999999999999999999',
    callback,
    'robot@example.com',
    'SystemAdministrator',
    'true',
    '0',
    '1e999',
    '[]',
    '{}',
  ],
];

/** Names that many operations know, and some that no operation should. */
export const commonNames = [
  ...['client_id', 'client_secret', 'scope', 'redirect_uri', 'response_type', 'response_mode', 'state', 'nonce'],
  ...['prompt', 'max_age', 'id_token_hint', 'login_hint', 'request', 'request_uri', 'claims', 'dpop_jkt', 'resource'],
  ...['code_challenge', 'code_challenge_method', 'code_verifier', 'client_assertion', 'client_assertion_type', 'acr'],
  ...['subject_token', 'subject_token_type', 'requested_token_type', 'actor_token', 'audience', 'exchange_from'],
  ...['grant_type', 'username', 'password', 'code', 'refresh_token', 'token', 'access_token', 'form_token', 'address'],
  ...['device_code', 'user_code', 'credential', 'pending', 'secret', 'secret_token', 'remember_browser', 'name'],
  ...['upstream', 'here', 'attempt'],
  ...['post_logout_redirect_uri', 'registration', 'decision', 'limit', 'cursor', 'search', 'ids', 'usernames', 'jwks'],
  ...['birthdate', 'website', 'phoneNumber', 'phoneNumberVerified', 'emailVerified', 'nickname', 'externalId'],
  ...['redirect_uris', 'grant_types', 'response_types', 'registration_access_token', 'client_uri', 'uses'],
  ...['__proto__', 'constructor', 'toString'],
];

export function pickText(random: Random): string {
  const text = random.pick(random.chance(0.5) ? plausible : texts);
  return text.length > 3000 && random.chance(0.8) ? text.slice(0, 400) : text;
}

type Maker = (random: Random, ingredients: Ingredients) => string;
const one =
  (...values: string[]): Maker =>
  (random) =>
    random.pick(values);
const found =
  (kind: string): Maker =>
  (random, ingredients) =>
    random.pick(ingredients.found[kind] ?? []) ?? `no-${kind}-yet`;
const anyClient: Maker = (random, { clients, publicClient, keyed }) =>
  random.pick([...clients.map(([id]) => id), publicClient, keyed.id]);
const anyToken: Maker = (random, ingredients) =>
  found(random.pick(['access_token', 'refresh_token', 'id_token', 'code', 'link']))(random, ingredients);

/** Of an authorization, of a code app, or for a loss. */
const anyCode: Maker = (random, all) => {
  const { secret = found('secret')(random, all) } = random.pick(all.people) ?? {};
  const isSecret = /^[A-Z2-7]{32}$/.test(secret);
  if (isSecret && random.chance(0.5)) return showCode(secret, random.pick([-2, -1, 0, 0, 0, 1, 2]));
  const code = found(random.pick(['code', 'recovery_code', 'recovery_code']))(random, all);
  return random.pick([code, code, code.toLowerCase().replaceAll('-', ' '), '000000', '٣٤٥٦٧٨']);
};

/** Values that are right, or nearly, for a parameter of this name. */
const makers: Record<string, Maker> = {
  grant_type: one(
    ...['authorization_code', 'refresh_token', 'refresh_token', 'client_credentials', 'service_account'],
    ...[deviceGrant, tokenExchange, tokenExchange],
  ),
  client_id: anyClient,
  client_assertion: buildAssertion,
  client_assertion_type: one(assertionType),
  code: anyCode,
  credential: (random, all) => buildCredential(random, all, askOfNobody(random)),
  pending: found('pending'),
  upstream: (random, all) => random.pick(['none', found('upstream')(random, all)]),
  here: one('yes'),
  attempt: found('attempt'),
  secret: found('secret'),
  secret_token: found('secret_token'),
  link: found('link'),
  sid: found('sid'),
  client: found('client'),
  user: (random, { people }) => random.pick(people)?.id ?? 'nobody',
  id: found('id'),
  all: one('others', 'every'),
  registration: found('registration'),
  email: (random) => `fuzzed-${random.below(1_000_000)}@example.com`,
  remember_browser: one('yes'),
  device_code: found('device_code'),
  user_code: found('user_code'),
  refresh_token: found('refresh_token'),
  request_uri: found('request_uri'),
  id_token_hint: found('id_token'),
  token: anyToken,
  access_token: found('access_token'),
  subject_token: found('access_token'),
  subject_token_type: one(accessTokenType),
  requested_token_type: one(accessTokenType),
  token_type_hint: one('access_token', 'refresh_token'),
  redirect_uri: (random) =>
    random.pick([
      ...[callback, callback, callback, callback, 'https://evil.example.com/'],
      loopbackCallback.replace(':80/', `:${random.below(70_000)}/`),
    ]),
  post_logout_redirect_uri: one(callback),
  response_type: one(
    'code',
    'code',
    'token',
    'id_token',
    'id_token token',
    'token id_token',
    'token code',
    'code id_token token',
  ),
  response_mode: one('query', 'fragment', 'form_post', 'jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt'),
  scope: (random, all) =>
    random.pick([
      ...['openid', 'openid profile email', 'roles', 'openid offline_access', 'openid roles phone address'],
      `openid ${found('resource_scope')(random, all)}`,
    ]),
  prompt: one('none', 'login', 'consent', 'select_account'),
  max_age: one('0', '1', '3600'),
  nonce: () => randomBytes(8).toString('hex'),
  state: one('a', 'the-state'),
  code_challenge: one('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
  code_challenge_method: one('S256'),
  code_verifier: one('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'),
  claims: buildClaimsParameter,
  resource: (random, all) =>
    random.pick([
      all.urls['org-api'],
      found('resource_uri')(random, all),
      all.urls['auth-server'],
      'https://elsewhere.example.com',
    ]),
  dpop_jkt: one('0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'),
  username: (random, all) =>
    random.chance(0.7) ? (random.pick(all.people)?.username ?? 'nobody') : found('username')(random, all),
  password: one(everybodysPassword, everybodysPassword, everybodysPassword, 'a-password-of-nobody'),
  old_password: one(everybodysPassword),
  decision: one('allow', 'deny'),
  limit: one('1', '200', '0'),
  search: one('a', 'user', '%'),
  type: one(
    'sign_in.refused',
    'client.registered',
    'resource.created',
    'issuer.created',
    'upstream.changed',
    'no.such.type',
  ),
  from: one('2026-01-01T00:00:00Z', '2099-01-01T00:00:00Z'),
  grace_seconds: one('0', '60'),
  birthdate: one('1985-02-28', '1985-02-29', '0000-02-29', '0000', '1985'),
  website: one('https://example.com/a', 'http://example.com', 'https://example.com:99999/', 'https://a@b.example'),
  phoneNumber: one('+41446681800', '+0', '+1234567890123456'),
};

/** A value for a parameter of this name: right, nearly right, or something else entirely. */
export function pickValue(random: Random, ingredients: Ingredients, name: string): string {
  const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
  if (make === undefined || random.chance(0.25)) return pickText(random);
  const value = make(random, ingredients);
  return random.chance(0.8) ? value : missNearly(random, value);
}

/** The same, always right or nearly. */
export function pickGoodValue(random: Random, ingredients: Ingredients, name: string): string {
  return makers[name]?.(random, ingredients) ?? pickText(random);
}

/** Mostly right, now and then broken. */
export function percentEncode(text: string, random: Random): string {
  // Half a character becomes the replacement character, as it does on every way to a server.
  const whole = Buffer.from(text).toString();
  const encoded = random.chance(0.1)
    ? Buffer.from(whole).toString('hex').replace(/../g, '%$&')
    : encodeURIComponent(whole);
  return random.chance(0.05) ? `${encoded.slice(0, -1)}%zz%ff%c0%af` : encoded;
}
