import { randomBytes } from 'node:crypto';
import { type CallOptions, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Accounts, useAccounts } from '../support/account.ts';
import { administrator, callback, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

interface DryRun {
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
  changes: { field: string; from?: unknown; to?: unknown }[];
  ends: { what: string; count: number; count_is_exact: boolean }[];
}

/** The id of the request is another one each time. */
const withoutId = (text: string) => text.replace(/urn:request:[^"]*/, '');

describe.each(testDialects)('a dry run on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  const manage = (path: string, options: CallOptions = {}) => realm.send(path, { basic: administrator, ...options });
  const tried = (path: string) => `${path}${path.includes('?') ? '&' : '?'}dry_run=true`;
  const tryIt = (path: string, options: CallOptions) => manage(tried(path), options);
  const runOf = async (path: string, options: CallOptions): Promise<DryRun> => {
    const answer = await tryIt(path, options);
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(answer.text).not.toMatch(/argon2|web-secret/);
    return answer.json<DryRun>();
  };
  const unique = () => randomBytes(6).toString('hex');
  const newClient = (changes: object = {}) => ({ ...webClient, client_id: `tried-${unique()}`, ...changes });
  const register = (changes: object = {}) => realm.register(newClient(changes));
  const newResource = (changes: object = {}) => ({
    resource: `https://${unique()}.example.com/`,
    name: 'Orders',
    scopes: [{ name: `orders:${unique()}`, description: 'see your orders' }],
    ...changes,
  });
  const create = async (changes: object = {}) =>
    (await manage('/resources', { json: newResource(changes) })).json<Record<string, string>>();
  /** What administrators would see of an act: objects and events. */
  const look = async () => {
    const types = ['client', 'resource'].flatMap((what) => ['changed', 'deleted'].map((done) => `${what}.${done}`));
    const events = `/audit-events?limit=200&type=client.registered,client.disabled,resource.created,${types}`;
    const pages = ['/clients?limit=200', '/resources?limit=200', events];
    const answers = await Promise.all(pages.map(async (path) => (await manage(path)).json<object>()));
    return withoutUses(answers);
  };

  it('registers nothing, and shows what would be registered', async () => {
    const body = newClient({ client_name: 'Shop' });
    const seen = await look();
    const { before, after, changes, ends } = await runOf('/clients', { json: body });
    expect([before, ends]).toEqual([undefined, []]);
    expect(await look()).toEqual(seen);
    expect((await manage('/clients', { json: body })).status).toBe(200);
    const {
      created_at: _1,
      updated_at: _2,
      secret_set_at: _3,
      secret_made_here: _4,
      ceiling_given_at: _5,
      ...made
    } = (await manage(`/clients/${body.client_id}`)).json<Record<string, unknown>>();
    expect(after).toEqual(made);
    expect(changes).toContainEqual({ field: 'client_name', to: 'Shop' });
  });

  it('makes no secret and no public client of one that needs a secret', async () => {
    const { client_secret: _, ...body } = newClient();
    const headers = { prefer: 'return=representation' };
    const { after } = await runOf('/clients', { json: body, headers });
    expect(after).toMatchObject({ public: false });
    expect(after).not.toHaveProperty('client_secret');
    expect((await tryIt('/clients', { json: body })).status).toBe(400);
  });

  it('says what a change would change and end, and changes nothing', async () => {
    const { client_id } = await register();
    const path = `/clients/${client_id}`;
    const tokens = await realm.tokens(
      { client_id, client_secret: webClient.client_secret },
      { grant_type: 'password', username: 'user@example.com', password: 'user-password' },
    );
    const seen = await look();
    const endsOf = async (json: object) => {
      const { changes, ends } = await runOf(path, { method: 'PATCH', json });
      return [changes.map(({ field }) => field), ends.map(({ what }) => what)];
    };
    const { before, after, changes, ends } = await runOf(path, {
      method: 'PATCH',
      json: { client_name: 'Shop', redirect_uri: callback },
    });
    expect([changes, ends]).toEqual([[{ field: 'client_name', to: 'Shop' }], []]);
    expect(withoutUses(before)).toEqual(withoutUses((await manage(path)).json()));
    expect(after).toEqual({ ...before, client_name: 'Shop' });
    expect(await endsOf({ enabled: false })).toEqual([['enabled'], ['access_tokens', 'codes']]);
    const consent = { require_consent: true, authorized_grant_types: ['authorization_code'] };
    expect(await endsOf(consent)).toEqual([['authorized_grant_types', 'require_consent'], ['access_tokens']]);
    expect(await look()).toEqual(seen);
    const client = { client_id, client_secret: webClient.client_secret };
    expect(await accounts.isActive(client, tokens.access_token)).toBe(true);
  });

  it('counts what a deletion would end, and ends nothing', async () => {
    const client = await accounts.registerClient({ require_consent: true });
    const path = `/clients/${client.client_id}`;
    const none = await runOf(path, { method: 'DELETE' });
    expect(none.ends).toEqual(
      ['access_tokens', 'refresh_tokens', 'codes', 'consents'].map((what) => ({
        what,
        count: 0,
        count_is_exact: true,
      })),
    );
    const visitors = [await accounts.signIn(), await accounts.signIn()];
    const tokens = await Promise.all(
      visitors.map((visitor) => accounts.obtainTokens(visitor, client, 'openid offline_access')),
    );
    const { before, after, changes, ends } = await runOf(path, { method: 'DELETE' });
    expect([withoutUses(before), after]).toEqual([withoutUses((await manage(path)).json()), undefined]);
    expect(changes).toContainEqual({ field: 'client_id', from: client.client_id });
    expect(ends).toEqual([
      { what: 'access_tokens', count: expect.any(Number), count_is_exact: false },
      { what: 'refresh_tokens', count: 2, count_is_exact: true },
      { what: 'codes', count: 0, count_is_exact: true },
      { what: 'consents', count: 2, count_is_exact: true },
    ]);
    expect(ends[0]?.count).toBeGreaterThanOrEqual(2);
    for (const one of tokens) expect(await accounts.isRefreshed(client, one)).toBe(true);
  });

  it('does the same for resources', async () => {
    const seen = await look();
    const body = newResource();
    const creation = await runOf('/resources', { json: body });
    expect(creation).toMatchObject({ after: body, ends: [] });
    expect(creation.after).not.toHaveProperty('id');
    expect(await look()).toEqual(seen);
    const { id, resource, ...made } = await create();
    const path = `/resources/${id}`;
    const json = { name: 'Other', scopes: [{ name: `other:${unique()}` }] };
    const change = await runOf(path, { method: 'PATCH', json });
    expect(change.changes.map(({ field }) => field)).toEqual(['name', 'scopes']);
    expect((await runOf(path, { method: 'DELETE' })).before).toEqual({ id, resource, ...made });
    expect((await manage(path)).json()).toEqual({ id, resource, ...made });
    // The names of scopes that were tried are free.
    expect((await manage(path, { method: 'PATCH', json })).status).toBe(200);
  });

  it('is refused as the act itself is, with the same words', async () => {
    const client = await register();
    const resource = await create();
    const other = await create();
    const used = await register({ resources: [other.resource], default_resource: other.resource });
    expect(used.client_id).toBeDefined();
    const orgApi = (await manage(`/resources?resource=${encodeURIComponent(realm.orgUrl)}`)).json<{
      resources: [{ id: string }];
    }>().resources[0];
    const stale = { 'if-match': '"stale"' };
    const scopes = (other as unknown as { scopes: object[] }).scopes;
    const acts: [string, CallOptions][] = [
      ['/clients', { json: client }],
      ['/clients', { json: newClient({ scope: ['nonsense'] }) }],
      [
        '/clients',
        {
          json: newClient({
            authorized_grant_types: ['service_account'],
            redirect_uri: undefined,
            srvc_ac_user_name: 'nobody@example.com',
          }),
        },
      ],
      ['/clients', { json: [] }],
      [`/clients/${client.client_id}`, { method: 'PATCH', json: { scope: [] } }],
      [`/clients/${client.client_id}`, { method: 'PATCH', json: { client_name: 'Shop' }, headers: stale }],
      [`/clients/${client.client_id}`, { method: 'DELETE', headers: stale }],
      ['/clients/nobody', { method: 'PATCH', json: {} }],
      ['/clients/nobody', { method: 'DELETE' }],
      ['/resources', { json: newResource({ resource: resource.resource }) }],
      ['/resources', { json: newResource({ scopes }) }],
      [`/resources/${resource.id}`, { method: 'PATCH', json: { scopes } }],
      [`/resources/${resource.id}`, { method: 'PATCH', json: { name: '' } }],
      [`/resources/${resource.id}`, { method: 'DELETE', headers: stale }],
      [`/resources/${other.id}`, { method: 'DELETE' }],
      [`/resources/${orgApi.id}`, { method: 'DELETE' }],
    ];
    for (const [path, options] of acts) {
      const dry = await tryIt(path, options);
      const real = await manage(path, options);
      expect([path, dry.status, dry.headers['content-type'], withoutId(dry.text)]).toEqual([
        path,
        real.status,
        real.headers['content-type'],
        withoutId(real.text),
      ]);
      expect(real.status).toBeGreaterThanOrEqual(400);
    }
    const basic = ['user@example.com', 'user-password'] as [string, string];
    for (const path of ['/clients', '/resources']) {
      expect((await realm.send(tried(path), { basic, json: {} })).status).toBe(403);
      expect((await realm.send(tried(path), { json: {} })).status).toBe(401);
    }
  });

  it('is asked for by true alone, once', async () => {
    const { client_id } = await register();
    const path = `/clients/${client_id}`;
    for (const query of [
      'dry_run=',
      'dry_run=yes',
      'dry_run=1',
      'dry_run=true&dry_run=true',
      'dry_run=true&dry_run=false',
    ]) {
      for (const options of [{ method: 'PATCH', json: { client_name: 'Tried' } }, { method: 'DELETE' }]) {
        expect([query, (await manage(`${path}?${query}`, options)).status]).toEqual([query, 400]);
      }
      expect([query, (await manage(`/clients?${query}`, { json: newClient() })).status]).toEqual([query, 400]);
      expect([query, (await manage(`/resources?${query}`, { json: newResource() })).status]).toEqual([query, 400]);
    }
    expect((await manage(path)).json()).not.toHaveProperty('client_name');
    const answer = await manage(`${path}?dry_run=false`, { method: 'PATCH', json: { client_name: 'Done' } });
    expect(answer.json()).toMatchObject({ client_name: 'Done' });
    expect((await manage(`${path}?dry_run=false`, { method: 'DELETE' })).status).toBe(204);
  });
});

/** A use is written two seconds after it was, whatever is tried meanwhile. */
function withoutUses(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, member) => (name.endsWith('last_used_at') ? undefined : member)));
}
