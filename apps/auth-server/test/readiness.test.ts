import { randomBytes } from 'node:crypto';
import { intervalsAlone } from '@gatehouse/test-kit';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createKeyEncryption } from '../src/keys/key-encryption.ts';
import { generateSigningKey } from '../src/keys/signing-key.ts';
import { createSigningKeyStore } from '../src/keys/signing-key-store.ts';
import { type Realm, startRealm } from './support/realm.ts';

let realm: Realm;
beforeEach(async () => {
  jest.useFakeTimers(intervalsAlone);
  realm = await startRealm();
});
afterEach(async () => {
  await realm.close();
  jest.useRealTimers();
});

const readiness = async () => {
  const { status, headers, json } = await realm.send('/health/ready');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  return [status, json()];
};

it('auth-server is live', async () => {
  const { status, headers, json } = await realm.send('/health/live');
  expect([status, headers['content-type'], json()]).toEqual([200, 'application/json; charset=utf-8', { status: 'ok' }]);
});

it('auth-server is ready while it has its database', async () => {
  expect(await readiness()).toEqual([200, { status: 'ok', checks: { database: 'ok', 'signing-keys': 'ok' } }]);
  await realm.deps.database.close();
  const checks = { database: 'out of reach', 'signing-keys': 'ok' };
  expect(await readiness()).toEqual([503, { status: 'unavailable', checks }]);
});

it('auth-server is not ready without keys to sign with', async () => {
  realm.advance(11 * 365 * 86_400_000);
  const checks = { database: 'ok', 'signing-keys': 'no key to sign ES256 and RS256 with' };
  expect(await readiness()).toEqual([503, { status: 'unavailable', checks }]);
});

it('auth-server is ready while one key signs, and names a key that it cannot read', async () => {
  const now = realm.clock();
  const schedule = { generation: 9, publishAt: now, signFrom: now, expiresAt: now + 86_400_000 };
  const key = await generateSigningKey('ES256', schedule, createKeyEncryption(randomBytes(32)));
  await createSigningKeyStore(realm.deps.database).insert(key);
  await realm.deps.signingKeys.load();
  const checks = { database: 'ok', 'signing-keys': `ok, but cannot read the keys ${key.kid}` };
  expect(await readiness()).toEqual([200, { status: 'ok', checks }]);
});
