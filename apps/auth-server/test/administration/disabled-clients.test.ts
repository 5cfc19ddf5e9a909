import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, assertionType, createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, obtainCode, signIn } from '../support/browser.ts';
import { commandLine, deviceGrant, useDevices } from '../support/device.ts';
import { registerDynamically } from '../support/dynamic-clients.ts';
import { createExchanges } from '../support/exchanges.ts';
import { administerOrganization } from '../support/organization.ts';
import {
  administrator,
  callback,
  encodeForm,
  passwordOf,
  type Realm,
  type TokenAnswer,
  webClient,
} from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

/** RFC 6749 5.2, for a client that proved itself or has no proof. */
const disabled = [401, { error: 'invalid_client', error_description: 'this client is disabled' }];
const wrongSecret = [401, { error: 'invalid_client', error_description: expect.stringContaining('check client_id') }];
/** Milliseconds after which a change of a client counts at every replica. */
const everywhere = 1_000;

const bodyOf = ({ status, text }: Answer) => [status, text === '' ? '' : JSON.parse(text)];

describe.each(testDialects)('a client that an administrator disabled, on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  const key = createClientKey();
  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'open' });
    replica = await startReplica(realm, {});
  });
  afterAll(async () => {
    await replica?.close();
    await realm.close();
  });

  const unique = (kind: string) => `${kind}-${randomBytes(6).toString('hex')}`;
  const register = (changes: object = {}) =>
    realm.register({
      ...webClient,
      client_id: unique('web'),
      authorized_grant_types: [...webClient.authorized_grant_types, 'client_credentials', deviceGrant],
      ...changes,
    });
  const change = (client_id: string, json: object, headers: Record<string, string> = {}) =>
    realm.send(`/clients/${client_id}`, { method: 'PATCH', basic: administrator, json, headers });
  const set = async (client_id: string, enabled: boolean) => {
    const answer = await change(client_id, { enabled });
    expect([answer.status, answer.json().enabled]).toEqual([200, enabled]);
    return answer;
  };
  const read = async (client_id: string) =>
    (await realm.send(`/clients/${client_id}`, { basic: administrator })).json<Record<string, unknown>>();
  const rowOf = async (client_id: string) => {
    const sql = 'SELECT * FROM clients WHERE client_id = ?';
    return (await realm.deps.database.query<Record<string, unknown>>(sql, [client_id]))[0] ?? {};
  };
  const introspect = async (token: string) => {
    const form = { token, client_id: watcher.client_id, client_secret: watcher.client_secret };
    return (await realm.send('/oauth/introspect', { form })).json<{ active: boolean }>().active;
  };
  const askOrganization = async (token: string) =>
    (
      await fetch(`${realm.orgUrl}/organization/api/organization/user`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status;
  const listEvents = async (client_id: string) => {
    const { events } = (await realm.send(`/audit-events?subject=${client_id}`, { basic: administrator })).json<{
      events: { type: string; reason?: string; details?: object; actor: { name?: string } }[];
    }>();
    return events.map(({ type, details, actor }) => [type, details, actor.name]).reverse();
  };
  let watcher: { client_id: string; client_secret: string };
  beforeAll(async () => {
    watcher = await register();
  });

  /** Each way in which a client shows up, by its credentials. */
  const knockAll = async (credentials: Record<string, string>, at: Pick<Realm, 'send'> = realm) => {
    const forms: [path: string, form: Record<string, string>][] = [
      ['/oauth/token', passwordOf('user')],
      ['/oauth/token', { grant_type: 'refresh_token', refresh_token: 'any' }],
      ['/oauth/token', { grant_type: 'authorization_code', code: 'any' }],
      ['/oauth/par', { response_type: 'code', redirect_uri: callback, scope: 'openid' }],
      ['/oauth/device_authorization', {}],
      ['/oauth/introspect', { token: 'any' }],
      ['/oauth/revoke', { token: 'any' }],
    ];
    const answers = [];
    for (const [path, form] of forms) answers.push(bodyOf(await at.send(path, { form: { ...form, ...credentials } })));
    return answers;
  };

  it('is enabled before, says so at every read, and takes true and false alone', async () => {
    const { client_id } = await register();
    const { clients } = (await realm.send('/clients?limit=200', { basic: administrator })).json<{
      clients: { client_id: string; enabled: boolean }[];
    }>();
    const listed = clients.find((one) => one.client_id === client_id);
    expect([(await read(client_id)).enabled, listed?.enabled]).toEqual([true, true]);
    for (const enabled of [null, 'false', 0, 1]) {
      const refused = await change(client_id, { enabled });
      expect([refused.status, refused.json().errors]).toEqual([
        400,
        [{ field: 'enabled', detail: 'must be true or false' }],
      ]);
    }
    const json = { ...webClient, client_id: unique('new'), enabled: false };
    expect((await realm.send('/clients', { basic: administrator, json })).status).toBe(400);
  });

  it('is told so at every endpoint after proof alone, and refused like any other without', async () => {
    const { client_id, client_secret } = await register();
    const enabled = await register();
    const proven = { client_id, client_secret };
    expect(await knockAll(proven)).not.toContainEqual(disabled);
    await set(client_id, false);
    expect(await knockAll(proven)).toEqual(Array.from({ length: 7 }, () => disabled));
    const wrong = await knockAll({ client_id, client_secret: 'wrong' });
    expect(wrong).toEqual(Array.from({ length: 7 }, () => wrongSecret));
    expect(wrong).toEqual(await knockAll({ client_id: enabled.client_id, client_secret: 'wrong' }));
    expect(await knockAll({ client_id })).toEqual(await knockAll({ client_id: enabled.client_id }));
    await set(client_id, true);
    expect(await knockAll(proven)).not.toContainEqual(disabled);
  });

  it('is told so by its secret that the server made, by its previous secret, and by its key', async () => {
    const { client_id, client_secret } = await register();
    const made = (
      await realm.send(`/clients/${client_id}/secret`, { basic: administrator, json: { grace_seconds: 60 } })
    ).json<{ client_secret: string }>().client_secret;
    await set(client_id, false);
    for (const secret of [made, client_secret]) {
      expect((await knockAll({ client_id, client_secret: secret }))[0]).toEqual(disabled);
    }
    const keyed = await register({
      client_secret: undefined,
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } },
    });
    await set(keyed.client_id, false);
    const prove = (by = key) =>
      realm.send('/oauth/token', {
        form: {
          ...passwordOf('user'),
          client_assertion: by.assertion(keyed.client_id, realm.authUrl),
          client_assertion_type: assertionType,
        },
      });
    expect(bodyOf(await prove())).toEqual(disabled);
    expect(bodyOf(await prove(createClientKey()))).toEqual(wrongSecret);
  });

  it('is told so where it is public, which has no proof', async () => {
    const { client_id } = await realm.register({ ...commandLine, client_id: unique('public') });
    await set(client_id, false);
    const answers = await knockAll({ client_id });
    expect(answers).toEqual(answers.map(() => disabled));
    expect(
      bodyOf(await realm.send('/oauth/token', { form: { client_id, client_secret: 'x', ...passwordOf('user') } })),
    ).toEqual(wrongSecret);
  });

  it('leads no user back from the authorization endpoint, by a link, a form or a pushed request', async () => {
    const { client_id, client_secret } = await register();
    const parameters = { ...codeRequest, client_id };
    const { request_uri } = (await realm.send('/oauth/par', { form: { ...parameters, client_secret } })).json<{
      request_uri: string;
    }>();
    await set(client_id, false);
    const answers = [
      await realm.send(authorizePath(parameters)),
      await realm.send(authorizePath({ ...parameters, prompt: 'none' })),
      await realm.send(authorizePath({ client_id, request_uri })),
      await realm.send('/oauth/sign-in', {
        form: { request: encodeForm(parameters), username: 'user@example.com', password: 'user-password' },
      }),
    ];
    for (const { status, text, headers } of answers) {
      expect([status, headers.location]).toEqual([400, undefined]);
      expect(text).toContain('have disabled this application (unauthorized_client)');
    }
    await set(client_id, true);
    expect((await signIn(realm, parameters)).status).toBe(303);
  });

  it('has no code any more, not even once it is enabled', async () => {
    const { client_id, client_secret } = await register();
    const client = { client_id, client_secret };
    const devices = useDevices(realm);
    const code = await obtainCode(realm, { client_id });
    const allowed = await devices.start(client);
    await devices.decide(allowed);
    const open = await devices.start(client);
    await set(client_id, false);
    const typed = await devices.decide(open);
    expect(typed.text).toContain('name="user_code"');
    await set(client_id, true);
    const redeem = { grant_type: 'authorization_code', code, redirect_uri: callback };
    for (const answer of [
      await realm.tokenRequest(client, redeem),
      await devices.poll(client, allowed),
      await devices.poll(client, open),
    ]) {
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
    }
    const next = await obtainCode(realm, { client_id });
    expect((await realm.tokenRequest(client, { ...redeem, code: next })).status).toBe(200);
    expect((await devices.connect(client)).access_token).toEqual(expect.any(String));
  });

  it('has no access token any more, and its refresh tokens go on once it is enabled', async () => {
    const { client_id, client_secret } = await register();
    const client = { client_id, client_secret };
    const before = await realm.tokens(client, passwordOf('user'));
    const offline = await realm.tokens(client, { ...passwordOf('user'), scope: 'openid offline_access' });
    const ofItself = await realm.tokens(client, { grant_type: 'client_credentials', scope: 'profile' });
    const all = [before, offline, ofItself].map(({ access_token }) => access_token);
    expect(await Promise.all(all.map(introspect))).toEqual([true, true, true]);
    expect(await askOrganization(before.access_token)).toBe(403);

    await set(client_id, false);
    expect(await Promise.all(all.map(introspect))).toEqual([false, false, false]);
    expect((await realm.send('/oauth/userinfo', { bearer: before.access_token })).status).toBe(401);
    await sleep(everywhere);
    expect(await askOrganization(before.access_token)).toBe(401);

    await set(client_id, true);
    expect(await Promise.all(all.map(introspect))).toEqual([false, false, false]);
    for (const { refresh_token = '' } of [before, offline]) {
      const refreshed = await realm.tokens(client, { grant_type: 'refresh_token', refresh_token });
      expect(await introspect(refreshed.access_token)).toBe(true);
    }
  });

  it('takes what was exchanged from its tokens with it', async () => {
    const exchanges = createExchanges(realm);
    const app = await exchanges.registerApp([]);
    const api = await exchanges.registerApi([app], realm.orgUrl, []);
    const { access_token } = await realm.tokens(app, passwordOf('user'));
    const exchanged = await exchanges.exchange(api, access_token);
    expect(await introspect(exchanged.access_token)).toBe(true);
    await set(app.client_id, false);
    expect(await introspect(exchanged.access_token)).toBe(false);
  });

  it('is refused by another replica too, within a second', async () => {
    const { client_id, client_secret } = await register();
    const credentials = { client_id, client_secret };
    expect(await knockAll(credentials, replica)).not.toContainEqual(disabled);
    await set(client_id, false);
    await sleep(everywhere);
    expect(await knockAll(credentials, replica)).toEqual(Array.from({ length: 7 }, () => disabled));
    expect((await replica.send(authorizePath({ ...codeRequest, client_id }))).text).toContain('unauthorized_client');
    await set(client_id, true);
    await sleep(everywhere);
    expect((await knockAll(credentials, replica))[0]?.[0]).toBe(200);
  });

  it('gets no token that works, however many it asks for while it is disabled', async () => {
    const { client_id, client_secret } = await register();
    const form = { client_id, client_secret, grant_type: 'client_credentials', scope: 'profile' };
    let isOver = false;
    const issued: string[] = [];
    const late: number[] = [];
    let refusedFrom = Number.POSITIVE_INFINITY;
    const ask = async (at: Pick<Realm, 'send'>) => {
      const startedAt = performance.now();
      const answer = await at.send('/oauth/token', { form });
      if (answer.status !== 200) return;
      issued.push(answer.json<TokenAnswer>().access_token);
      if (startedAt > refusedFrom) late.push(startedAt - refusedFrom);
    };
    const askOn = async (turn: number) => {
      for (; !isOver; await sleep(5)) await ask(turn % 2 === 0 ? realm : replica);
    };
    const asking = Array.from({ length: 40 }, (_, turn) => askOn(turn));
    while (issued.length < 40) await sleep(10);
    await set(client_id, false);
    refusedFrom = performance.now() + everywhere;
    await sleep(2 * everywhere);
    isOver = true;
    await Promise.all(asking);
    expect(late).toEqual([]);
    const sample = [...issued.slice(0, 20), ...issued.slice(-20)];
    expect(await Promise.all(sample.map(introspect))).toEqual(sample.map(() => false));
  });

  it('is disabled by one of forty at once that name one version', async () => {
    const { client_id } = await register();
    const tag = String((await realm.send(`/clients/${client_id}`, { basic: administrator })).headers.etag);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, turn) => change(client_id, { enabled: turn % 2 === 0 }, { 'if-match': tag })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 39 }, () => 412)]);
    const { enabled } = await read(client_id);
    expect(answers.find(({ status }) => status === 200)?.json().enabled).toBe(enabled);
  });

  it('has no grant type, scope or Robot for the release before, and has all again once it is enabled', async () => {
    const robot = `${unique('robot')}@example.com`;
    const organization = await administerOrganization(realm);
    await organization.create({ username: robot, userType: 'Robot', roles: ['SystemAdministrator'] });
    const machine = {
      client_id: unique('machine'),
      client_secret: 'a secret of the machine',
      scope: ['profile', 'roles'],
      authorized_grant_types: ['service_account'],
      srvc_ac_user_name: robot,
    };
    await realm.register(machine);
    const { client_id, client_secret } = machine;
    const administers = async () => (await realm.send('/clients', { basic: [client_id, client_secret] })).status;
    expect(await administers()).toBe(200);
    const before = await rowOf(client_id);
    const shown = await read(client_id);

    await set(client_id, false);
    const empty = { grant_types: '', scope: '', service_account_user_id: null, service_account_username: null };
    expect(await rowOf(client_id)).toMatchObject(empty);
    expect(await administers()).toBe(401);
    const { updated_at: _1, ...rest } = shown;
    expect(await read(client_id)).toMatchObject({ ...rest, enabled: false });

    await set(client_id, true);
    const { updated_at: _2, terms_at: _3, token_generation: _4, code_generation: _5, ...columns } = before;
    expect(await rowOf(client_id)).toMatchObject(columns);
    expect(await administers()).toBe(200);
  });

  it('keeps the grant types that are changed meanwhile', async () => {
    const { client_id, client_secret } = await register();
    await set(client_id, false);
    const authorized_grant_types = ['client_credentials'];
    const changed = await change(client_id, { authorized_grant_types, scope: ['profile'], redirect_uri: null });
    expect([changed.status, changed.json()]).toEqual([
      200,
      expect.objectContaining({ authorized_grant_types, scope: ['profile'], enabled: false }),
    ]);
    expect(await rowOf(client_id)).toMatchObject({ grant_types: '', scope: '' });
    await set(client_id, true);
    expect(await rowOf(client_id)).toMatchObject({ grant_types: 'client_credentials', scope: 'profile' });
    expect((await realm.tokens({ client_id, client_secret }, { grant_type: 'client_credentials' })).scope).toBe(
      'profile',
    );
  });

  it('takes a new secret, and stays disabled', async () => {
    const { client_id } = await register();
    await set(client_id, false);
    const { client_secret } = (
      await realm.send(`/clients/${client_id}/secret`, { basic: administrator, json: {} })
    ).json<{ client_secret: string }>();
    expect((await knockAll({ client_id, client_secret }))[0]).toEqual(disabled);
    expect(await rowOf(client_id)).toMatchObject({ grant_types: '', scope: '' });
  });

  it('cannot enable itself by a new registration of its own', async () => {
    const dynamic = registerDynamically(realm);
    const registered = await dynamic.register();
    const { client_id, redirect_uris } = registered;
    await set(client_id, false);
    for (const client_name of ['An agent', 'Another agent']) {
      expect((await dynamic.manage(registered, 'PUT', { client_id, redirect_uris, client_name })).status).toBe(200);
      expect((await read(client_id)).enabled).toBe(false);
      expect(await rowOf(client_id)).toMatchObject({ grant_types: '' });
    }
  });

  it('ends what is left to end where the process was killed halfway, as soon as the change is repeated', async () => {
    const { client_id, client_secret } = await register();
    const { access_token } = await realm.tokens({ client_id, client_secret }, passwordOf('user'));
    const { registration_id: id } = await rowOf(client_id);
    await set(client_id, false);
    const sql = 'SELECT list_id, first_index FROM status_blocks WHERE registration_id = ?';
    const blocks = await realm.deps.database.query<{ list_id: number; first_index: number }>(sql, [id]);
    for (const { list_id, first_index } of blocks) {
      const remove = 'DELETE FROM status_revocations WHERE list_id = ? AND first_index = ?';
      await realm.deps.database.execute(remove, [list_id, first_index]);
    }
    await set(client_id, false);
    const look = 'SELECT 1 FROM status_revocations WHERE list_id = ? AND first_index = ?';
    for (const { list_id, first_index } of blocks) {
      expect(await realm.deps.database.query(look, [list_id, first_index])).toHaveLength(1);
    }
    expect(await introspect(access_token)).toBe(false);
  });

  it('is told in the audit trail: by an event of its own, beside that of other changes', async () => {
    const { client_id, client_secret } = await register();
    await set(client_id, false);
    await knockAll({ client_id, client_secret });
    await set(client_id, true);
    await change(client_id, { enabled: false, client_name: 'App' });
    await change(client_id, { client_name: 'Another' });
    const [name] = administrator;
    const told = (await listEvents(client_id)).filter(([type]) => String(type).startsWith('client.'));
    expect(told.slice(1)).toEqual([
      ['client.disabled', {}, name],
      ['client.enabled', {}, name],
      ['client.disabled', {}, name],
      ['client.changed', { fields: ['client_name'], changes: [{ field: 'client_name', to: 'App' }] }, name],
      [
        'client.changed',
        { fields: ['client_name'], changes: [{ field: 'client_name', from: 'App', to: 'Another' }] },
        name,
      ],
    ]);
    const { events } = (
      await realm.send(`/audit-events?subject=${client_id}&type=client_authentication.refused`, {
        basic: administrator,
      })
    ).json<{ events: { reason: string }[] }>();
    expect(new Set(events.map(({ reason }) => reason))).toEqual(new Set(['client_disabled']));
  });

  it('is changed by those alone who may change it', async () => {
    const { client_id } = await register();
    for (const basic of [
      ['user@example.com', 'user-password'],
      ['idp.admin@example.com', 'idp-password'],
    ] as [string, string][]) {
      const refused = await realm.send(`/clients/${client_id}`, { method: 'PATCH', basic, json: { enabled: false } });
      expect(refused.status).toBe(403);
    }
    expect((await read(client_id)).enabled).toBe(true);
  });
});
