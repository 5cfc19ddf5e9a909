import type { ServiceName } from '../service-process.ts';
import { buildGoodFields, type GoodFields } from './good-requests.ts';
import { buildProof } from './hostile-claims.ts';
import { hostileJson } from './hostile-json.ts';
import { callback, findDynamicClient, type Ingredients, loopbackCallback } from './ingredients.ts';
import type { Operation } from './operations.ts';
import type { Random } from './random.ts';
import { commonNames, percentEncode, pickText, pickValue } from './values.ts';

/** One request, well-formed as HTTP goes and maybe in nothing else. */
export interface FuzzRequest {
  service: ServiceName;
  /** Method and path of the operation that it was made from. */
  operation: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const otherMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
const otherTypes = [
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/xml',
  'nonsense',
];
const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' };
const longestPath = 12_000;

/** Makes requests without end: most of them right but for a few things, so that they get as far as they can. */
export function createGenerator(random: Random, operations: readonly Operation[], ingredients: Ingredients) {
  /** Some are asked more often: they decide the most. */
  const picked = operations.flatMap((operation) => {
    const decides = operation.body !== undefined && /oauth\/(token|par|authorize|consent|device)/.test(operation.path);
    const weight = decides ? 12 : operation.method === 'OPTIONS' ? 1 : 3;
    return Array.from({ length: weight }, () => operation);
  });

  return (address: string): FuzzRequest => {
    const operation = random.pick(picked);
    const method = random.chance(0.96) ? operation.method : random.pick(otherMethods);
    const { fields, cookie } = buildFields(random, ingredients, operation);
    const body = buildBody(random, operation, fields);
    const inQuery = operation.body === undefined ? { ...fields, ...pickQuery(random, ingredients, operation) } : {};
    const path = buildPath(random, ingredients, operation) + buildQuery(random, inQuery);
    const type = operation.body && random.chance(0.97) ? mediaTypes[operation.body] : random.pick(otherTypes);
    const request = {
      service: operation.service,
      operation: `${operation.method} ${operation.path}`,
      method,
      path: path.slice(0, longestPath),
      body: ['GET', 'HEAD', 'TRACE'].includes(method) ? '' : body,
    };
    const headers = {
      'x-forwarded-for': address,
      ...(request.body === '' ? {} : { 'content-type': type }),
      ...(random.chance(0.1) ? { accept: random.pick(['application/problem+json', '*/*', 'text/html', ',;,']) } : {}),
      ...pickWait(random, operation),
      ...pickOrigin(random, operation),
      ...(cookie === undefined ? pickCookie(random, ingredients) : { cookie }),
      ...buildAuthorization(random, ingredients, request),
    };
    return { ...request, headers };
  };
}

/** Of pages, the form that a browser was given; of every other operation, fields that are right together: some changed. */
function buildFields(random: Random, ingredients: Ingredients, operation: Operation) {
  const form = ingredients.forms.find(({ path }) => path === operation.path);
  const isGood = form !== undefined && operation.method === 'POST' && random.chance(0.8);
  // A password is a slow hash, of which only so many fit into a second.
  const isSpared = /sign-in$/.test(operation.path) && random.chance(0.95);
  const good = {
    ...buildGoodFields(random, ingredients, operation),
    ...(isGood ? form.fields : {}),
    ...(isSpared ? { form_token: 'forged' } : {}),
  };
  return { fields: spoil(random, ingredients, good), cookie: isGood ? form.cookie : undefined };
}

/** Leaves out, changes and adds. */
function spoil(random: Random, ingredients: Ingredients, good: GoodFields): GoodFields {
  const changes = random.pick([0, 1, 1, 2, 3]);
  const fields = { ...good };
  for (let left = changes; left > 0; left -= 1) {
    const name = random.chance(0.6) ? random.pick(Object.keys(good)) : random.pick(commonNames);
    if (name === undefined) continue;
    if (random.chance(0.3)) delete fields[name];
    else fields[name] = pickValue(random, ingredients, name);
  }
  return fields;
}

function pickQuery(random: Random, ingredients: Ingredients, { query, path }: Operation): GoodFields {
  if (path === '/oauth/authorize') return {};
  const some = query.filter(() => random.chance(0.4));
  return Object.fromEntries(some.map((name) => [name, pickValue(random, ingredients, name)]));
}

function buildQuery(random: Random, fields: GoodFields): string {
  const query = encodeForm(random, fields);
  return query === '' ? '' : `?${query}`;
}

function buildPath(random: Random, ingredients: Ingredients, { service, path }: Operation): string {
  if (path.includes('/docs/') || path === '/{}') return path.replace('{}', percentEncode(pickText(random), random));
  return path.replace('{}', () => {
    const known = path.includes('status-lists') ? pickListId(random) : pickVictim(random, ingredients, service, path);
    return percentEncode(random.chance(0.8) ? known : pickText(random), random);
  });
}

/** A list of tokens that expire in the hours to come (Token Status List). */
function pickListId(random: Random): string {
  return String(Math.floor(Date.now() / 3_600_000) + random.below(26));
}

function pickVictim(random: Random, ingredients: Ingredients, service: ServiceName, path: string): string {
  const { found } = ingredients;
  if (path.startsWith('/oauth/register')) return findDynamicClient(ingredients)?.id ?? 'nobody';
  const kind = path.startsWith('/resources') ? 'resource' : 'client';
  return random.pick(found[service === 'org-api' ? 'username' : kind] ?? []) ?? 'nobody';
}

function buildBody(random: Random, { body }: Operation, fields: GoodFields): string {
  if (random.chance(0.005)) return '{"client_id":"a","__proto__":{"scope":["openid"]}';
  if (random.chance(0.005)) return '['.repeat(30_000);
  if (body === 'json') return buildJson(random, fields);
  return body === 'form' || random.chance(0.2) ? encodeForm(random, fields) : '';
}

function encodeForm(random: Random, fields: GoodFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${percentEncode(name, random)}=${percentEncode(text, random)}`;
  });
  if (pairs.length > 0 && random.chance(0.02)) pairs.push(random.pick(pairs));
  return pairs.join(random.chance(0.97) ? '&' : random.pick(['&&', ';']));
}

const hostileValues = Object.values(hostileJson);

/** Members are what they are, text, or any JSON there is. */
function buildJson(random: Random, fields: GoodFields): string {
  const members = Object.entries(fields).map(([name, value]) => {
    const text = random.chance(0.92) ? JSON.stringify(value) : random.pick(hostileValues);
    return `${JSON.stringify(name)}:${text}`;
  });
  const object = `{${members.join()}}`;
  return random.chance(0.97) ? object : random.pick([`[${object}]`, object.slice(0, -1), ...hostileValues]);
}

function pickCookie(random: Random, { forms }: Ingredients): Record<string, string> {
  if (random.chance(0.6)) return {};
  const form = random.pick(forms);
  if (form !== undefined && random.chance(0.8)) return { cookie: form.cookie };
  return { cookie: `gatehouse-session=${random.next()}; gatehouse-browser=%zz; =;;` };
}

/** Credentials that fit the service, others, or none; with or without a proof. */
function buildAuthorization(
  random: Random,
  ingredients: Ingredients,
  request: Pick<FuzzRequest, 'service' | 'method' | 'path' | 'body'>,
): Record<string, string> {
  const presented = pickCredentials(random, ingredients, request);
  const isBound = presented?.startsWith('DPoP ') ?? false;
  const hasProof = isBound ? random.chance(0.9) : /oauth\/(token|par)/.test(request.path) && random.chance(0.2);
  const accessToken = isBound ? presented?.slice('DPoP '.length) : undefined;
  return {
    ...(presented === undefined ? {} : { authorization: presented }),
    ...(hasProof ? { dpop: buildProof(random, ingredients, { ...request, accessToken }) } : {}),
  };
}

const waits = [
  'wait=1',
  'WAIT = "1"; x',
  'wait=1, wait=30',
  'wait=-1',
  'wait=1e9',
  'wait="1',
  'wait',
  ',;=,',
  'x="wait=1',
];
const entityTags = ['"a"', 'W/"1-a", "b"', 'W/""', '*', '"', 'W/'];

/** RFC 7240: a request that waits, more or less. None waits for long, since nothing here has a list in hand. */
function pickWait(random: Random, { path }: Operation): Record<string, string> {
  if (!path.includes('status-lists')) return {};
  const pick = (known: readonly string[]) => (random.chance(0.8) ? random.pick(known) : toHeaderText(pickText(random)));
  return {
    ...(random.chance(0.7) ? { prefer: pick(waits) } : {}),
    ...(random.chance(0.7) ? { 'if-none-match': pick(entityTags) } : {}),
  };
}

const origins = [
  ...[new URL(callback).origin, new URL(callback).origin, new URL(loopbackCallback).origin, 'null'],
  ...['https://evil.example.com', 'http://localhost:3000', 'https://app.example.com:443', 'HTTPS://APP.EXAMPLE.COM'],
  ...[
    'https://app.example.com, https://evil.example.com',
    'https://app.example.com/',
    'chrome-extension://abc',
    'https://',
  ],
];

/** CORS: what a page of some origin sends by itself. */
function pickOrigin(random: Random, { method }: Operation): Record<string, string> {
  if (method !== 'OPTIONS' && random.chance(0.8)) return {};
  const origin = random.chance(0.95) ? random.pick(origins) : toHeaderText(pickText(random));
  if (method !== 'OPTIONS') return { origin };
  const headers = random.chance(0.5) ? 'authorization,dpop' : toHeaderText(pickText(random));
  return {
    origin,
    'access-control-request-method': random.pick(otherMethods),
    'access-control-request-headers': headers,
  };
}

/** As bytes, and without what ends a header. */
function toHeaderText(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/\p{Cc}/gu, '')
    .trim();
}

function pickCredentials(
  random: Random,
  ingredients: Ingredients,
  { path, body }: Pick<FuzzRequest, 'path' | 'body'>,
): string | undefined {
  const { clients } = ingredients;
  const basic = (pair: readonly string[]) => `Basic ${Buffer.from(pair.join(':')).toString('base64')}`;
  if (random.chance(0.05))
    return random.pick(['Basic', 'Bearer x', 'Basic !!!', `Bearer ${toHeaderText(pickText(random))}`]);
  // A wrong secret is a slow hash.
  if (random.chance(0.003)) return basic(['fuzz', 'a wrong secret']);
  if (random.chance(0.003)) return basic(['nobody@example.com', 'a wrong password']);
  if (random.chance(0.1)) return undefined;
  const bearer = findBearer(random, ingredients, path);
  if (bearer !== undefined) return bearer;
  if (body.includes('client_assertion')) return undefined;
  return /^\/oauth\/(token|par|introspect|revoke|device_authorization)/.test(path)
    ? basic(random.pick(clients))
    : undefined;
}

/** Of operations that take a token. */
function findBearer(random: Random, ingredients: Ingredients, path: string): string | undefined {
  const { administratorToken, found } = ingredients;
  const token = random.pick(found.access_token ?? []) ?? 'none';
  if (/^\/oauth\/userinfo|user\/allDetails/.test(path) && random.chance(0.7)) {
    return `${random.chance(0.5) ? 'DPoP' : 'Bearer'} ${token}`;
  }
  if (path.startsWith('/oauth/register')) return `Bearer ${pickRegistrationToken(random, ingredients, path) ?? token}`;
  if (/^\/(clients|resources|registration-tokens|audit-events|organization)/.test(path)) {
    return `Bearer ${random.chance(0.9) ? administratorToken : token}`;
  }
  return undefined;
}

/** RFC 7591 1.2 and RFC 7592 1.2: the one to register with, the other for one registration. */
function pickRegistrationToken(random: Random, ingredients: Ingredients, path: string): string | undefined {
  if (path !== '/oauth/register') return findDynamicClient(ingredients)?.token;
  return random.chance(0.9) ? ingredients.initialToken : undefined;
}
