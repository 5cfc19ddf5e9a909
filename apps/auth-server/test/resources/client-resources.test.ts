import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { administrator, type Realm, startRealm, webClient } from '../support/realm.ts';
import { administerResources, type RegisteredResource } from '../support/resources.ts';

describe('the resources of a client', () => {
  let realm: Realm;
  let resources: ReturnType<typeof administerResources>;
  let orders: RegisteredResource;
  let read: string;
  beforeAll(async () => {
    realm = await startRealm({ EXTRA_SCOPES: 'reports:read' });
    resources = administerResources(realm);
  });
  afterAll(() => realm.close());
  beforeEach(async () => {
    orders = await resources.create();
    read = orders.scopes[0]?.name ?? '';
  });

  const bodyOf = (changes: object) => ({
    ...webClient,
    client_id: `client-${randomBytes(6).toString('hex')}`,
    ...changes,
  });
  const post = (json: object) => realm.send('/clients', { basic: administrator, json });
  const patch = (client_id: string, json: object) =>
    realm.send(`/clients/${client_id}`, { method: 'PATCH', basic: administrator, json });
  const read_ = async (client_id: string) =>
    (await realm.send(`/clients/${client_id}`, { basic: administrator })).json<Record<string, unknown>>();
  const register = async (changes: object = {}) => {
    const body = bodyOf({ resources: [realm.orgUrl, orders.resource], scope: ['openid', read], ...changes });
    const answer = await post(body);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return body.client_id;
  };

  it('are shown as they were registered, and may have their scopes', async () => {
    const bare = await resources.create({ resource: `https://${randomBytes(6).toString('hex')}.example.com` });
    const id = await register({
      resources: [`${realm.orgUrl}/`, orders.resource, `${bare.resource}/`],
      default_resource: `${bare.resource}/`,
      scope: ['openid', 'reports:read', read],
    });
    expect(await read_(id)).toMatchObject({
      resources: [realm.orgUrl, orders.resource, bare.resource],
      default_resource: bare.resource,
      scope: ['openid', 'reports:read', read],
    });
  });

  const refusals: [string, () => object, RegExp][] = [
    [
      'an unknown resource',
      () => ({ resources: [realm.orgUrl, 'https://nobody.example/'] }),
      /resources entry 2 must be/,
    ],
    ['no resource', () => ({ resources: [] }), /resources must/],
    ['a resource twice', () => ({ resources: [orders.resource, orders.resource] }), /resources must/],
    ['a resource that is no text', () => ({ resources: [1] }), /resources must/],
    ['an empty resource', () => ({ resources: [''] }), /resources must/],
    ['a resource that is too long', () => ({ resources: [`https://${'x'.repeat(2048)}`] }), /resources must/],
    ['resources that are no array', () => ({ resources: orders.resource }), /resources must/],
    ['resources as null', () => ({ resources: null }), /resources must/],
    ['101 resources', () => ({ resources: Array.from({ length: 101 }, (_, i) => `https://a${i}/`) }), /resources must/],
    [
      'no default where org-api is none',
      () => ({ resources: [orders.resource] }),
      /default_resource is required where/,
    ],
    [
      'a default that is none of them',
      () => ({ resources: [realm.orgUrl], default_resource: orders.resource }),
      /default_resource must be one of resources/,
    ],
    [
      'a default without resources',
      () => ({ resources: undefined, scope: ['openid'], default_resource: orders.resource }),
      /default_resource must be one of resources/,
    ],
    [
      'an unknown scope',
      () => ({ scope: ['openid', 'nothing'] }),
      /scope must hold only scopes of its resources; unknown scope "nothing": register the API that has it \(POST \/resources\)/,
    ],
    [
      'a scope of another resource',
      () => ({ resources: [realm.orgUrl] }),
      /scope must hold only scopes of its resources/,
    ],
    [
      'an extra scope without org-api',
      () => ({ resources: [orders.resource], default_resource: orders.resource, scope: ['reports:read'] }),
      /scope must hold only/,
    ],
    [
      'a scope of a resource without resources',
      () => ({ resources: undefined }),
      /scope must be an array of at least one of openid, .*, without repeats; unknown scope "[0-9a-f]+:read": register the API/,
    ],
    ['a scope with a space', () => ({ scope: ['open id'] }), /scope must/],
    ['no scope', () => ({ scope: [] }), /scope must/],
    ['201 scopes', () => ({ scope: Array.from({ length: 201 }, (_, i) => `s${i}`) }), /scope must/],
    [
      'scopes of too many characters',
      () => ({ scope: Array.from({ length: 20 }, (_, i) => `${i}${'x'.repeat(200)}`) }),
      /scope must have at most 2048 characters/,
    ],
  ];
  it.each(refusals)('are refused with %s', async (_what, changes, reason) => {
    const answer = await post(
      bodyOf({ resources: [realm.orgUrl, orders.resource], scope: ['openid', read], ...changes() }),
    );
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(reason)]);
  });

  it('are checked by a change for what it sends', async () => {
    const id = await register();
    await resources.delete(orders.id);
    expect((await patch(id, { client_name: 'Shop' })).status).toBe(200);
    expect(await read_(id)).toMatchObject({ resources: [realm.orgUrl, orders.resource], scope: ['openid', read] });
    expect((await patch(id, { scope: ['openid', read] })).text).toMatch(/scope must hold only/);
    expect((await patch(id, { resources: [realm.orgUrl, orders.resource] })).text).toMatch(/resources entry 2/);
    expect((await patch(id, { resources: [orders.resource] })).status).toBe(400);
    expect((await patch(id, { default_resource: orders.resource })).text).toMatch(/default_resource must be the URI/);
    expect((await patch(id, { resources: null, scope: ['openid'] })).status).toBe(200);
    expect(await read_(id)).not.toHaveProperty('resources');
    expect((await patch(id, { scope: ['nothing'] })).text).toMatch(
      /scope must be an array of at least one of openid, .*; unknown scope \\"nothing\\": register the API that has it/,
    );
  });

  const remove = () => realm.send(`/resources/${orders.id}`, { method: 'DELETE', basic: administrator });
  const namesOf = (ids: readonly string[]) => [...ids].sort().join(', ');

  it('cannot lose the default: deleting it is 409 and names the clients', async () => {
    const ids = [];
    for (let turn = 0; turn < 3; turn += 1) {
      ids.push(await register({ default_resource: orders.resource }));
      const refused = await remove();
      expect([refused.status, refused.json().detail]).toEqual([
        409,
        `the resource is the default_resource of the clients ${namesOf(ids)}; change them first`,
      ]);
    }
    for (const id of ids) expect((await patch(id, { default_resource: null })).status).toBe(200);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
  });

  it('are the default of more than ten clients: ten are named', async () => {
    const ids: string[] = [];
    const registerMore = async (count: number) => {
      for (; ids.length < count; ) ids.push(await register({ default_resource: orders.resource }));
      return (await remove()).json<{ detail: string }>().detail;
    };
    expect(await registerMore(10)).toContain(`clients ${namesOf(ids)}; change`);
    expect(await registerMore(11)).toContain(`clients ${namesOf(ids).split(', ').slice(0, 10).join(', ')} and more;`);
  });
});
