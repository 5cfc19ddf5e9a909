import { describe, expect, it } from '@jest/globals';
import { findResourceUriFault, hashResourceUri, isSameResource } from '../../src/protocol/resource-uri.ts';

describe('the URI of a resource', () => {
  it.each([
    'https://api.example.com',
    'https://api.example.com/',
    'http://localhost:9001',
    'https://api.example.com/orders?tenant=1',
    'https://[2001:db8::1]:8443/x',
    'urn:example:orders',
    'api://orders',
    'https://api.example.com/%C3%B6',
    `https://api.example.com/${'x'.repeat(2000)}`,
    `https://api.example.com/${'x'.repeat(2024)}`,
  ])('may be %s', (uri) => expect(findResourceUriFault(uri)).toBeUndefined());

  it.each([
    ['', 'characters'],
    ['orders', 'absolute'],
    ['/orders', 'absolute'],
    ['//api.example.com', 'absolute'],
    ['https:', 'absolute'],
    ['urn:', 'absolute'],
    ['a:', 'absolute'],
    ['https:orders', 'absolute'],
    ['https:///orders', 'absolute'],
    ['https://api.example.com/#part', 'fragment'],
    ['https://api.example.com/#', 'fragment'],
    ['https://user:secret@api.example.com/', 'user name'],
    ['https://user@api.example.com/', 'user name'],
    ['https://:secret@api.example.com/', 'user name'],
    ['https://api.example.com/a b', 'characters'],
    ['https://api.example.com/ö', 'characters'],
    ['https://api.example.com/\n', 'characters'],
    ['https://api.example.com/"', 'characters'],
    ['https://api.example.com/%zz', 'characters'],
    ['https://api.example.com:99999/', 'absolute'],
    [`https://api.example.com/${'x'.repeat(2048)}`, '2048'],
  ])('must not be %j', (uri, reason) => expect(findResourceUriFault(uri)).toMatch(reason));

  it.each([
    ['https://api.example.com', 'https://api.example.com/', true],
    ['https://api.example.com?a=1', 'https://api.example.com/?a=1', true],
    ['https://api.example.com/orders', 'https://api.example.com/orders/', false],
    ['https://api.example.com/', 'https://API.example.com/', false],
    ['https://api.example.com/', 'https://api.example.com:443/', false],
    ['https://api.example.com/%7Ea', 'https://api.example.com/~a', false],
    ['urn:example:a', 'urn:example:a/', false],
  ])('is compared as a string, but an empty path equals /: %s and %s', (one, other, same) => {
    expect(isSameResource(one, other)).toBe(same);
    expect(hashResourceUri(one).equals(hashResourceUri(other))).toBe(same);
  });
});
