import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const member = '/organization/api/organization/user/userId/user@example.com';

describe.each(testDialects)('the address in audit events, behind a proxy that is trusted, on %s', (dialect) => {
  let organization: Organization;
  let user: User;
  let administrator: User;

  beforeAll(async () => {
    organization = await startOrganization(dialect, { trustProxy: true });
    administrator = await organization.addUser({ username: 'admin@example.com', roles: ['SystemAdministrator'] });
    user = await organization.addUser({ username: 'user@example.com', password: 'user-password' });
  });
  afterAll(() => organization.close());

  const send = async (caller: User, method: 'PATCH' | 'PUT', url: string, payload: object, forwardedFor: string) => {
    const authorization = bearer(await organization.accessToken(caller));
    const headers = { ...authorization, 'x-forwarded-for': forwardedFor };
    return (await organization.app.inject({ method, url, headers, payload })).statusCode;
  };

  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['\u00e9', '127.0.0.1'],
    ['x'.repeat(300), '127.0.0.1'],
  ])('is that of a caller or of who is connected, and the row is always there: %s', async (forwardedFor, address) => {
    expect(await send(administrator, 'PATCH', member, { firstName: 'Ada' }, forwardedFor)).toBe(200);
    const refused = { oldPassword: 'wrong', password: 'new-password' };
    expect(await send(user, 'PUT', `${member}/password`, refused, forwardedFor)).toBe(400);
    expect(await organization.deps.audit.list({ limit: 2 })).toEqual([
      expect.objectContaining({ type: 'user.password_change_refused', address }),
      expect.objectContaining({ type: 'user.changed', address }),
    ]);
  });

  it('finds them, and so does the client of an administrator, the request and the outcome', async () => {
    expect(await send(administrator, 'PATCH', member, { firstName: 'Ada' }, '2001:db8:77:2:3::4')).toBe(200);
    const authorization = bearer(await organization.accessToken(administrator));
    const find = async (query: Record<string, string>) => {
      const url = `/organization/api/organization/audit-events?${new URLSearchParams(query)}`;
      const answer = await organization.app.inject({ url, headers: authorization });
      return answer.json<{ events: Record<string, string>[] }>().events;
    };
    const [event, ...others] = await find({ address: '2001:db8:77:2::1' });
    expect([event, others]).toEqual([
      expect.objectContaining({ type: 'user.changed', client: expect.any(String) }),
      [],
    ]);
    const { request = '', client = '', address = '' } = event ?? {};
    expect(await find({ request, client, address, outcome: 'succeeded' })).toEqual([event]);
    expect(await find({ request, outcome: 'refused' })).toEqual([]);
    expect(await find({ address, type: 'user.changed,user.deleted' })).toEqual([event]);
  });

  it('is there for a wrong old password alone, and not for a refusal of any other kind', async () => {
    const change = (oldPassword: string | undefined, password: string) =>
      send(user, 'PUT', `${member}/password`, { oldPassword, password }, '198.51.100.77');
    const count = async () =>
      (await organization.deps.audit.list({ limit: 100, types: ['user.password_change_refused'] })).length;
    const before = await count();
    expect(await change('wrong', 'short')).toBe(400);
    expect(await change(undefined, 'new-password')).toBe(400);
    expect(await count()).toBe(before);
    for (let turn = 0; turn < 10; turn += 1) expect(await change('wrong', 'new-password')).toBe(400);
    expect(await change('wrong', 'new-password')).toBe(429);
    expect(await count()).toBe(before + 10);
  });
});
