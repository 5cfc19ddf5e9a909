import { generateKeyPairSync } from 'node:crypto';
import { type ClientMetadata, clientLinkNames } from '@gatehouse/shared';
import { createClientKey } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { displayNameOf } from '../../src/clients/client.ts';
import { isPublic } from '../../src/clients/client-demands.ts';
import { findMetadataFaults, pickClientMetadata } from '../../src/clients/client-metadata.ts';
import { redirectUrisOf } from '../../src/clients/redirect-uri.ts';
import { buildClient } from '../support/builders.ts';

type Key = { kty: string };

const ec = createClientKey().jwk;
const rsa = createClientKey('RS256').jwk;
const ed = createClientKey('EdDSA').jwk;
const privateKeyOf = (): Key => ({ ...ec, d: 'd' }) as Key;
const smallRsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }) as Key;
const otherCurve = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }) as Key;
const byKey = (...keys: object[]): ClientMetadata => ({
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys: keys as Key[] },
});

/** The fields at fault, and what is said of each. */
function faultsOf(metadata: ClientMetadata, hasSecret = false): string[] {
  return findMetadataFaults(metadata, { hasSecret }).map(({ field, detail }) => `${field} ${detail}`);
}

describe('the rules of client metadata', () => {
  it('find nothing wrong with a client that says nothing', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({}, true)).toEqual([]);
  });

  it.each<[string, ClientMetadata, boolean]>([
    ['more redirect URIs', { redirect_uris: ['https://a.example.com/', 'com.example.app:/cb'] }, true],
    ['a loopback redirect URI', { redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]:8080/cb'] }, false],
    ['post-logout redirect URIs', { post_logout_redirect_uris: ['https://a.example.com/bye?x=1'] }, true],
    ['a back-channel address', { backchannel_logout_uri: 'https://a.example.com/logout' }, true],
    ['a back-channel address on loopback', { backchannel_logout_uri: 'http://localhost:3000/logout' }, true],
    ['links', { client_uri: 'https://a.example.com', tos_uri: 'https://a.example.com/#terms' }, false],
    ['where a sign-in begins', { initiate_login_uri: 'https://a.example.com/login?x=1' }, false],
    ['a public client that says so', { token_endpoint_auth_method: 'none' }, false],
    ['a secret by Basic', { token_endpoint_auth_method: 'client_secret_basic' }, true],
    ['a secret in the body', { token_endpoint_auth_method: 'client_secret_post' }, true],
    ['a key of P-256', byKey(ec), false],
    ['a key of Ed25519', byKey(ed), false],
    ['an RSA key of 2048 bits', byKey(rsa), false],
    ['several keys', byKey(ec, rsa, ed), false],
  ])('allow %s', (_case, metadata, hasSecret) => {
    expect(faultsOf(metadata, hasSecret)).toEqual([]);
  });

  it.each([
    'http://a.example.com/',
    'javascript:alert(1)',
    'https://a.example.com/" onclick="x',
    'https://user@a.example.com/',
    'com.example.app:/x',
    '//a.example.com',
    'https://b\u00fccher.example/',
    'https://a.example.com/#gr\u00f6\u00dfe',
    'https://a.example.com/#a b',
  ])('refuse the link %s', (uri) => {
    for (const field of clientLinkNames) {
      expect(faultsOf({ [field]: uri })).toEqual([`${field} must be an https URL of printable ASCII characters`]);
    }
  });

  it.each<[string, ClientMetadata, boolean, RegExp]>([
    [
      'a redirect URI with a fragment',
      { redirect_uris: ['https://a.example.com/', 'https://b/#x'] },
      true,
      /^redirect_uris entry 2 must not/,
    ],
    [
      'an http redirect URI',
      { redirect_uris: ['http://a.example.com/'] },
      true,
      /^redirect_uris entry 1 must be https/,
    ],
    ['a javascript: redirect URI', { redirect_uris: ['javascript:alert(1)'] }, true, /^redirect_uris entry 1 must/],
    [
      'a relative post-logout redirect URI',
      { post_logout_redirect_uris: ['/bye'] },
      true,
      /^post_logout_redirect_uris entry 1 must/,
    ],
    [
      'a data: post-logout redirect URI',
      { post_logout_redirect_uris: ['data:text/html,x'] },
      true,
      /^post_logout_redirect_uris entry 1 must/,
    ],
    [
      'a back-channel address by http',
      { backchannel_logout_uri: 'http://a.example.com/logout' },
      true,
      /^backchannel_logout_uri must be https/,
    ],
    [
      'a back-channel address with a fragment',
      { backchannel_logout_uri: 'https://a.example.com/#x' },
      true,
      /^backchannel_logout_uri must not/,
    ],
    [
      'a back-channel address of another scheme',
      { backchannel_logout_uri: 'com.example.app:/out' },
      true,
      /^backchannel_logout_uri must be https/,
    ],
    [
      'a back-channel address that is none',
      { backchannel_logout_uri: 'nowhere' },
      true,
      /^backchannel_logout_uri must/,
    ],
    ['private_key_jwt without keys', { token_endpoint_auth_method: 'private_key_jwt' }, false, /^jwks is required/],
    ['a private key', byKey(privateKeyOf()), false, /^jwks must hold public keys only$/],
    ['a private key among public ones', byKey(ec, rsa, privateKeyOf()), false, /^jwks must hold public keys only$/],
    ['a symmetric key', byKey({ kty: 'oct', k: 'AAAA' }), false, /^jwks must hold public keys only$/],
    ['an RSA key of 1024 bits', byKey(smallRsa), false, /^jwks .*2048/],
    ['an RSA key without a modulus', byKey({ kty: 'RSA', e: 'AQAB' }), false, /^jwks .*2048/],
    ['a key of P-384', byKey(otherCurve), false, /^jwks must hold RSA, EC P-256 or Ed25519/],
    ['a key of an unknown kind', byKey({ kty: 'XYZ' }), false, /^jwks must hold RSA, EC P-256 or Ed25519/],
    ['a secret with private_key_jwt', byKey(ec), true, /^client_secret is not accepted with private_key_jwt$/],
    ['a secret with none', { token_endpoint_auth_method: 'none' }, true, /^client_secret is not accepted with none$/],
    [
      'Basic without a secret',
      { token_endpoint_auth_method: 'client_secret_basic' },
      false,
      /^client_secret is required/,
    ],
    [
      'post without a secret',
      { token_endpoint_auth_method: 'client_secret_post' },
      false,
      /^client_secret is required/,
    ],
  ])('refuse %s', (_case, metadata, hasSecret, fault) => {
    expect(faultsOf(metadata, hasSecret)).toEqual([expect.stringMatching(fault)]);
  });

  it('name every fault at once', () => {
    const metadata: ClientMetadata = {
      redirect_uris: ['x'],
      post_logout_redirect_uris: ['x'],
      backchannel_logout_uri: 'x',
      token_endpoint_auth_method: 'private_key_jwt',
    };
    expect(faultsOf(metadata, true).map((fault) => fault.split(' ')[0])).toEqual([
      'redirect_uris',
      'post_logout_redirect_uris',
      'backchannel_logout_uri',
      'jwks',
      'client_secret',
    ]);
  });
});

