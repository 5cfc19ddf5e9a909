import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

describe.each(testDialects)('what names a group, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
  });
  afterAll(() => realm.close());

  const send = (method: string, path: string, json?: object) =>
    realm.send(path, { method, basic: administrator, ...(json === undefined ? {} : { json }) });
  const list = async (path: string, many: 'clients' | 'resources', key: string) => {
    const listed = (await send('GET', path)).json<Record<typeof many, Record<string, string>[]>>();
    return listed[many].map(({ [key]: value }) => value);
  };

  it('lists the clients that let it in, without regard to case', async () => {
    for (const [client_id, allowed_groups] of [
      ['one', ['staff/IT', 'guests']],
      ['two', ['staff']],
      ['three', undefined],
    ] as const) {
      await realm.register({ ...webClient, client_id, ...(allowed_groups && { allowed_groups }) });
    }
    const letIn = (group: string) =>
      list(`/clients?limit=10&allowed_group=${encodeURIComponent(group)}`, 'clients', 'client_id');
    expect([await letIn('Staff/it'), await letIn('staff'), await letIn('nobody')]).toEqual([['one'], ['two'], []]);
    await send('PATCH', '/clients/two', { allowed_groups: ['STAFF/IT'] });
    await send('PATCH', '/clients/one', { allowed_groups: null });
    expect([await letIn('staff/it'), await letIn('staff')]).toEqual([['two'], []]);
    expect((await send('GET', '/clients?allowed_group=')).status).toBe(400);
  });

  it('lists the APIs whose tokens carry it, by its name or by a beginning', async () => {
    for (const [name, groups] of [
      ['a', ['Staff/it']],
      ['b', ['staff/*', 'guests']],
      ['c', undefined],
    ] as const) {
      await send('POST', '/resources', { resource: `https://${name}.example.com`, name, ...(groups && { groups }) });
    }
    const carry = (group: string) => list(`/resources?group=${encodeURIComponent(group)}`, 'resources', 'name');
    expect([await carry('staff/IT'), await carry('staff/hr'), await carry('staff')]).toEqual([['a', 'b'], ['b'], []]);
    expect((await send('GET', '/resources?group=staff/hr&total=true')).json()).toMatchObject({ total: 1 });
  });
});
