import { callback, type Ingredients, loopbackCallback } from './ingredients.ts';
import type { Operation } from './operations.ts';
import type { Random } from './random.ts';
import { pickText } from './values.ts';

/** Those that an operation has, and those that none has. */
export const otherMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** None, one of a browser that was given a form or has a session, or one of nobody's making. */
export function pickCookie(
  random: Random,
  { forms, found }: Ingredients,
  { service, path }: Operation,
): Record<string, string> {
  const isAccount = service === 'auth-server' && path.startsWith('/account');
  if (random.chance(isAccount ? 0.1 : 0.6)) return {};
  const cookie = random.pick(found.cookie ?? []);
  if (cookie !== undefined && random.chance(isAccount ? 0.8 : 0.4)) return { cookie };
  const form = random.pick(forms);
  if (form !== undefined && random.chance(0.8)) return { cookie: form.cookie };
  return { cookie: `gatehouse-session=${random.next()}; gatehouse-browser=%zz; =;;` };
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
export function pickWait(random: Random, { path }: Operation): Record<string, string> {
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
export function pickOrigin(random: Random, { method }: Operation): Record<string, string> {
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
export function toHeaderText(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/\p{Cc}/gu, '')
    .trim();
}
