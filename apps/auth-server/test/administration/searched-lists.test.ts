import { randomBytes } from 'node:crypto';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DynamicClients, registerDynamically } from '../support/dynamic-clients.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { administerResources } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

interface Page {
  resources?: { id: string }[];
  registration_tokens?: { id: string; uses_left: number }[];
  next_cursor?: string;
  total?: number;
  total_is_exact?: boolean;
}

describe.each(testDialects)('searched lists of resources and registration tokens on %s', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;

  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'token' });
    dynamic = registerDynamically(realm);
  });
  afterAll(() => realm.close());

  const get = (path: string, query: Record<string, string>) =>
    realm.send(`${path}?${new URLSearchParams(query)}`, { basic: administrator });
  const list = async (path: string, query: Record<string, string>): Promise<Page> => {
    const answer = await get(path, query);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json<Page>();
  };
  const resourceIds = async (query: Record<string, string>) =>
    (await list('/resources', query)).resources?.map(({ id }) => id);
  const unique = () => `k${randomBytes(5).toString('hex')}`;
  const walk = async (path: string, query: Record<string, string>) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(path, { limit: '1', ...query, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...(page.resources ?? page.registration_tokens ?? []).map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return seen;
  };

  it('finds resources by name, URI and scope, and by whether they are open', async () => {
    const key = unique();
    const { create } = administerResources(realm);
    const orders = await create({
      resource: `https://orders.${key}.example.com/v1`,
      name: 'Örders API',
      scopes: [{ name: `${key}:read`, description: 'read' }],
      dynamic_clients: true,
    });
    const stock = await create({ name: `Stock ${key}`, scopes: [{ name: `stock${key}:all`, description: 'all' }] });
    expect(await resourceIds({ search: key })).toEqual([orders.id, stock.id]);
    expect(await resourceIds({ search: `ÖRDERS ${key}` })).toEqual([orders.id]);
    expect(await resourceIds({ search: `${key} read` })).toEqual([orders.id]);
    expect(await resourceIds({ search: `stock${key}` })).toEqual([stock.id]);
    expect(await resourceIds({ search: `${key} v1` })).toEqual([orders.id]);
    expect(await resourceIds({ search: key, dynamic_clients: 'true' })).toEqual([orders.id]);
    expect(await resourceIds({ search: key, dynamic_clients: 'false' })).toEqual([stock.id]);
    expect(await resourceIds({ search: key.slice(1) })).toEqual([]);
    expect(await resourceIds({ search: `${key} %` })).toEqual([]);
    expect(await resourceIds({ resource: orders.resource, search: 'stock' })).toEqual([]);
    expect(await list('/resources', { resource: orders.resource, total: 'true' })).toMatchObject({ total: 1 });
    expect(await walk('/resources', { search: key })).toEqual([orders.id, stock.id]);
    const counted = { total: 2, total_is_exact: true };
    expect(await list('/resources', { search: key, limit: '1', total: 'true' })).toMatchObject(counted);
    const { total } = await list('/resources', { total: 'true', limit: '1' });
    expect(total).toBe((await walk('/resources', {})).length);
  });

  it('finds resources beyond the first batch', async () => {
    const key = unique();
    const { create } = administerResources(realm);
    for (let n = 0; n < 205; n += 1) await create();
    const last = await create({ name: key });
    expect(await resourceIds({ search: key })).toEqual([last.id]);
    expect((await list('/resources', { total: 'true', limit: '1' })).total).toBeGreaterThan(205);
  });

  it('lists the registration tokens that have a use left, and counts them', async () => {
    const used = await dynamic.createToken({ uses: 1 });
    await dynamic.createToken({ uses: 2 });
    await dynamic.createToken({ uses: 1 });
    await dynamic.register(undefined, used);
    const all = await list('/registration-tokens', { total: 'true' });
    expect([all.total, all.total_is_exact]).toEqual([3, true]);
    const usable = await list('/registration-tokens', { usable: 'true', total: 'true' });
    expect([usable.total, usable.registration_tokens?.map(({ uses_left }) => uses_left)]).toEqual([2, [2, 1]]);
    expect(await walk('/registration-tokens', { usable: 'true' })).toHaveLength(2);
    expect(await list('/registration-tokens', {})).not.toHaveProperty('total');
  });

  it.each([
    ['/resources', 'search=', 'search must be a text of 1 to 64 characters'],
    ['/resources', 'search=a+b+c+d+e', 'search must hold one to 4 words'],
    ['/resources', 'dynamic_clients=yes', 'dynamic_clients must be true or false'],
    ['/registration-tokens', 'usable=false', 'usable must be true'],
    ['/registration-tokens', 'total=1', 'total must be true or false'],
    ['/registration-tokens', 'usable=true&usable=true', 'usable must stand in the query only once'],
  ])('refuses %s?%s', async (path, query, detail) => {
    const answer = await realm.send(`${path}?${query}`, { basic: administrator });
    expect([answer.status, answer.json().detail]).toEqual([400, detail]);
  });
});
