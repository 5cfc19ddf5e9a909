import { describe, expect, it } from '@jest/globals';
import type { Client } from '../src/api/auth-server.ts';
import { destinationOf, kindOf, proposeClientId } from '../src/clients/kind.ts';
import { thumbprintOf } from '../src/clients/thumbprint.ts';

const client = (members: Partial<Client>) =>
  ({ authorized_grant_types: ['authorization_code'], public: false, dynamic: false, ...members }) as Client;
const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code';

describe('a client', () => {
  it.each<[string, Partial<Client>]>([
    ['web', {}],
    ['page', { public: true }],
    ['dynamic', { dynamic: true }],
    [
      'document',
      {
        dynamic: true,
        metadata_document: { url: 'https://tool.example.com/c', readAt: '2026-01-01', expiresAt: '2026-01-02' },
      },
    ],
    ['robot', { authorized_grant_types: ['service_account'], srvc_ac_user_name: 'robot@example.com' }],
    ['machine', { authorized_grant_types: ['client_credentials'] }],
    ['device', { authorized_grant_types: [deviceCode, 'refresh_token'], public: true }],
    ['other', { authorized_grant_types: ['password'] }],
  ])('is of the kind %s', (kind, members) => {
    expect(kindOf(client(members))).toBe(kind);
  });

  it('sends answers to its hosts, each once, or acts as its Robot', () => {
    const redirect_uris = ['https://shop.example.com/b', 'com.example.app:/callback', 'http://127.0.0.1:3000/'];
    const uris = client({ redirect_uri: 'https://shop.example.com/a', redirect_uris });
    expect(destinationOf(uris)).toBe('shop.example.com, com.example.app:, 127.0.0.1:3000');
    expect(destinationOf(client({ srvc_ac_user_name: 'robot@example.com' }))).toBe('robot@example.com');
    expect(destinationOf(client({}))).toBe('');
  });

  it.each([
    ['My Shop (2026)', 'my-shop-2026'],
    ['Caf\u00e9 \u2014 M\u00fcnchen', 'cafe-munchen'],
    ['\u8cfc\u7269', ''],
  ])('gets an id from the name %s', (name, id) => {
    expect(proposeClientId(name)).toBe(id);
  });

  it('shows the thumbprint of RFC 7638 3.1', async () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
    const key = { kty: 'RSA', n, e: 'AQAB', alg: 'RS256', kid: '2011-04-29' };
    expect(await thumbprintOf(key)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
  });
});
