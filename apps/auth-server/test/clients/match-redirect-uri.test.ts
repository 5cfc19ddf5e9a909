import type { ClientMetadata } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { findRedirectUri, matchesRedirectUri } from '../../src/clients/redirect-uri.ts';
import { buildClient } from '../support/builders.ts';

const path = '/callback?from=a%20b';
const native: ClientMetadata = { loopback_ports: 'any' };
const matches = (registered: string, asked: string, metadata = native) =>
  matchesRedirectUri(buildClient({ redirectUri: registered, metadata }), asked);

describe('a redirect URI of a client with "loopback_ports": "any" (RFC 8252 7.3)', () => {
  it.each([
    [`http://127.0.0.1${path}`, `http://127.0.0.1:51004${path}`],
    [`http://127.0.0.1:8080${path}`, `http://127.0.0.1:1${path}`],
    [`http://127.0.0.1:8080${path}`, `http://127.0.0.1:65535${path}`],
    [`http://127.0.0.1:8080${path}`, `http://127.0.0.1${path}`],
    [`http://[::1]${path}`, `http://[::1]:51004${path}`],
    [`http://[::1]:8080${path}`, `http://[::1]${path}`],
    ['http://127.0.0.1', 'http://127.0.0.1:51004'],
    ['http://127.0.0.1/', 'http://127.0.0.1:51004/'],
    ['http://127.0.0.1?a=b', 'http://127.0.0.1:51004?a=b'],
    ['http://127.0.0.1:8080/a:9000', 'http://127.0.0.1:51004/a:9000'],
  ])('%s matches %s', (registered, asked) => {
    expect(matches(registered, asked)).toBe(true);
    expect(matches('https://app.example.com/', asked, { ...native, redirect_uris: [registered] })).toBe(true);
  });

  it.each([
    [`http://127.0.0.1${path}`, `http://127.0.0.1:51004${path}&x=1`, 'has another query'],
    [`http://127.0.0.1${path}`, 'http://127.0.0.1:51004/callback', 'has no query'],
    [`http://127.0.0.1${path}`, 'http://127.0.0.1:51004/callback?from=a+b', 'has a query of other bytes'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/Callback', 'has another path'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback/', 'has a longer path'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/x/../callback', 'has a path of other bytes'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/%63allback', 'has a path of other bytes'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback#', 'has a fragment'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback\n', 'has a line end'],
    ['http://127.0.0.1/', 'http://127.0.0.1:51004', 'has no path'],
    ['http://127.0.0.1', 'http://127.0.0.1:51004/', 'has a path'],
    ['http://127.0.0.1/', 'http://[::1]:51004/', 'has another address'],
    ['http://127.0.0.1/', 'http://127.1:51004/', 'writes the address in another way'],
    ['http://127.0.0.1/', 'http://2130706433:51004/', 'writes the address in another way'],
    ['http://[::1]/', 'http://[0:0:0:0:0:0:0:1]:51004/', 'writes the address in another way'],
    ['http://127.0.0.1/', 'http://127.0.0.2:51004/', 'has another address'],
    ['http://127.0.0.1/', 'http://localhost:51004/', 'has a name'],
    ['http://localhost/', 'http://localhost:51004/', 'has a name'],
    ['http://localhost:8080/', 'http://localhost/', 'has a name'],
    ['http://127.0.0.1/', 'https://127.0.0.1:51004/', 'has another scheme'],
    ['http://127.0.0.1/', 'HTTP://127.0.0.1:51004/', 'writes the scheme in another way'],
    ['https://127.0.0.1/', 'https://127.0.0.1:51004/', 'is https'],
    ['https://app.example.com/', 'https://app.example.com:8443/', 'is not on loopback'],
    ['http://127.0.0.1/', 'http://user@127.0.0.1:51004/', 'has a user name'],
    ['http://127.0.0.1/', 'http://127.0.0.1:51004@evil.example.com/', 'has another host'],
    ['http://127.0.0.1/', 'http://127.0.0.1.evil.example.com/', 'has another host'],
    ['http://127.0.0.1/', 'http://127.0.0.1:/', 'has an empty port'],
    ['http://127.0.0.1/', 'http://127.0.0.1:0/', 'has a port that is none'],
    ['http://127.0.0.1/', 'http://127.0.0.1:65536/', 'has a port that is none'],
    ['http://127.0.0.1/', 'http://127.0.0.1:080/', 'has a port that is none'],
    ['http://127.0.0.1/', 'http://127.0.0.1:+1/', 'has a port that is none'],
    ['com.example.app:/', 'com.example.app:51004/', 'has a private-use scheme'],
  ])('%s does not match %s, which %s', (registered, asked) => {
    expect(matches(registered, asked)).toBe(false);
  });

  it('has at most 2048 characters with its port', () => {
    const longest = `http://127.0.0.1/${'x'.repeat(2048 - 'http://127.0.0.1/'.length)}`;
    expect(matches(longest, longest)).toBe(true);
    expect(matches(longest, longest.replace('1/', '1:8080/'))).toBe(false);
    const shorter = longest.slice(0, -5);
    expect(matches(shorter, shorter.replace('1/', '1:8080/'))).toBe(true);
  });

  it('is compared to the letter for everybody else', () => {
    expect(matches('http://127.0.0.1/', 'http://127.0.0.1:51004/', {})).toBe(false);
    expect(matches('http://127.0.0.1:51004/', 'http://127.0.0.1:51004/', {})).toBe(true);
    expect(matches('https://app.example.com/', 'https://app.example.com/')).toBe(true);
  });
});

describe('the redirect URI of an authorization request (RFC 6749 3.1.2.3)', () => {
  const [one, two] = ['https://a.example.com/cb', 'https://b.example.com/cb'];
  const find = (redirect_uris: string[], asked: string | undefined, isRequired = false) =>
    findRedirectUri(buildClient({ redirectUri: one, metadata: { redirect_uris } }), asked, isRequired);

  it('is the one that it names, where the client registered that', () => {
    expect([find([two], two), find([two], two, true), find([], two)]).toEqual([two, two, undefined]);
  });

  it('is the only one that is registered where it names none, and need not', () => {
    expect([find([], undefined), find([], undefined, true), find([two], undefined)]).toEqual([
      one,
      undefined,
      undefined,
    ]);
    expect(findRedirectUri(buildClient({ redirectUri: undefined }), undefined, false)).toBeUndefined();
  });
});
