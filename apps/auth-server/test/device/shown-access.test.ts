import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createFindShownAccess } from '../../src/device/shown-access.ts';
import { type GrantedResource, orgApiId } from '../../src/resources/granted-resource.ts';
import { createOrgApi } from '../../src/resources/org-api.ts';
import { createFindShownResource } from '../../src/resources/requested-access.ts';
import type { Resource } from '../../src/resources/resource.ts';
import { buildResource } from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const orgApi = createOrgApi({ baseUrl: 'https://org.example.com', extraScopes: [] });
const granted = (resource: Resource): GrantedResource => ({
  id: resource.id,
  resource: resource.resource,
  scopes: resource.scopes.map(({ id, name }) => ({ id, name })),
});
const ofOrgApi: GrantedResource = { id: orgApiId, resource: orgApi.uri, scopes: [] };

describe.each(testDialects)('what the page of a device shows of its access, on %s', (dialect) => {
  let test: TestStores;
  const [orders, gone] = [buildResource(), buildResource()];
  const [name = ''] = orders.scopes.map((scope) => scope.name);
  beforeAll(async () => {
    test = await openStores(dialect);
    await test.resources.insert(orders);
  });
  afterAll(() => test.close());

  const find = (code: Parameters<ReturnType<typeof createFindShownAccess>>[0]) => {
    const { resources } = test;
    return createFindShownAccess({ orgApi, resources, findShownResource: createFindShownResource({ resources }) })(
      code,
    );
  };
  const shownOrgApi = (shownName: string, ...scope: string[]) => ({
    name: shownName,
    resource: orgApi.uri,
    scopes: scope.map((one) => ({ id: one, name: one, description: '' })),
  });
  const shownOrders = { name: orders.name, resource: orders.resource, scopes: orders.scopes };

  it('is org-api by its URI with its scopes, where no administrator gave it a name', async () => {
    const resources = [shownOrgApi(orgApi.uri, 'openid', 'roles')];
    const shown = { scope: [], claims: [], resources };
    expect(await find({ scope: ['openid', 'roles'], resources: undefined })).toEqual(shown);
  });

  it('is org-api beside the others, each with its own scopes', async () => {
    const code = { scope: ['openid', name], resources: [granted(orders), ofOrgApi] };
    const resources = [shownOrgApi(orgApi.uri, 'openid'), shownOrders];
    expect(await find(code)).toEqual({ scope: [], claims: [], resources });
  });

  it('is no org-api where it was not asked for: what remains of the scope is about the person', async () => {
    const code = { scope: ['openid', name], resources: [granted(orders)] };
    expect(await find(code)).toEqual({ scope: ['openid'], claims: [], resources: [shownOrders] });
  });

  it('is nothing of a resource that is gone', async () => {
    const code = { scope: ['openid', name], resources: [granted(gone), granted(orders)] };
    expect(await find(code)).toEqual({ scope: ['openid'], claims: [], resources: [shownOrders] });
  });

  it('is org-api by the name that an administrator gave it', async () => {
    await test.resources.insert(buildResource({ resource: orgApi.uri, name: 'People', scopes: [] }));
    const resources = [shownOrgApi('People', 'openid')];
    expect(await find({ scope: ['openid'], resources: undefined })).toEqual({ scope: [], claims: [], resources });
  });
});
