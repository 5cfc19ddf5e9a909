import { listOperationsOf, readRoutes } from '@gatehouse/fuzz';
import { readProductionIngress } from '@gatehouse/test-kit';
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

it('the Ingress of production leads to every route, and to none that stays inside the cluster', () => {
  const isLed = readProductionIngress('auth-server');
  const paths = readRoutes(realm.app.printRoutes({ commonPrefix: false })).map((route) => route.split(' ')[1] ?? '');
  const isInside = (path: string) => /^\/(health|metrics|internal)(\/|$)/.test(path);
  expect(paths.filter((path) => isLed(path) === isInside(path))).toEqual([]);
  expect(paths.filter(isInside)).not.toEqual([]);
});
