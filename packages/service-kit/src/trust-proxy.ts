import { isIP } from 'node:net';
import { Type } from 'typebox';
import { ConfigError } from './config-error.ts';

/** As Fastify's `trustProxy`: all, none, a number of hops, or addresses and ranges. */
export type TrustProxy = boolean | number | string;

export const trustProxyType = Type.Refine(
  Type.String({
    description:
      'a number of hops, or addresses and ranges of proxies whose `X-Forwarded-*` count; ' +
      "`true` (everybody's) is refused when `NODE_ENV=production`",
    default: 'false',
    expected: 'be true, false, a number of hops, or addresses and ranges such as 10.0.0.0/8',
  }),
  (value) => /^(true|false|\d{1,3})$/.test(value) || splitRanges(value).every(isAddressRange),
);

/** Gives Fastify's form of a valid `TRUST_PROXY`. */
export function parseTrustProxy(value: string, production: boolean): TrustProxy {
  if (value === 'false') return false;
  if (value === 'true') return trustEverybody(production);
  return /^\d+$/.test(value) ? Number(value) : splitRanges(value).join(',');
}

/** Throws in production: guess limits and the audit trail use the address, and any caller could then forge it. */
function trustEverybody(production: boolean): true {
  if (!production) return true;
  throw new ConfigError(
    'TRUST_PROXY must not be true when NODE_ENV=production; give a number of hops, or addresses and ranges',
  );
}

function splitRanges(value: string): string[] {
  return value.split(/[\s,]+/);
}

function isAddressRange(range: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(range)) return true;
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return bits > 0 && (prefix === undefined || (Number(prefix) >= 1 && Number(prefix) <= bits));
}
