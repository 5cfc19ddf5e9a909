import { listOperationsOf, readRoutes } from '@gatehouse/fuzz';
import { readProductionIngress } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Organization, startOrganization } from './support/organization.ts';

let organization: Organization;
beforeAll(async () => {
  organization = await startOrganization('sqlite');
});
afterAll(() => organization.close());

it('generated requests go to every route of org-api', async () => {
  const { app } = organization;
  const known = listOperationsOf('org-api', (await app.inject('/openapi.json')).json());
  const names = known.map(({ method, path }) => `${method} ${path}`);
  const routes = readRoutes(app.printRoutes({ commonPrefix: false }));
  expect(routes.length).toBeGreaterThan(15);
  expect(routes.filter((route) => !names.includes(route))).toEqual([]);
});

it('the Ingress of production leads to every route, and to none that stays inside the cluster', () => {
  const isLed = readProductionIngress('org-api');
  const paths = readRoutes(organization.app.printRoutes({ commonPrefix: false })).map(
    (route) => route.split(' ')[1] ?? '',
  );
  const isInside = (path: string) => /^\/(health|metrics|internal)(\/|$)/.test(path);
  expect(paths.filter((path) => isLed(path) === isInside(path))).toEqual([]);
  expect(paths.filter(isInside)).not.toEqual([]);
});