describe('the length of client metadata', () => {
  const others = JSON.stringify({ client_name: '' }).length;

  it('is 16,384 characters as JSON, and no more', () => {
    expect(faultsOf({ client_name: 'n'.repeat(16_384 - others) })).toEqual([]);
    expect(faultsOf({ client_name: 'n'.repeat(16_385 - others) })).toEqual([
      'body must hold at most 16384 characters of client metadata',
    ]);
  });
});

describe('what follows from client metadata', () => {
  it('is picked out of a larger body, without what is not there', () => {
    const body = { client_id: 'web', client_name: 'The App', require_pkce: false, jwks: undefined, other: 1 };
    expect(pickClientMetadata(body)).toEqual({ client_name: 'The App', require_pkce: false });
    expect(pickClientMetadata(body)).not.toHaveProperty('jwks');
  });

  it('is public who has neither a secret nor keys', () => {
    expect(isPublic(buildClient())).toBe(false);
    expect(isPublic(buildClient({ secretHash: undefined }))).toBe(true);
    expect(isPublic(buildClient({ secretHash: undefined, metadata: { token_endpoint_auth_method: 'none' } }))).toBe(
      true,
    );
    expect(isPublic(buildClient({ secretHash: undefined, metadata: byKey(ec) }))).toBe(false);
  });

  it('has the documented redirect URI first, then the others', () => {
    const metadata = { redirect_uris: ['https://b.example.com/', 'https://c.example.com/'] };
    expect(redirectUrisOf(buildClient({ redirectUri: 'https://a.example.com/', metadata }))).toEqual([
      'https://a.example.com/',
      'https://b.example.com/',
      'https://c.example.com/',
    ]);
    expect(redirectUrisOf(buildClient({ redirectUri: undefined, metadata }))).toEqual(metadata.redirect_uris);
    expect(redirectUrisOf(buildClient({ redirectUri: undefined }))).toEqual([]);
  });

  it('shows users the name, and the client_id where there is none', () => {
    expect(displayNameOf(buildClient({ clientId: 'web', metadata: { client_name: 'The App' } }))).toBe('The App');
    expect(displayNameOf(buildClient({ clientId: 'web' }))).toBe('web');
  });
});
