import { readRoutes } from '@gatehouse/fuzz';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, type Realm, startRealm } from '../support/realm.ts';

const byScript = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };

/** The endpoints below /oauth that clients call, which read no cookie. */
const called = [
  ...['token', 'revoke', 'introspect', 'userinfo', 'par', 'device_authorization', 'jwks', 'register', 'register/{}'],
  ...['status-lists/{}', 'status-lists/{}/changes'],
].map((name) => `/oauth/${name}`);

describe('a script of the origin of this server', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ DYNAMIC_REGISTRATION: 'open' });
  });
  afterAll(() => realm.close());

  const routesOfPeople = () =>
    readRoutes(realm.app.printRoutes({ commonPrefix: false }))
      .map((route) => route.split(' ') as [method: string, path: string])
      .filter(([method, path]) => method !== 'OPTIONS' && /^\/(account|oauth)(\/|$)/.test(path))
      .filter(([, path]) => !called.includes(path));

  it('opens no page of people and sends none of their forms', async () => {
    const routes = routesOfPeople();
    for (const known of ['GET /account', 'GET /oauth/authorize', 'POST /oauth/sign-in', 'GET /oauth/consents']) {
      expect(routes.map((route) => route.join(' '))).toContain(known);
    }
    for (const [method, path] of routes) {
      const form = method === 'POST' ? { form: { a: 'b' } } : {};
      const { status, headers, text } = await realm.send(path, { method, headers: byScript, ...form });
      expect([path, status, headers['cache-control']]).toEqual([path, 403, 'no-store']);
      expect([path, text.includes('scripts may not')]).toEqual([path, true]);
    }
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    {},
  ])('is told from %j', async (headers) => {
    for (const [method, path] of routesOfPeople()) {
      const form = method === 'POST' ? { form: { a: 'b' } } : {};
      const { text } = await realm.send(path, { method, headers, ...form });
      expect([path, text.includes('scripts may not')]).toEqual([path, false]);
    }
  });

  it('calls what is for clients', async () => {
    expect((await realm.send('/clients', { basic: administrator, headers: byScript })).status).toBe(200);
    expect((await realm.send('/oauth/jwks', { headers: byScript })).status).toBe(200);
    expect((await realm.send('/oauth/token', { form: {}, headers: byScript })).status).toBe(401);
    expect((await realm.send('/console/settings.json', { headers: byScript })).status).toBe(200);
  });
});
