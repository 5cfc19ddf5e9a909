import { createHash } from 'node:crypto';

const longestUri = 2048;
const printable = /^[\x21-\x7e]+$/;
const delimiters = /["<>\\^`{|}]/;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** Says what is wrong with the URI of a resource; undefined for an absolute URI without fragment (RFC 8707 2). */
export function findResourceUriFault(value: string): string | undefined {
  if (value.length > longestUri) return `must have at most ${longestUri} characters`;
  if (!printable.test(value) || delimiters.test(value) || brokenEscape.test(value)) {
    return 'must be an absolute URI of the characters of RFC 3986';
  }
  if (value.includes('#')) return 'must not have a fragment (RFC 8707 2)';
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:./.test(value) || !URL.canParse(value)) return 'must be an absolute URI';
  if (/^https?:/i.test(value) && !/^https?:\/\/[^/?]/i.test(value)) return 'must be an absolute URI';
  const { username, password } = new URL(value);
  return username === '' && password === '' ? undefined : 'must not carry a user name or a password';
}

/** URIs of resources are compared as strings, but an empty path equals `/` (RFC 3986 6.2.3). */
export function normalizeResourceUri(uri: string): string {
  return uri.replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]+)(?=\?|$)/, '$1/');
}

/** Whether both URIs name the same resource. */
export function isSameResource(one: string, other: string): boolean {
  return one === other || normalizeResourceUri(one) === normalizeResourceUri(other);
}

/** SHA-256: the key by which a resource is found, because a URI is too long for an index of MySQL. */
export function hashResourceUri(uri: string): Buffer {
  return createHash('sha256').update(normalizeResourceUri(uri)).digest();
}
