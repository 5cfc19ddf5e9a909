import { ConfigError, createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrgApi, registerOrgApi } from '../src/resources/org-api.ts';
import type { Resource } from '../src/resources/resource.ts';
import { start } from './support/builders.ts';
import { openStores, type TestStores } from './support/stores.ts';

const baseUrl = 'https://api.example.com';

describe.each(testDialects)('the scopes that EXTRA_SCOPES gives to org-api, on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const register = (...extraScopes: string[]) =>
    registerOrgApi({ ...test, orgApi: createOrgApi({ baseUrl, extraScopes }), clock: () => start });
  const findOrgApi = () => test.resources.findByUri(baseUrl);
  const insert = async (resource: string, shown: readonly string[], taken = shown) => {
    const scopes = [...new Set([...shown, ...taken])].map((name) => ({ id: createId(), name, description: '' }));
    const common = { name: 'Orders', accessTokenValidity: undefined, dynamicClients: false };
    const id = createId();
    for (const scope of scopes) if (taken.includes(scope.name)) await test.scopeNames.take(id, scope, start);
    const own = scopes.filter(({ name }) => shown.includes(name));
    const built: Resource = { id, resource, scopes: own, ...common, createdAt: start, updatedAt: start };
    await test.resources.insert(built);
    return built;
  };

  it('leave org-api where it is once it is there', async () => {
    expect(await findOrgApi()).toBeUndefined();
    await register('reports:read');
    const registered = await findOrgApi();
    expect(registered).toMatchObject({ resource: baseUrl, name: 'Organization API', scopes: [], createdAt: start });
    await register();
    expect(await findOrgApi()).toEqual(registered);
  });

  it('stop the start where another resource has one of them, and name both', async () => {
    await insert('https://orders.example.com', ['orders:list', 'orders:read']);
    await expect(register('reports:read', 'orders:read')).rejects.toEqual(
      new ConfigError(
        'EXTRA_SCOPES must not hold orders:read, a scope of the resource https://orders.example.com; rename one of the two',
      ),
    );
    await expect(register('orders:write')).resolves.toBeUndefined();
  });

  it('stop nothing where a name was taken and its resource does not show it, or is not there', async () => {
    await insert('https://bills.example.com', ['bills:list'], ['bills:list', 'bills:pay']);
    await test.scopeNames.take(createId(), { id: createId(), name: 'nobody:read', description: '' }, start);
    await expect(register('bills:pay', 'nobody:read')).resolves.toBeUndefined();
    await expect(register('bills:list')).rejects.toThrow('bills:list');
  });

  it('may be those of a resource that became org-api by another BASE_URL', async () => {
    const moved = 'https://moved.example.com/';
    await insert(moved, ['moved:read']);
    await expect(register('moved:read')).rejects.toThrow('moved:read');
    const orgApi = createOrgApi({ baseUrl: 'https://moved.example.com', extraScopes: ['moved:read'] });
    await expect(registerOrgApi({ ...test, orgApi, clock: () => start })).resolves.toBeUndefined();
  });
});
