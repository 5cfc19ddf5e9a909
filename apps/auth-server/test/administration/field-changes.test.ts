import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { calculateJwkThumbprint } from 'jose';
import { listFieldChanges } from '../../src/administration/field-changes.ts';

it('lists what differs, with what was there before and is there now', () => {
  const before = { client_id: 'web', scope: ['openid'], client_uri: 'https://a.example', updated_at: '2026-01-01' };
  const after = { client_id: 'web', scope: ['openid', 'email'], public: false, updated_at: '2026-01-02' };
  expect(listFieldChanges(before, after)).toEqual([
    { field: 'scope', from: ['openid'], to: ['openid', 'email'] },
    { field: 'client_uri', from: 'https://a.example' },
    { field: 'public', to: false },
  ]);
  expect(listFieldChanges({ ...before, scope: ['openid'] }, { ...before, updatedAt: 'now' })).toEqual([]);
});

it('cuts texts, wherever they stand, at 200 characters', () => {
  const long = '😀'.repeat(201);
  const cut = '😀'.repeat(200);
  const after = { name: long, scopes: [{ name: 'a', description: long }], uris: [long, 'short'], none: null };
  expect(listFieldChanges({}, after)).toEqual([
    { field: 'name', to: cut },
    { field: 'scopes', to: [{ name: 'a', description: cut }] },
    { field: 'uris', to: [cut, 'short'] },
    { field: 'none', to: null },
  ]);
});

it('tells keys by their thumbprints alone (RFC 7638)', async () => {
  const keys = [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ].map(({ publicKey }, index) => ({ kid: `key-${index}`, use: 'sig', ...publicKey.export({ format: 'jwk' }) }));
  const thumbprints = await Promise.all(keys.map((key) => calculateJwkThumbprint(key)));
  const jwks = (from: number) => ({ jwks: { keys: keys.slice(from) } });
  expect(listFieldChanges(jwks(1), jwks(0))).toEqual([{ field: 'jwks', from: thumbprints.slice(1), to: thumbprints }]);
  expect(listFieldChanges(jwks(2), {})).toEqual([{ field: 'jwks', from: thumbprints.slice(2) }]);
});

it('tells of what does not fit beside the rest the name alone', () => {
  const scopes = Array.from({ length: 100 }, (_, i) => ({ name: `scope-${i}`, description: 'é'.repeat(200) }));
  const after = { first: 'a', scopes, last: 'b' };
  expect(listFieldChanges({}, after)).toEqual([
    { field: 'first', to: 'a' },
    { field: 'scopes' },
    { field: 'last', to: 'b' },
  ]);
  expect(listFieldChanges({}, { scopes: scopes.slice(0, 70) })).toEqual([{ field: 'scopes', to: scopes.slice(0, 70) }]);
});
