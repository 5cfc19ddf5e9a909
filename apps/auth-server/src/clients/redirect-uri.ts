import { isLoopbackHost } from '@gatehouse/service-kit';
import type { Client } from './client.ts';
import { hasAnyLoopbackPort } from './client-demands.ts';

const printableWithoutDelimiters = /^[\x21-\x7e]{1,2048}$/;
const delimiters = /["<>\\^`{|}]/;

/**
 * Says what is wrong with a redirect URI as a client may register it, or undefined where it is right.
 * https, http on a loopback host, or a private-use scheme with a dot (RFC 8252 7.1); absolute, no fragment
 * (RFC 6749 3.1.2).
 */
export function findRedirectUriFault(value: string): string | undefined {
  if (!printableWithoutDelimiters.test(value) || delimiters.test(value)) {
    return 'must be an absolute URL of at most 2048 printable ASCII characters';
  }
  if (value.includes('#')) return 'must not have a fragment';
  // RFC 9700 2.1: exact strings. A client that is registered with a pattern would never be answered.
  if (value.includes('*')) return 'must not hold *: redirect URIs are compared exactly, so list each one';
  if (!URL.canParse(value)) return 'must be an absolute URL';
  return findSchemeFault(new URL(value), value);
}

function findSchemeFault(url: URL, value: string): string | undefined {
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or a password';
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    if (!/^https?:\/\/[^/@]/i.test(value)) return 'must be an absolute URL';
    const insecure = url.protocol === 'http:' && !isLoopbackHost(url.hostname);
    return insecure ? 'must be https; http is for a loopback host only' : undefined;
  }
  // RFC 8252 7.1: a private-use scheme is a domain name in reverse, so it has a dot.
  return url.protocol.includes('.')
    ? undefined
    : 'must be https, http on a loopback host, or a private-use scheme with a dot';
}

/** The most characters of a redirect URI, as the column of a code holds it. */
const longestRedirectUri = 2048;
/** A redirect URI on the own machine: what comes before the port, the port, and what comes after it. */
const loopbackPattern = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/;
const highestPort = 65_535;

/** Every redirect URI the client registered, the documented one first. */
export function redirectUrisOf({ redirectUri, metadata }: Pick<Client, 'redirectUri' | 'metadata'>): string[] {
  return [...(redirectUri === undefined ? [] : [redirectUri]), ...(metadata.redirect_uris ?? [])];
}

/**
 * Finds the redirect URI of an authorization request (RFC 6749 3.1.2.3): `asked`, where the client may have it, or the only
 * registered one, where the request may leave it out.
 */
export function findRedirectUri(client: Client, asked: string | undefined, isRequired: boolean): string | undefined {
  if (asked !== undefined) return matchesRedirectUri(client, asked) ? asked : undefined;
  const [only, ...others] = redirectUrisOf(client);
  return others.length === 0 && !isRequired ? only : undefined;
}

/**
 * Whether an answer may go to this redirect URI: it is a registered one to the letter (RFC 9700 2.1), or differs from one
 * in the port of a loopback address alone, where the client may choose that (RFC 8252 7.3). The name `localhost` may be
 * another machine's (RFC 8252 8.3), so its port varies for clients of documents alone: their programs choose one at each start, and
 * their documents can say that for `localhost` only.
 */
export function matchesRedirectUri(client: Client, asked: string): boolean {
  const registered = redirectUrisOf(client);
  if (registered.includes(asked)) return true;
  if (!hasAnyLoopbackPort(client) || asked.length > longestRedirectUri) return false;
  const rest = findWithoutPort(asked);
  if (rest === undefined || (client.document === undefined && rest.startsWith('http://localhost'))) return false;
  return registered.some((uri) => findWithoutPort(uri) === rest);
}

/** Whether a redirect URI leads to the machine of the user, at a port that may vary. */
export function isLoopbackUri(uri: string): boolean {
  return findWithoutPort(uri) !== undefined;
}

/** Such a redirect URI without its port; undefined for any other text. */
function findWithoutPort(uri: string): string | undefined {
  const [, address, port = '1', rest] = loopbackPattern.exec(uri) ?? [];
  return address === undefined || Number(port) > highestPort ? undefined : `${address}${rest}`;
}
