import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import type { CallOptions } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findResourceFaults } from '../../src/administration/resource-rules.ts';
import { buildResourceView } from '../../src/administration/resource-view.ts';
import { createOrgApi } from '../../src/resources/org-api.ts';
import { buildResource } from '../support/builders.ts';
import { createStores } from '../support/create-stores.ts';
import { administrator, passwordOf, type Realm, startRealm, webClient } from '../support/realm.ts';

interface View {
  id: string;
  resource: string;
  name: string;
  scopes: { name: string; description: string }[];
  updatedAt: string;
}

describe('resource administration', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ EXTRA_SCOPES: 'reports:read' });
  });
  afterAll(() => realm.close());

  const manage = (path: string, options: CallOptions = {}) => realm.send(path, { basic: administrator, ...options });
  const unique = () => randomBytes(6).toString('hex');
  const bodyOf = (changes: object = {}) => ({
    resource: `https://${unique()}.example.com/orders`,
    name: 'Orders',
    scopes: [{ name: `orders:${unique()}`, description: 'see your orders' }],
    ...changes,
  });
  const create = async (changes: object = {}): Promise<View> => {
    const answer = await manage('/resources', { json: bodyOf(changes) });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.json<View>();
  };
  const expectProblem = (answer: Awaited<ReturnType<typeof manage>>, status: number, detail: RegExp) => {
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      status,
      expect.stringMatching(/^application\/problem\+json/),
      'no-store',
    ]);
    expect(answer.json()).toMatchObject({ status, detail: expect.stringMatching(detail) });
  };
  const findOrgApi = async () =>
    (await manage(`/resources?resource=${realm.orgUrl}`)).json<{ resources: [View] }>().resources[0];

  it.each<[string, string, object | undefined]>([
    ['POST', '/resources', {}],
    ['GET', '/resources', undefined],
    ['GET', '/resources/any', undefined],
    ['PATCH', '/resources/any', { name: 1 }],
    ['DELETE', '/resources/any', undefined],
  ])('%s %s is for administrators: 401, then 403, before anything else', async (method, path, json) => {
    const options: CallOptions = { method, ...(json === undefined ? {} : { json }) };
    expectProblem(await realm.send(path, options), 401, /credentials/);
    expectProblem(await realm.send(path, { ...options, basic: ['user@example.com', 'user-password'] }), 403, /role/);
  });

  it('takes an IdpAdministrator, by a token for org-api', async () => {
    const tool = await realm.register({ ...webClient, client_id: 'resource-tool' });
    const { access_token: bearer } = await realm.tokens(tool, passwordOf('idp.admin'));
    expect((await realm.send('/resources', { bearer, json: bodyOf() })).status).toBe(201);
  });

  it('registers a resource, and shows it as it is', async () => {
    const body = bodyOf({ access_token_validity: 600, dynamic_clients: true });
    const answer = await manage('/resources', { json: body });
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
    const created = answer.json<View>();
    expect(created).toEqual({
      ...body,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await manage(`/resources/${created.id}`)).json()).toEqual(created);
    const filtered = await manage(`/resources?resource=${encodeURIComponent(body.resource)}`);
    expect(filtered.json()).toEqual({ resources: [created] });
  });

  it('leaves out what was not set', async () => {
    const created = await create({ scopes: undefined });
    expect(created).toMatchObject({ scopes: [], dynamic_clients: false });
    expect(created).not.toHaveProperty('access_token_validity');
    const bare = await create({ scopes: [{ name: `bare:${unique()}` }] });
    expect(bare.scopes).toEqual([{ name: expect.stringMatching(/^bare:/), description: '' }]);
  });

  it.each<[string, object, RegExp]>([
    ['a relative URI', { resource: '/orders' }, /resource must be an absolute URI/],
    ['a URI with a fragment', { resource: 'https://a.example/#x' }, /fragment/],
    ['a URI that is no string', { resource: 1 }, /resource must/],
    ['no URI', { resource: undefined }, /resource is required/],
    ['no name', { name: undefined }, /name is required/],
    ['a name with a control character', { name: 'a\nb' }, /name must/],
    ['a name with a direction character', { name: 'a\u202eb' }, /name must/],
    ['a long name', { name: 'x'.repeat(129) }, /name must/],
    ['scopes that are no array', { scopes: 'orders:read' }, /scopes must/],
    ['a scope with a space', { scopes: [{ name: 'a b', description: '' }] }, /scopes must/],
    ['a scope without a name', { scopes: [{ description: 'x' }] }, /scopes must/],
    ['a long scope', { scopes: [{ name: 'x'.repeat(129), description: '' }] }, /scopes must/],
    ['a scope with more members', { scopes: [{ name: 'x', description: '', more: 1 }] }, /scopes must/],
    ['a description with a control character', { scopes: [{ name: 'x', description: 'a\u0000' }] }, /scopes must/],
    ['a long description', { scopes: [{ name: 'x', description: 'x'.repeat(201) }] }, /scopes must/],
    ['a repeated scope', { scopes: [{ name: 'x:1' }, { name: 'x:1' }] }, /repeated: x:1/],
    ['too many scopes', { scopes: Array.from({ length: 101 }, (_, i) => ({ name: `x${i}` })) }, /scopes must/],
    ['access_token_validity 0', { access_token_validity: 0 }, /access_token_validity must/],
    ['access_token_validity 86401', { access_token_validity: 86_401 }, /access_token_validity must/],
    ['dynamic_clients that is text', { dynamic_clients: 'yes' }, /dynamic_clients must/],
    ['an unknown member', { audience: 'x' }, /audience is not a known field/],
    ...['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'roles', 'reports:read'].map(
      (name): [string, object, RegExp] => [
        `the scope ${name} of org-api`,
        { scopes: [{ name, description: '' }] },
        new RegExp(`must not hold ${name}`),
      ],
    ),
  ])('refuses %s', async (_what, changes, detail) => {
    expectProblem(await manage('/resources', { json: bodyOf(changes) }), 400, detail);
  });

  it('refuses scopes that are too many bytes together', async () => {
    const scopesOf = (length: number) =>
      Array.from({ length: 100 }, () => ({ name: unique(), description: '語'.repeat(length) }));
    expectProblem(await manage('/resources', { json: bodyOf({ scopes: scopesOf(200) }) }), 400, /60000 bytes/);
    // Each is kept with an id.
    expectProblem(await manage('/resources', { json: bodyOf({ scopes: scopesOf(173) }) }), 400, /60000 bytes/);
    await create({ scopes: scopesOf(160) });
  });

  it('takes scopes of 60000 bytes, and not of one more', () => {
    const orgApi = createOrgApi({ baseUrl: realm.orgUrl, extraScopes: [] });
    const bytesAround = JSON.stringify([{ name: '' }]).length + 64;
    const faultsOf = (bytes: number) =>
      findResourceFaults(bodyOf({ scopes: [{ name: 'x'.repeat(bytes - bytesAround) }] }), orgApi);
    expect(faultsOf(60_000)).toEqual([]);
    expect(faultsOf(60_001)).toEqual([{ field: 'scopes', detail: 'must hold at most 60000 bytes' }]);
  });

  it('refuses a URI and a scope name that exist, and changes nothing', async () => {
    const { resource, scopes } = await create();
    expectProblem(await manage('/resources', { json: bodyOf({ resource }) }), 409, /this resource exists already/);
    const free = `free:${unique()}`;
    const taken = bodyOf({ scopes: [{ name: free }, ...scopes] });
    expectProblem(
      await manage('/resources', { json: taken }),
      409,
      new RegExp(`another resource has ${scopes[0]?.name}`),
    );
    const detail = `must be unique over all resources; another resource has ${scopes[0]?.name}`;
    expect((await manage('/resources', { json: taken })).json().errors).toEqual([{ field: 'scopes', detail }]);
    await create({ scopes: [{ name: free }] });
    const [slash, bare] = [`https://${unique()}.example/`, ''];
    await create({ resource: slash });
    expectProblem(
      await manage('/resources', { json: bodyOf({ resource: `${slash.slice(0, -1)}${bare}` }) }),
      409,
      /exists already/,
    );
  });

  it('refuses a resource that exists by its URI, whatever else is taken', async () => {
    const body = bodyOf();
    await create(body);
    const again = await manage('/resources', { json: body });
    expectProblem(again, 409, /^resource must be unique in the realm/);
    const detail = 'must be unique in the realm; this resource exists already';
    expect(again.json().errors).toEqual([{ field: 'resource', detail }]);
  });

  it('is a later version after each change, also by a replica whose clock is behind', async () => {
    const { id, updatedAt } = await create();
    const change = async () =>
      (await manage(`/resources/${id}`, { method: 'PATCH', json: { name: 'Changed' } })).json<View>().updatedAt;
    realm.advance(-5_000);
    try {
      const [second, third] = [await change(), await change()];
      expect([updatedAt, second, third].map(Date.parse)).toEqual([0, 1, 2].map((more) => Date.parse(updatedAt) + more));
    } finally {
      realm.advance(5_000);
    }
  });

  it('lists every resource once, page by page, org-api among them', async () => {
    await create();
    await create();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = (await manage(`/resources?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`)).json<{
        resources: View[];
        next_cursor?: string;
      }>();
      expect(page.resources.length).toBeLessThanOrEqual(2);
      seen.push(...page.resources.map(({ resource }) => resource));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toContain(realm.orgUrl);
    expect(new Set(seen).size).toBe(seen.length);
    const whole = await manage(`/resources?limit=${seen.length}`);
    expect(Object.keys(whole.json())).toEqual(['resources']);
    expect((await manage('/resources?limit=200')).json<{ resources: View[] }>().resources).toHaveLength(seen.length);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'resource=', 'limit=1&limit=2', 'other=1'])(
    'refuses the query %s',
    async (query) => expectProblem(await manage(`/resources?${query}`), 400, /must|not a known field/),
  );

  it('lists nothing for a URI that no resource has', async () => {
    for (const uri of ['nothing', 'x']) {
      expect((await manage(`/resources?resource=${uri}`)).json()).toEqual({ resources: [] });
    }
  });

  it('changes what is named, and nothing else', async () => {
    const created = await create({ access_token_validity: 600 });
    const path = `/resources/${created.id}`;
    const renamed = await manage(path, { method: 'PATCH', json: { name: 'Other' } });
    expect([renamed.status, renamed.json()]).toEqual([
      200,
      { ...created, name: 'Other', updatedAt: expect.any(String) },
    ]);
    const reset = await manage(path, { method: 'PATCH', json: { access_token_validity: null, dynamic_clients: true } });
    expect(reset.json()).not.toHaveProperty('access_token_validity');
    expect(reset.json()).toMatchObject({ name: 'Other', dynamic_clients: true, scopes: created.scopes });
  });

  it('gives a scope name back when it is taken away, and when the resource is deleted', async () => {
    const created = await create();
    const [{ name } = { name: '' }] = created.scopes;
    const path = `/resources/${created.id}`;
    expect((await manage(path, { method: 'PATCH', json: { scopes: [{ name: `new:${unique()}` }] } })).status).toBe(200);
    const other = await create({ scopes: [{ name }] });
    expectProblem(await manage(path, { method: 'PATCH', json: { scopes: [{ name }] } }), 409, /another resource has/);
    expect((await manage(`/resources/${other.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await manage(path, { method: 'PATCH', json: { scopes: [{ name }] } })).status).toBe(200);
    await create({ resource: other.resource, scopes: [] });
  });

  it.each<[object, RegExp]>([
    [{ resource: 'https://other.example/' }, /the URI of a resource never changes/],
    [{ name: '' }, /name must/],
    [{ name: null }, /name must/],
    [{ scopes: [{ name: 'openid' }] }, /must not hold openid/],
    [
      { access_token_validity: 1.5 },
      /access_token_validity must be an integer number of seconds from 1 to 86400, or null/,
    ],
    [{ id: 'x' }, /id is not a known field/],
  ])('refuses the change %j', async (json, detail) => {
    const { id, resource } = await create();
    expectProblem(await manage(`/resources/${id}`, { method: 'PATCH', json }), 400, detail);
    expectProblem(await manage(`/resources/${id}`, { method: 'PATCH', json: { resource } }), 400, /never changes/);
  });

  it('answers 404 to an unknown id and 400 to one that cannot be', async () => {
    const unknown = '/resources/01890a5d-ac96-774b-bcce-b302099a8057';
    expectProblem(await manage(unknown), 404, /no resource/);
    expectProblem(await manage(unknown, { method: 'PATCH', json: {} }), 404, /no resource/);
    expectProblem(await manage(unknown, { method: 'DELETE' }), 404, /no resource/);
    expectProblem(await manage('/resources/nobody'), 400, /./);
  });

  describe('org-api', () => {
    it('is there from the start, with the scopes of the configuration', async () => {
      const orgApi = await findOrgApi();
      expect(orgApi).toMatchObject({ resource: realm.orgUrl, name: 'Organization API', dynamic_clients: false });
      const names = orgApi.scopes.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['openid', 'profile', 'email', 'offline_access', 'roles']));
      expect(orgApi.scopes[0]).toEqual({ name: 'openid', description: 'confirm who you are' });
      expect(orgApi.scopes.at(-1)).toEqual({ name: 'reports:read', description: '' });
    });

    it('is shown by the URI of the configuration, however it was spelled before', () => {
      const configured = createOrgApi({ baseUrl: 'https://org.example.com', extraScopes: [] });
      const view = buildResourceView(buildResource({ resource: 'https://org.example.com/' }), configured);
      expect(view.resource).toBe('https://org.example.com');
    });

    it('cannot be deleted', async () => {
      const { id } = await findOrgApi();
      expectProblem(await manage(`/resources/${id}`, { method: 'DELETE' }), 409, /organization API cannot be deleted/);
    });

    it('takes a name and a lifetime, and no scopes', async () => {
      const { id, scopes } = await findOrgApi();
      const path = `/resources/${id}`;
      const changed = await manage(path, { method: 'PATCH', json: { name: 'Directory', access_token_validity: 300 } });
      expect(changed.json()).toMatchObject({ name: 'Directory', access_token_validity: 300, scopes });
      expectProblem(await manage(path, { method: 'PATCH', json: { scopes: [{ name: 'x:y' }] } }), 400, /EXTRA_SCOPES/);
      expectProblem(await manage(path, { method: 'PATCH', json: { dynamic_clients: true } }), 400, /dynamic_clients/);
      await manage(path, { method: 'PATCH', json: { access_token_validity: null } });
    });
  });

  it('writes each change into the audit trail', async () => {
    const { id, resource, name, scopes } = await create();
    await manage(`/resources/${id}`, { method: 'PATCH', json: { name: 'Other' } });
    await manage(`/resources/${id}`, { method: 'DELETE' });
    const { events } = (await manage(`/audit-events?subject=${id}`)).json<{ events: Record<string, unknown>[] }>();
    expect(events).toMatchObject([
      { type: 'resource.deleted', details: {} },
      {
        type: 'resource.changed',
        details: { fields: ['name'], changes: [{ field: 'name', from: name, to: 'Other' }] },
      },
      {
        type: 'resource.created',
        actor: { kind: 'user', name: administrator[0] },
        subject: { kind: 'resource', id, name: resource },
        details: { scopes: scopes.map(({ name }) => name) },
      },
    ]);
  });

  it('has at most a thousand resources', async () => {
    const { resources } = createStores(realm.deps.database);
    const shared = { name: 'Orders', scopes: [], accessTokenValidity: undefined, dynamicClients: false };
    const times = { createdAt: realm.clock(), updatedAt: realm.clock() };
    for (let count = await resources.count(); count < 999; count += 1) {
      await resources.insert({ id: createId(), resource: `https://api${count}.example.com/`, ...shared, ...times });
    }
    await create();
    expectProblem(await manage('/resources', { json: bodyOf() }), 409, /1000/);
  });
});
