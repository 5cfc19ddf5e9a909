import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const path = '/organization/api/organization/refusals';
const users = '/organization/api/organization/user';

interface Page {
  refusals: Record<string, unknown>[];
  nextCursor?: string;
}

describe.each(testDialects)('refusals of org-api on %s', (dialect) => {
  let organization: Organization;
  let administrator: User;
  let user: User;
  let requests = 0;
  beforeAll(async () => {
    organization = await startOrganization(dialect, { trustProxy: true });
    administrator = await organization.addUser({ username: 'Admin@Example.com', roles: ['SystemAdministrator'] });
    user = await organization.addUser({ username: 'user@example.com', roles: ['IdpAdministrator'] });
  });
  afterAll(() => organization.close());

  const send = async (caller: User | undefined, url: string, more: { method?: 'POST'; payload?: object } = {}) => {
    requests += 1;
    const authorization = caller === undefined ? {} : bearer(await organization.accessToken(caller));
    const headers = { ...authorization, 'x-request-id': `request-${requests}`, 'x-forwarded-for': '2001:db8:1:2:3::4' };
    return organization.app.inject({ url, headers, ...more });
  };
  const list = async (query: Record<string, string>) => {
    const answer = await send(administrator, `${path}?${new URLSearchParams(query)}`);
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json<Page>();
  };
  const refuse = async (...request: Parameters<typeof send>) => {
    const { statusCode } = await send(...request);
    expect(statusCode).toBeGreaterThan(399);
    const { refusals } = await list({ request: `request-${requests}` });
    expect(refusals).toHaveLength(1);
    return refusals[0];
  };

  it('say why, what to do, and from where the request came', async () => {
    expect(await refuse(user, `${path}?limit=1`)).toEqual({
      id: expect.any(String),
      request: expect.stringMatching(/^request-\d+$/),
      time: expect.stringMatching(/^2026-01-01T12:/),
      operation: 'listRefusals',
      status: 403,
      code: 'forbidden',
      reason: 'this request requires SystemAdministrator',
      advice: expect.stringContaining('Give the user the role'),
      client: 'my-app',
      user: 'user@example.com',
      network: '2001:db8:1:2::/64',
    });
  });

  it('are kept of tokens, of users who are not there, and of bodies, without what came', async () => {
    const authorization = { authorization: 'Bearer a.b.c', 'x-request-id': 'of-a-bad-token' };
    await organization.app.inject({ url: users, headers: authorization });
    const { refusals } = (await send(administrator, `${path}/of-a-bad-token`)).json<Page>();
    expect(refusals).toEqual([
      expect.objectContaining({ operation: 'listUsers', status: 401, code: 'invalid_token', network: '127.0.0.1' }),
    ]);
    expect(refusals[0]).not.toHaveProperty('client');
    expect(await refuse(administrator, `${users}/allDetails/userId/secret@example.com`)).toEqual(
      expect.objectContaining({ code: 'not_found', user: 'admin@example.com', reason: 'no user has this username' }),
    );
    const payload = { username: 'not a name: secret', my_secret: 'secret' };
    expect(JSON.stringify(await refuse(administrator, users, { method: 'POST', payload }))).not.toMatch(/secret/);
    expect(await refuse(undefined, '/internal/directory/settings', { method: 'POST', payload: {} })).toEqual(
      expect.objectContaining({ status: 401, code: expect.any(String) }),
    );
  });

  it('are listed newest first, a page at a time, by each filter', async () => {
    const from = new Date(organization.time.now + 1).toISOString();
    organization.time.now += 1_000;
    const [older, newer] = [await refuse(administrator, `${users}?limit=0`), await refuse(user, `${path}?limit=0`)];
    const first = await list({ from, limit: '1' });
    expect(first).toEqual({ refusals: [newer], nextCursor: newer?.id });
    expect(await list({ from, cursor: String(first.nextCursor) })).toEqual({ refusals: [older] });
    expect(await list({ from, user: 'ADMIN@example.com' })).toEqual({ refusals: [older] });
    expect(await list({ from, client: 'my-app', status: '400' })).toEqual({ refusals: [older] });
    expect(await list({ from, code: 'forbidden' })).toEqual({ refusals: [newer] });
  });

  it('of an unknown request there are none', async () => {
    const answer = await send(administrator, `${path}/never-sent`);
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
      404,
      'no refusal of this request is kept: it is older than a day, was left out, or succeeded',
    ]);
  });

  it('are for a SystemAdministrator alone', async () => {
    for (const url of [path, `${path}/request-1`]) {
      expect((await send(user, url)).statusCode).toBe(403);
      expect((await send(undefined, url)).statusCode).toBe(401);
    }
  });
});
