import { isLoopbackHost } from '@gatehouse/service-kit';

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
