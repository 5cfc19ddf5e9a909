import { randomBytes } from 'node:crypto';
import type { CallOptions } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { obtainCode } from '../support/browser.ts';
import { administrator, callback, passwordOf, type Realm, startRealm, webClient } from '../support/realm.ts';

describe('client administration', () => {
  let realm: Realm;

  beforeAll(async () => {
    realm = await startRealm();
  });
  afterAll(() => realm.close());

  const manage = (path: string, options: CallOptions = {}) => realm.send(path, { basic: administrator, ...options });
  const fresh = async (changes: object = {}) =>
    realm.register({ ...webClient, client_id: `managed-${randomBytes(6).toString('hex')}`, ...changes });
  const expectProblem = (answer: Awaited<ReturnType<typeof manage>>, status: number, detail = /./) => {
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      expect.stringMatching(/^application\/problem\+json/),
    ]);
    expect(answer.json()).toMatchObject({ status, detail: expect.stringMatching(detail) });
  };

  it.each<[string, string, object | undefined]>([
    ['GET', '/clients', undefined],
    ['GET', '/clients/any', undefined],
    ['PATCH', '/clients/any', { scope: 'x' }],
    ['POST', '/clients/any/secret', { grace_seconds: 'x' }],
    ['DELETE', '/clients/any', undefined],
  ])('%s %s is for administrators: 401, then 403, before anything else', async (method, path, json) => {
    const options: CallOptions = { method, ...(json === undefined ? {} : { json }) };
    const refused = await realm.send(path, options);
    expectProblem(refused, 401);
    expect(refused.headers['www-authenticate']).toMatch(/Basic.*Bearer/);
    expectProblem(await realm.send(path, { ...options, basic: ['user@example.com', 'user-password'] }), 403);
  });

  it('keeps where a sign-in begins, which is https, gives it back, and takes it away', async () => {
    const said = { initiate_login_uri: 'https://app.example.com/login' };
    const { client_id } = await fresh(said);
    expect((await manage(`/clients/${client_id}`)).json()).toMatchObject(said);
    const change = (uri: string | null) =>
      manage(`/clients/${client_id}`, { method: 'PATCH', json: { initiate_login_uri: uri } });
    const other = 'https://app.example.com/other';
    expect((await change(other)).json()).toMatchObject({ initiate_login_uri: other });
    expectProblem(await change('http://localhost/login'), 400, /initiate_login_uri must be an https URL/);
    expect((await change(null)).json()).not.toHaveProperty('initiate_login_uri');
  });

  it('shows a client without its secret', async () => {
    const { client_id } = await fresh();
    const answer = await manage(`/clients/${client_id}`);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      client_id,
      scope: webClient.scope,
      authorized_grant_types: webClient.authorized_grant_types,
      redirect_uri: callback,
      access_token_validity: 900,
      ceiling: ['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader'],
      ceiling_given_at: expect.stringMatching(/^\d{4}-.*Z$/),
      public: false,
      enabled: true,
      dynamic: false,
      secret_set_at: expect.stringMatching(/^\d{4}-.*Z$/),
      secret_made_here: false,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(answer.text).not.toMatch(/argon2|web-secret/);
  });

  it('answers 404 to an unknown client_id and 400 to one that cannot be', async () => {
    expectProblem(await manage('/clients/nobody'), 404);
    expectProblem(await manage('/clients/a%20b'), 400);
    expectProblem(await manage('/clients/nobody', { method: 'DELETE' }), 404);
    expectProblem(await manage('/clients/nobody', { method: 'PATCH', json: {} }), 404);
    expectProblem(await manage('/clients/nobody/secret', { json: {} }), 404);
  });

  it('lists every client once, page by page, never with a secret', async () => {
    for (let turn = 0; turn < 5; turn += 1) await fresh();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const answer = await manage(`/clients?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      const page = answer.json<{ clients: { client_id: string }[]; next_cursor?: string }>();
      expect(page.clients.length).toBeLessThanOrEqual(2);
      expect(answer.text).not.toMatch(/argon2|web-secret/);
      seen.push(...page.clients.map(({ client_id }) => client_id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    const whole = (await manage('/clients')).json<{ clients: { client_id: string }[] }>();
    expect(seen).toEqual(whole.clients.map(({ client_id }) => client_id));
    expect(seen).toEqual([...new Set(seen)].sort());
    expect(seen.length).toBeGreaterThanOrEqual(5);
    const last = (await manage(`/clients?limit=${seen.length}`)).json<{ clients: unknown[] }>();
    expect([Object.keys(last), last.clients.length]).toEqual([['clients'], seen.length]);
  });

  it.each(['limit=0', 'limit=201', 'limit=two', 'cursor=a%20b', 'limit=1.5'])(
    'refuses the list query %s',
    async (query) => {
      expectProblem(await manage(`/clients?${query}`), 400);
    },
  );

  it.each([
    ['page=2', /^page is not a known field$/],
    ['limit=2&limit=3', /^limit must stand in the query only once$/],
    ['cursor=a&cursor=b', /^cursor must stand in the query only once$/],
    ['a=1&a=2', /^a must stand in the query only once$/],
    [
      'limit=two&cursor=%3A',
      /^limit must be an integer from 1 to 200; cursor must be the next_cursor of the page before$/,
    ],
    ['__proto__=1', /__proto__ is not a known field/],
  ])('refuses the list query %s, and names the parameter', async (query, detail) => {
    expectProblem(await manage(`/clients?${query}`), 400, detail);
  });

  it('answers at /clients/ as at /clients', async () => {
    const { client_id } = await fresh();
    expect((await manage('/clients/?limit=200')).json()).toEqual((await manage('/clients?limit=200')).json());
    const again = await manage('/clients/', { json: { client_id } });
    expect([again.status, again.text]).toEqual([
      400,
      expect.stringMatching(`^creation of client ${client_id} failed: `),
    ]);
    const put = await manage('/clients/', { method: 'PUT', json: {} });
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('changes what is named and leaves the rest', async () => {
    const client = await fresh();
    const answer = await manage(`/clients/${client.client_id}`, {
      method: 'PATCH',
      json: { access_token_validity: 60, scope: ['openid'] },
    });
    expect(answer.json()).toMatchObject({ access_token_validity: 60, scope: ['openid'], redirect_uri: callback });
    expect((await manage(`/clients/${client.client_id}`)).json()).toEqual(answer.json());
    const tokens = await realm.tokens(client, passwordOf('user'));
    expect(tokens).toMatchObject({ expires_in: 60, scope: 'openid' });
  });

  it('raises the ceiling where a SystemAdministrator says that it trusts the client, and by no other change', async () => {
    const everyRole = ['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader'];
    const idpAdministrator: [string, string] = ['idp.admin@example.com', 'idp-password'];
    const client_id = `narrow-${randomBytes(6).toString('hex')}`;
    await manage('/clients', { basic: idpAdministrator, json: { ...webClient, client_id } });
    const patch = (json: object, basic: [string, string] = [...administrator]) =>
      manage(`/clients/${client_id}`, { method: 'PATCH', basic, json });
    const narrow = (await patch({ access_token_validity: 60 })).json();
    expect(narrow).toMatchObject({ ceiling: everyRole.slice(1) });
    expect(narrow).not.toHaveProperty('ceiling_given_at');
    expectProblem(await patch({ trusted: true }, idpAdministrator), 403, /requires SystemAdministrator/);
    expect((await patch({ access_token_validity: 61 }, idpAdministrator)).json()).toMatchObject({
      ceiling: everyRole.slice(1),
    });
    const trusted = (await patch({ trusted: true })).json<Record<string, unknown>>();
    expect(trusted).toMatchObject({ ceiling: everyRole, ceiling_given_at: trusted.updated_at });
    expectProblem(await patch({ access_token_validity: 60 }, idpAdministrator), 403, /SystemAdministrator/);
  });

  it('writes each change into the audit trail', async () => {
    const { client_id } = await fresh();
    await manage(`/clients/${client_id}`, { method: 'PATCH', json: { scope: ['openid'], access_token_validity: 60 } });
    await manage(`/clients/${client_id}/secret`, { json: { grace_seconds: 60 } });
    await manage(`/clients/${client_id}/secret`, { json: {} });
    await manage(`/clients/${client_id}`, { method: 'DELETE' });
    const { events } = (await manage('/audit-events?limit=5')).json<{ events: Record<string, unknown>[] }>();
    const actor = { kind: 'user', name: administrator[0] };
    const common = { outcome: 'succeeded', actor, subject: { kind: 'client', name: client_id } };
    const changes = [
      { field: 'scope', from: webClient.scope, to: ['openid'] },
      { field: 'access_token_validity', from: webClient.access_token_validity, to: 60 },
    ];
    expect(events.filter((event) => Object.hasOwn(event, 'client'))).toEqual([]);
    expect(events).toMatchObject([
      { ...common, type: 'client.deleted', details: {} },
      { ...common, type: 'client.secret_replaced', details: { grace_seconds: 0 } },
      { ...common, type: 'client.secret_replaced', details: { grace_seconds: 60 } },
      { ...common, type: 'client.changed', details: { fields: ['scope', 'access_token_validity'], changes } },
      { ...common, type: 'client.registered', details: { grant_types: webClient.authorized_grant_types } },
    ]);
  });

  it('takes a field away with null, and checks the rules between fields', async () => {
    const { client_id } = await fresh();
    const patch = (json: object) => manage(`/clients/${client_id}`, { method: 'PATCH', json });
    expectProblem(await patch({ redirect_uri: null }), 400, /redirect_uri is required/);
    expect((await patch({ redirect_uri: null, authorized_grant_types: ['password'] })).json()).not.toHaveProperty(
      'redirect_uri',
    );
    expectProblem(await patch({ authorized_grant_types: ['service_account'] }), 400, /srvc_ac_user_name is required/);
    expectProblem(
      await patch({ authorized_grant_types: ['service_account'], srvc_ac_user_name: 'user@example.com' }),
      400,
      /Robot/,
    );
    const turned = await patch({ authorized_grant_types: ['service_account'], srvc_ac_user_name: 'robot@example.com' });
    expect(turned.json()).toMatchObject({ srvc_ac_user_name: 'robot@example.com' });
    expectProblem(await patch({ srvc_ac_user_name: null }), 400, /srvc_ac_user_name/);
    expectProblem(await patch({ authorized_grant_types: ['password'] }), 400, /srvc_ac_user_name/);
  });

  it.each<[object, RegExp]>([
    [{ client_id: 'other' }, /client_id is not a known field/],
    [{ client_secret: 'x' }, /client_secret is not a known field/],
    [{ access_token_validity: '60' }, /access_token_validity must/],
    [{ access_token_validity: null }, /access_token_validity must/],
    [{ scope: [] }, /scope must/],
    [{ redirect_uri: 'http://evil.example.com' }, /redirect_uri must/],
  ])('refuses the change %j', async (json, detail) => {
    const { client_id } = await fresh();
    expectProblem(await manage(`/clients/${client_id}`, { method: 'PATCH', json }), 400, detail);
  });

  it('refuses bodies that are not JSON, too big, or no object', async () => {
    const { client_id } = await fresh();
    const patch = (body: string, type: string) =>
      manage(`/clients/${client_id}`, { method: 'PATCH', body, headers: { 'content-type': type } });
    expectProblem(await patch('{', 'application/json'), 400);
    expectProblem(await patch('[]', 'application/json'), 400);
    expectProblem(await patch('a=1', 'application/x-www-form-urlencoded'), 415);
    expectProblem(await patch(`{"scope":["${'x'.repeat(70_000)}"]}`, 'application/json'), 413);
  });

  it('does not make a public client out of one with a secret requirement', async () => {
    const client = await fresh({ client_secret: undefined, authorized_grant_types: ['authorization_code'] });
    const path = `/clients/${client.client_id}`;
    expect((await manage(path)).json()).toMatchObject({ public: true });
    expectProblem(
      await manage(path, { method: 'PATCH', json: { authorized_grant_types: ['password'] } }),
      400,
      /client_secret/,
    );
    expectProblem(await manage(`${path}/secret`, { json: {} }), 400, /no secret/);
  });

  it('tells one of two who change a client at the same moment that it was changed meanwhile', async () => {
    const { client_id } = await fresh();
    realm.advance(1_000);
    const answers = await Promise.all(
      [60, 61, 62, 63].map((access_token_validity) =>
        manage(`/clients/${client_id}`, { method: 'PATCH', json: { access_token_validity } }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBeGreaterThanOrEqual(1);
    for (const answer of answers.filter((each) => !won.includes(each))) expectProblem(answer, 409);
    const last = (await manage(`/clients/${client_id}`)).json<{ access_token_validity: number }>();
    expect(won.map((answer) => answer.json().access_token_validity)).toContain(last.access_token_validity);
  });

  describe('replacing the secret', () => {
    const tryWith = async (client_id: string, client_secret: string) =>
      (await realm.tokenRequest({ client_id, client_secret }, passwordOf('user'))).status;

    it('makes one, shows it once, and voids the old one at once', async () => {
      const { client_id } = await fresh();
      expect(await tryWith(client_id, 'web-secret')).toBe(200);
      const answer = await manage(`/clients/${client_id}/secret`, { json: {} });
      const { client_secret } = answer.json<{ client_secret: string }>();
      expect(answer.json()).toEqual({
        client_id,
        client_secret: expect.stringMatching(/^[\w-]{43}$/),
        previous_secret_expires_in: 0,
      });
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(await tryWith(client_id, client_secret)).toBe(200);
      expect(await tryWith(client_id, 'web-secret')).toBe(401);
    });

    it('lets the old one work for the grace that was named, and not a moment longer', async () => {
      const { client_id } = await fresh();
      const json = { client_secret: 'the next one', grace_seconds: 60 };
      expect((await manage(`/clients/${client_id}/secret`, { json })).json()).toMatchObject({
        client_secret: 'the next one',
        previous_secret_expires_in: 60,
      });
      expect(await tryWith(client_id, 'the next one')).toBe(200);
      expect(await tryWith(client_id, 'web-secret')).toBe(200);
      realm.advance(60_000);
      expect(await tryWith(client_id, 'web-secret')).toBe(401);
      expect(await tryWith(client_id, 'the next one')).toBe(200);
    });

    it.each([
      { client_secret: '' },
      { client_secret: 'ü' },
      { grace_seconds: -1 },
      { grace_seconds: '60' },
      { grace_seconds: 2_592_001 },
      { secret: 'x' },
    ])('refuses %j', async (json) => {
      const { client_id } = await fresh();
      expectProblem(
        await manage(`/clients/${client_id}/secret`, { json }),
        400,
        new RegExp(Object.keys(json)[0] ?? ''),
      );
      expect(await tryWith(client_id, 'web-secret')).toBe(200);
    });
  });

  describe('deleting a client', () => {
    it('ends it: its secret, its access tokens, its codes and its refresh tokens, also under a new registration', async () => {
      const client = await fresh();
      const { access_token, refresh_token = '' } = await realm.tokens(client, passwordOf('user'));
      const code = await obtainCode(realm, { client_id: client.client_id });
      const deleted = await manage(`/clients/${client.client_id}`, { method: 'DELETE' });
      expect([deleted.status, deleted.text]).toEqual([204, '']);
      expect((await realm.tokenRequest(client, passwordOf('user'))).status).toBe(401);
      expect((await realm.send('/oauth/userinfo', { bearer: access_token })).status).toBe(401);

      realm.advance(1_000);
      await realm.register(client);
      expect((await realm.send('/oauth/userinfo', { bearer: access_token })).status).toBe(401);
      const attempts: Record<string, string>[] = [
        { grant_type: 'refresh_token', refresh_token },
        { grant_type: 'authorization_code', code, redirect_uri: callback },
      ];
      for (const form of attempts) {
        const answer = await realm.tokenRequest(client, form);
        expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
      }
    });
  });
});
