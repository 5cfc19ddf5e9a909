import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Realm, startRealm } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';

const id = '0192f6a4-0000-7000-8000-000000000000';
const operations = [
  ['GET', '/clients', 401],
  ['POST', '/clients', 401],
  ['GET', '/clients/nobody', 401],
  ['PATCH', '/clients/nobody', 401],
  ['DELETE', '/clients/nobody', 401],
  ['POST', '/clients/nobody/secret', 401],
  ['DELETE', '/clients/nobody/secret/previous', 401],
  ['POST', '/clients/nobody/secret-checks', 401],
  ['POST', '/clients/nobody/preview', 401],
  ['PUT', '/clients/nobody/logo', 401],
  ['GET', '/resources', 401],
  ['POST', '/resources', 401],
  ['PATCH', `/resources/${id}`, 401],
  ['GET', '/registration-tokens', 401],
  ['POST', '/registration-tokens', 401],
  ['DELETE', `/registration-tokens/${id}`, 401],
  ['GET', '/issuers', 401],
  ['POST', '/issuers', 401],
  ['PATCH', `/issuers/${id}`, 401],
  ['DELETE', `/issuers/${id}`, 401],
  ['GET', '/upstreams', 401],
  ['POST', '/upstreams', 401],
  ['PATCH', '/upstreams/nobody', 401],
  ['DELETE', '/upstreams/nobody', 401],
  ['POST', '/upstreams/nobody/secret-checks', 401],
  ['GET', '/sessions', 401],
  ['DELETE', `/sessions/${id}`, 401],
  ['GET', '/user-data', 401],
  ['GET', '/grants?client=nobody', 401],
  ['DELETE', `/grants/${id}`, 401],
  ['GET', '/consents?client=nobody', 401],
  ['DELETE', '/consents', 401],
  ['GET', '/keys', 401],
  ['POST', '/keys/rotate', 401],
  ['GET', '/configuration', 401],
  ['GET', '/findings', 401],
  ['GET', '/audit-events', 401],
  ['GET', '/health/ready', 200],
  ['GET', '/openapi.json', 200],
] as const;

describe('scripts of the console', () => {
  const origin = 'https://console.example.com';
  let realm: Realm;
  let without: Replica;
  beforeAll(async () => {
    realm = await startRealm({ CONSOLE_URL: `${origin}/admin` });
    without = await startReplica(realm, { CONSOLE_URL: 'off' });
  });
  afterAll(async () => {
    await without.close();
    await realm.close();
  });

  const ask = async (method: string, path: string, from: string, { send }: Pick<Replica, 'send'> = realm) => ({
    preflight: await send(path, {
      method: 'OPTIONS',
      headers: { origin: from, 'access-control-request-method': method },
    }),
    answer: await send(path, { method, headers: { origin: from } }),
  });

  it.each(operations)('may send %s %s, and read the answer', async (method, path, status) => {
    const { preflight, answer } = await ask(method, path, origin);
    expect([preflight.status, preflight.text, answer.status]).toEqual([204, '', status]);
    expect(preflight.headers['access-control-allow-methods']).toContain(method);
    expect(preflight.headers['access-control-allow-headers']).toBe(
      'Authorization, Content-Type, DPoP, If-Match, Prefer, X-Request-Id',
    );
    for (const { headers } of [preflight, answer]) {
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    expect(answer.headers['access-control-expose-headers']).toMatch(/DPoP-Nonce.*ETag.*X-Request-Id/);
  });

  it.each(operations)('may not send %s %s from another origin', async (method, path, status) => {
    for (const other of ['https://spa.example.com', 'null', `${origin}.example`, `${origin}:8443`]) {
      const { preflight, answer } = await ask(method, path, other);
      expect([preflight.status, answer.status, answer.headers.vary]).toEqual([405, status, 'Origin']);
      for (const { headers } of [preflight, answer]) expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it.each(operations)('may not send %s %s where there is no console', async (method, path, status) => {
    const { preflight, answer } = await ask(method, path, origin, without);
    expect([preflight.status, answer.status]).toEqual([405, status]);
    for (const { headers } of [preflight, answer]) expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('may open no page of people', async () => {
    for (const path of ['/account', '/oauth/authorize', '/oauth/consents', '/oauth/device']) {
      const { preflight, answer } = await ask('POST', path, origin);
      for (const { headers } of [preflight, answer]) expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});
