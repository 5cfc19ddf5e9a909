import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const kinds = [
  ['clients', { ...webClient, client_id: 'shop' }, 'client_id'],
  ['resources', { resource: 'https://orders.example.com', name: 'Orders' }, 'id'],
  ['issuers', { issuer: 'https://issuer.example.com', name: 'Builds' }, 'id'],
  ['upstreams', { alias: 'corp', display_name: 'Corp', kind: 'github', client_id: 'a', client_secret: 'b' }, 'alias'],
] as const;

describe.each(testDialects)('the project that administers an object, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
  });
  afterAll(() => realm.close());

  const send = (method: string, path: string, json?: object) =>
    realm.send(path, {
      ...{ method, basic: administrator, headers: { accept: 'application/problem+json' } },
      ...(json === undefined ? {} : { json }),
    });
  const show = async (path: string) => (await send('GET', path)).json<{ managed_by?: string }>();

  it.each(kinds)('is a member of %s, set, changed and taken away', async (many, body, key) => {
    for (const managed_by of ['configuration', 'Shop', 'a'.repeat(65), '', null]) {
      const refused = await send('POST', `/${many}?dry_run=true`, { ...body, managed_by });
      expect([managed_by, refused.status, refused.text]).toEqual([
        managed_by,
        400,
        expect.stringContaining('managed_by'),
      ]);
    }
    const made = await realm.send(`/${many}`, {
      ...{ basic: administrator, json: { ...body, managed_by: 'shop-1' } },
      headers: { prefer: 'return=representation', accept: 'application/json' },
    });
    const { [key]: id } = ((answer) => answer.client ?? answer)(
      made.json<Record<string, string> & { client?: never }>(),
    );
    const path = `/${many}/${id}`;
    expect((await show(path)).managed_by).toBe('shop-1');
    const list = await send('GET', `/${many}?limit=50`);
    expect(list.json<Record<string, object[]>>()[many]).toContainEqual(
      expect.objectContaining({ managed_by: 'shop-1' }),
    );
    expect((await send('PATCH', path, { managed_by: 'configuration' })).status).toBe(400);
    expect((await send('PATCH', path, { managed_by: 'other' })).json()).toMatchObject({ managed_by: 'other' });
    const dry = await send('PATCH', `${path}?dry_run=true`, { managed_by: null });
    expect(dry.json()).toMatchObject({ changes: [{ field: 'managed_by', from: 'other' }] });
    expect((await send('PATCH', path, { managed_by: null })).status).toBe(200);
    expect(await show(path)).not.toHaveProperty('managed_by');
  });

  it('filters the list of clients', async () => {
    for (const [client_id, managed_by] of [
      ['one', 'mine'],
      ['two', 'mine'],
      ['three', 'theirs'],
    ] as const) {
      await realm.register({ ...webClient, ...{ client_id, managed_by } });
    }
    const listed = async (project: string) =>
      (await send('GET', `/clients?limit=10&managed_by=${project}`))
        .json<{ clients: { client_id: string }[] }>()
        .clients.map(({ client_id }) => client_id);
    expect([await listed('mine'), await listed('theirs'), await listed('nobody')]).toEqual([
      ['one', 'two'],
      ['three'],
      [],
    ]);
    await send('PATCH', '/clients/two', { managed_by: 'theirs' });
    expect([await listed('mine'), await listed('theirs')]).toEqual([['one'], ['three', 'two']]);
  });
});
