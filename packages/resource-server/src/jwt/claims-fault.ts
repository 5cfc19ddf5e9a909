import { isBoundedString } from '../json/bounded-json.ts';

/** The most characters of claims that are strings (RFC 7519 4.1, OpenID Connect Core 2, RFC 9449 4.2). */
const longestOf: Record<string, number> = {
  iss: 2048,
  sub: 2048,
  jti: 512,
  nonce: 512,
  sid: 255,
  htm: 32,
  htu: 4096,
  ath: 128,
};
const longestAudience = 2048;
const mostAudiences = 16;

const instants = ['exp', 'iat', 'nbf', 'auth_time'];
/** Seconds: the end of the year 9999. */
const latestInstant = 253_402_300_799;

/** Finds a registered claim of a wrong type or of too great length; undefined where there is none. */
export function findClaimsFault(claims: Readonly<Record<string, unknown>>): string | undefined {
  const isThere = (name: string) => claims[name] !== undefined;
  const text = Object.keys(longestOf)
    .filter(isThere)
    .find((name) => !isBoundedString(claims[name], longestOf[name] as number));
  if (text !== undefined) return `${text} is not a string of at most ${longestOf[text]} characters`;
  const instant = instants.filter(isThere).find((name) => !isInstant(claims[name]));
  if (instant !== undefined) return `${instant} is not a number of seconds`;
  return isThere('aud') && !isAudience(claims.aud)
    ? `aud is not a string or a list of at most ${mostAudiences}`
    : undefined;
}

function isInstant(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= latestInstant;
}

function isAudience(value: unknown): boolean {
  const audiences: readonly unknown[] = Array.isArray(value) ? value : [value];
  return audiences.length <= mostAudiences && audiences.every((one) => isBoundedString(one, longestAudience));
}
