import { type CallOptions, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openBody, registerDynamically } from '../support/dynamic-clients.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { administerResources } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { stopClock } from '../support/still-clock.ts';

interface View {
  id: string;
  token?: string;
  uses: number;
  uses_left: number;
  expiresAt: string;
}

describe.each(testDialects)('initial access tokens on %s', (dialect) => {
  let realm: Realm;
  let letClockGo: () => void;
  beforeAll(async () => {
    letClockGo = stopClock();
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'token' });
  });
  afterAll(async () => {
    await realm.close();
    letClockGo();
  });

  const manage = (path: string, options: CallOptions = {}) => realm.send(path, { basic: administrator, ...options });
  const create = async (json: object = {}) => {
    const answer = await manage('/registration-tokens', { json });
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
    return answer.json<View>();
  };
  const list = async (query = '') =>
    (await manage(`/registration-tokens${query}`)).json<{ registration_tokens: View[]; next_cursor?: string }>();

  it.each<[string, string, object | undefined]>([
    ['POST', '/registration-tokens', { uses: 'x' }],
    ['GET', '/registration-tokens', undefined],
    ['DELETE', '/registration-tokens/any', undefined],
  ])('%s %s is for administrators: 401, then 403, before anything else', async (method, path, json) => {
    const options: CallOptions = { method, ...(json === undefined ? {} : { json }) };
    const without = await realm.send(path, options);
    expect([without.status, without.headers['content-type']]).toEqual([401, expect.stringContaining('problem+json')]);
    expect((await realm.send(path, { ...options, basic: ['user@example.com', 'user-password'] })).status).toBe(403);
  });

  it('have one use and a day where nothing is said, and are shown once', async () => {
    const created = await create();
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      token: expect.stringMatching(/^[\w-]{43}$/),
      uses: 1,
      uses_left: 1,
      grant_types: ['authorization_code', 'refresh_token'],
      ceiling: expect.arrayContaining(['SystemAdministrator']),
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(Date.parse(created.expiresAt) - realm.clock()).toBeCloseTo(86_400_000, -5);
    const { token: _, ...shown } = created;
    expect((await list()).registration_tokens).toContainEqual(shown);
    const { database } = realm.deps;
    const rows = await database.query('SELECT * FROM initial_access_tokens');
    expect(JSON.stringify(rows)).not.toContain(created.token);
  });

  it('keep what was said', async () => {
    const { resource, scopes } = await administerResources(realm).create({ dynamic_clients: true });
    const scope = `openid ${scopes[0]?.name}`;
    const said = { uses: 10_000, grant_types: ['client_credentials'], scope, resources: [resource] };
    const created = await create({ ...said, expires_in: 30 * 86_400 });
    expect(created).toMatchObject(said);
    expect(await create({ scope: scope.split(' '), resources: [resource] })).toMatchObject({ scope });
    const slashless = resource.replace(/\/$/, '');
    expect(await create({ resources: [slashless] })).toMatchObject({ resources: [resource] });
  });

  it.each<[string, object, RegExp]>([
    ['no use', { uses: 0 }, /uses must be an integer/],
    ['uses that are text', { uses: '1' }, /uses must/],
    ['half a use', { uses: 1.5 }, /uses must/],
    ['very many uses', { uses: 10_001 }, /uses must/],
    ['no time', { expires_in: 0 }, /expires_in must/],
    ['more than 30 days', { expires_in: 30 * 86_400 + 1 }, /expires_in must/],
    ['no grant type', { grant_types: [] }, /grant_types must/],
    ...['password', 'implicit', 'service_account', 'urn:ietf:params:oauth:grant-type:token-exchange'].map(
      (name): [string, object, RegExp] => [name, { grant_types: [name] }, /grant_types must be an array of/],
    ),
    ['a repeated grant type', { grant_types: ['refresh_token', 'refresh_token'] }, /grant_types must/],
    [
      'the scope roles',
      { scope: 'roles' },
      /scope must hold only scopes .*; "roles" is not open: register the API that has it \(POST \/resources\) with dynamic_clients$/,
    ],
    ['an empty scope', { scope: ' ' }, /scope must hold only [^;]*$/],
    ['a scope that is a number', { scope: 7 }, /scope must be/],
    ['an unknown resource', { resources: ['https://unknown.example/'] }, /resources entry 1 must be/],
    ['no resource', { resources: [] }, /resources must be/],
    ['resources that are text', { resources: 'https://unknown.example/' }, /resources must/],
    ['an unknown member', { use: 1 }, /use is not a known field/],
  ])('are not made with %s', async (_what, json, detail) => {
    const answer = await manage('/registration-tokens', { json });
    expect([answer.status, answer.json()]).toEqual([
      400,
      expect.objectContaining({ detail: expect.stringMatching(detail) }),
    ]);
  });

  it('are listed a page at a time, with the uses they have left, until they expire', async () => {
    const made = [await create({ uses: 2 }), await create(), await create()];
    await registerDynamically(realm).register(openBody, made[0]?.token);
    const found: View[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(`?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      expect(page.registration_tokens.length).toBeLessThanOrEqual(2);
      found.push(...page.registration_tokens);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    const ids = found.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    expect(ids).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
    expect(found.find(({ id }) => id === made[0]?.id)).toMatchObject({ uses: 2, uses_left: 1 });
    const short = await create({ expires_in: 1 });
    realm.advance(1_000);
    expect((await list('?limit=200')).registration_tokens.map(({ id }) => id)).not.toContain(short.id);
  });

  it('name a next page only where there is one, after the last of this page', async () => {
    const made = [await create(), await create()];
    const { registration_tokens: all } = await list('?limit=200');
    expect(all.length).toBeGreaterThanOrEqual(made.length);
    const registration = 'token';
    expect(await list(`?limit=${all.length}`)).toEqual({ registration, registration_tokens: all });
    expect(await list(`?limit=${all.length - 1}`)).toEqual({
      registration,
      registration_tokens: all.slice(0, -1),
      next_cursor: all.at(-2)?.id,
    });
  });

  it('are in the audit trail as they are made and deleted, with what their clients may be', async () => {
    const { id } = await create({ uses: 7, grant_types: ['client_credentials'] });
    expect((await manage(`/registration-tokens/${id}`, { method: 'DELETE' })).status).toBe(204);
    const { events } = (await manage('/audit-events?limit=20')).json<{ events: object[] }>();
    const common = { actor: expect.objectContaining({ kind: 'user' }), subject: { kind: 'initial_token', id } };
    for (const [type, details] of [
      ['initial_token.created', { uses: 7, grant_types: ['client_credentials'] }],
      ['initial_token.deleted', {}],
    ]) {
      expect(events).toContainEqual(expect.objectContaining({ ...common, type, details }));
    }
  });

  it.each(['limit=0', 'limit=x', 'cursor=x', 'limit=1&limit=2', 'other=1'])('refuse the query %s', async (query) =>
    expect((await manage(`/registration-tokens?${query}`)).status).toBe(400),
  );

  it('are refused once they are used up, whatever is sent with them', async () => {
    const { send, register } = registerDynamically(realm);
    const { token = '' } = await create();
    await register(openBody, token);
    for (const body of [openBody, { ...openBody, redirect_uris: 'none' }]) {
      expect((await send(body, { authorization: `Bearer ${token}` })).status).toBe(401);
    }
  });

  it('are refused once they have expired, whatever is sent with them', async () => {
    const { send } = registerDynamically(realm);
    const { token = '' } = await create({ expires_in: 1 });
    realm.advance(1_000);
    for (const body of [openBody, { ...openBody, redirect_uris: 'none' }]) {
      expect((await send(body, { authorization: `Bearer ${token}` })).status).toBe(401);
    }
  });

  it('are deleted, and the clients that came by them go on', async () => {
    const { send, register, manage: own } = registerDynamically(realm);
    const { id, token = '' } = await create({ uses: 2 });
    const registered = await register(openBody, token);
    const path = `/registration-tokens/${id}`;
    expect((await manage(path, { method: 'DELETE' })).status).toBe(204);
    expect((await manage(path, { method: 'DELETE' })).status).toBe(404);
    expect((await manage('/registration-tokens/x', { method: 'DELETE' })).status).toBe(400);
    expect((await send(openBody, { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await own(registered, 'GET')).status).toBe(200);
  });
});
