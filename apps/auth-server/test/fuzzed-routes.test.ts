import { listOperationsOf, readRoutes } from '@gatehouse/fuzz';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Realm, startRealm } from './support/realm.ts';

let realm: Realm;
beforeAll(async () => {
  realm = await startRealm({ DYNAMIC_REGISTRATION: 'open' });
});
afterAll(() => realm.close());

it('generated requests go to every route of auth-server', async () => {
  const { app } = realm;
  const known = listOperationsOf('auth-server', (await app.inject('/openapi.json')).json());
  const names = known.map(({ method, path }) => `${method} ${path}`);
  const routes = readRoutes(app.printRoutes({ commonPrefix: false }));
  expect(routes.length).toBeGreaterThan(30);
  expect(routes.filter((route) => !names.includes(route))).toEqual([]);
});
