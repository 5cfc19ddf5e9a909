import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, type Realm, startRealm } from '../support/realm.ts';

describe.each([
  ['false', '127.0.0.1'],
  ['1', '198.51.100.7'],
  ['2', '203.0.113.1'],
  ['true', '203.0.113.1'],
])('where TRUST_PROXY is %s', (trustProxy, address) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ TRUST_PROXY: trustProxy });
  });
  afterAll(() => realm.close());

  it(`a caller that came through two proxies is taken for ${address}`, async () => {
    const headers = { 'x-forwarded-for': '203.0.113.1, 198.51.100.7' };
    await realm.send('/clients', { basic: [administrator[0], 'wrong'], headers });
    const { events } = (await realm.send('/audit-events', { basic: administrator })).json<{ events: object[] }>();
    expect(events).toEqual([expect.objectContaining({ type: 'administrator.refused', address })]);
  });
});

describe('where the proxy in front writes ports too', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ TRUST_PROXY: '1' });
  });
  afterAll(() => realm.close());

  it.each([
    ['203.0.113.1:50123', '203.0.113.1'],
    ['[2001:db8::1]:50123', '2001:db8:0:0::/64'],
  ])('a caller from %s is taken for %s', async (forwarded, address) => {
    await realm.send('/clients', {
      basic: [administrator[0], 'wrong'],
      headers: { 'x-forwarded-for': forwarded },
    });
    const { events } = (await realm.send('/audit-events', { basic: administrator })).json<{ events: object[] }>();
    expect(events).toContainEqual(expect.objectContaining({ type: 'administrator.refused', address }));
  });
});
