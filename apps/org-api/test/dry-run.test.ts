import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const collection = '/organization/api/organization/user';
const member = (username: string) => `${collection}/userId/${encodeURIComponent(username)}`;
const tried = (url: string) => `${url}?dry_run=true`;
/** The id of the request is another one each time. */
const withoutId = (text: string) => text.replace(/urn:request:[^"]*/, '');

interface DryRun {
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
  changes: { field: string; from?: unknown; to?: unknown }[];
  ends: { what: string }[];
}

describe.each(testDialects)('a dry run of user administration on %s', (dialect) => {
  let organization: Organization;
  let admin: User;
  let names = 0;
  beforeAll(async () => {
    organization = await startOrganization(dialect);
    admin = await organization.addUser({
      username: 'admin@example.com',
      password: 'a long enough password',
      roles: ['SystemAdministrator'],
    });
  });
  afterAll(() => organization.close());

  type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
  const send = async (
    method: Method,
    url: string,
    { body, headers = {}, by = admin }: { body?: object; headers?: Record<string, string>; by?: User } = {},
  ) =>
    organization.app.inject({
      method,
      url,
      headers: {
        ...bearer(await organization.accessToken(by)),
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  const runOf = async (method: Method, url: string, body?: object): Promise<DryRun> => {
    const { statusCode, headers, ...answer } = await send(method, tried(url), { ...(body && { body }) });
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(answer.body).not.toMatch(/argon2|a long enough password/);
    return answer.json<DryRun>();
  };
  const unique = () => {
    names += 1;
    return `tried.${names}@example.com`;
  };
  const addUser = (more: object = {}) => organization.addUser({ username: unique(), ...more });
  /** What administrators would see of an act: users and events. */
  const look = async () => {
    const types = ['created', 'changed', 'disabled', 'deleted', 'invited'].map((done) => `user.${done}`);
    const urls = [`${collection}?limit=200`, `/organization/api/organization/audit-events?limit=200&type=${types}`];
    return Promise.all(urls.map(async (url) => (await send('GET', url)).json()));
  };

  it('makes no user, and shows the one that would be made', async () => {
    const body = {
      username: unique(),
      password: 'a long enough password',
      nickname: 'Uschi',
      roles: ['DirectoryReader'],
    };
    const seen = await look();
    const { before, after, changes, ends } = await runOf('POST', collection, body);
    expect([before, ends]).toEqual([undefined, []]);
    expect(changes).toContainEqual({ field: 'nickname', to: 'Uschi' });
    expect(await look()).toEqual(seen);
    const { id: _1, createdAt: _2, updatedAt: _3, ...made } = (await send('POST', collection, { body })).json();
    expect(after).toEqual(made);
  });

  it('says what a change would change and end, and changes nothing', async () => {
    const { username } = await addUser({ password: 'a long enough password' });
    const url = member(username);
    const seen = await look();
    const body = { nickname: 'Uschi', email: 'other@example.com', emailVerified: true, enabled: false };
    const { before, after, changes, ends } = await runOf('PATCH', url, body);
    expect(before).toEqual((await send('GET', url)).json());
    expect(after).toEqual({ ...before, ...body });
    expect(changes.map(({ field }) => field).sort()).toEqual(['email', 'emailVerified', 'enabled', 'nickname']);
    expect(ends).toEqual(['access_tokens', 'refresh_tokens', 'codes', 'sessions'].map((what) => ({ what })));
    expect(await look()).toEqual(seen);
    expect((await runOf('PATCH', url, { nickname: 'Uschi' })).ends).toEqual([]);
    const { updatedAt: _1, ...done } = (await send('PATCH', url, { body })).json();
    const { updatedAt: _2, ...planned } = after as Record<string, unknown>;
    expect(done).toEqual(planned);
    expect((await runOf('PATCH', url, { enabled: false })).ends).toEqual([]);
  });

  it('deletes no user', async () => {
    const { username } = await addUser();
    const seen = await look();
    const { before, after, changes, ends } = await runOf('DELETE', member(username));
    expect([before, after]).toEqual([(await send('GET', member(username))).json(), undefined]);
    expect(changes).toContainEqual({ field: 'username', from: username });
    expect(ends.map(({ what }) => what)).toEqual(['access_tokens', 'refresh_tokens', 'codes', 'sessions', 'consents']);
    expect(await look()).toEqual(seen);
  });

  it('is refused as the act itself is, with the same words', async () => {
    const { username } = await addUser();
    const stale = { headers: { 'if-match': '"stale"' } };
    const acts: [Method, string, Parameters<typeof send>[2]?][] = [
      ['POST', collection, { body: { username, password: 'a long enough password' } }],
      ['POST', collection, { body: { username: unique(), password: 'password' } }],
      ['POST', collection, { body: { username: unique() } }],
      ['POST', collection, { body: { username: unique(), userType: 'Robot', timezone: 'Nowhere' } }],
      ['POST', collection, { body: { nonsense: true } }],
      ['PATCH', member(username), { body: { timezone: 'Nowhere' } }],
      ['PATCH', member(username), { body: { phoneNumberVerified: true } }],
      ['PATCH', member(username), { body: { nickname: 'Uschi' }, ...stale }],
      ['PATCH', member('nobody@example.com'), { body: {} }],
      ['DELETE', member(username), stale],
      ['DELETE', member('nobody@example.com')],
      // The last administrator stays one.
      ['PATCH', member(admin.username), { body: { roles: [] } }],
      ['PATCH', member(admin.username), { body: { enabled: false } }],
      ['DELETE', member(admin.username)],
    ];
    for (const [method, url, options] of acts) {
      const dry = await send(method, tried(url), options);
      const real = await send(method, url, options);
      expect([method, url, dry.statusCode, withoutId(dry.body)]).toEqual([
        method,
        url,
        real.statusCode,
        withoutId(real.body),
      ]);
      expect(real.statusCode).toBeGreaterThanOrEqual(400);
    }
    const by = await addUser({ roles: ['IdpAdministrator'] });
    expect((await send('DELETE', tried(member(username)), { by })).statusCode).toBe(403);
  });

  it('may take an administrator away while another one stays', async () => {
    const other = await addUser({ password: 'a long enough password', roles: ['SystemAdministrator'] });
    const { after } = await runOf('PATCH', member(admin.username), { roles: [] });
    expect(after).toMatchObject({ roles: [] });
    expect((await send('DELETE', member(other.username))).statusCode).toBe(204);
  });

  it.each(['', 'yes', '1', 'true&dry_run=true'])('is asked for by true alone, once: %j', async (value) => {
    const { username } = await addUser();
    for (const [method, url, body] of [
      ['POST', collection, { username: unique(), password: 'a long enough password' }],
      ['PATCH', member(username), { nickname: 'Uschi' }],
      ['DELETE', member(username), undefined],
    ] as const) {
      expect((await send(method, `${url}?dry_run=${value}`, { ...(body && { body }) })).statusCode).toBe(400);
    }
    expect((await send('GET', member(username))).json()).not.toHaveProperty('nickname');
  });
});
