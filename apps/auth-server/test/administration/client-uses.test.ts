import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertionType, createClientKey, findFreePort, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeRequest, obtainCode, readRedirect, signIn } from '../support/browser.ts';
import { commandLine, useDevices } from '../support/device.ts';
import { registerDynamically } from '../support/dynamic-clients.ts';
import {
  administrator,
  callback,
  createSender,
  passwordOf,
  type Realm,
  startAuthServer,
  webClient,
} from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const hour = 3_600_000;
const times = ['last_used_at', 'secret_last_used_at', 'previous_secret_last_used_at'] as const;

type Shown = Record<string, unknown> & Partial<Record<(typeof times)[number], string>>;

describe.each(testDialects)('what reads of a client say of its secrets and uses, on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'open' });
    replica = await startReplica(realm, {});
  });
  afterAll(async () => {
    await replica?.close();
    await realm.close();
  });

  const unique = (kind: string) => `${kind}-${randomBytes(6).toString('hex')}`;
  const register = (changes: object = {}) => realm.register({ ...webClient, client_id: unique('used'), ...changes });
  const read = async (client_id: string, at: Pick<Realm, 'send'> = realm) =>
    (await at.send(`/clients/${client_id}`, { basic: administrator })).json<Shown>();
  const replace = async (client_id: string, json: object) =>
    (await realm.send(`/clients/${client_id}/secret`, { basic: administrator, json })).json<{ client_secret: string }>()
      .client_secret;
  const timesOf = async (client_id: string) => {
    const shown = await read(client_id);
    return times.map((name) => shown[name] !== undefined);
  };
  /** Uses are written every two seconds. */
  const untilShown = async (client_id: string, isThere: (shown: Shown) => boolean): Promise<Shown> => {
    for (const deadline = performance.now() + 20_000; ; await sleep(100)) {
      const shown = await read(client_id);
      if (isThere(shown)) return shown;
      if (performance.now() > deadline) throw new Error(JSON.stringify(shown));
    }
  };

  it('say when the secret was set and by whom, and until when the one before works', async () => {
    const before = realm.clock();
    const { client_id } = await register();
    const chosen = await read(client_id);
    expect([chosen.secret_made_here, chosen.previous_secret_expires_at, chosen.dynamic]).toEqual([
      false,
      undefined,
      false,
    ]);
    expect(Date.parse(String(chosen.secret_set_at))).toBeGreaterThanOrEqual(before);
    realm.advance(1_000);
    await replace(client_id, { grace_seconds: 60 });
    const made = await read(client_id);
    expect(made.secret_made_here).toBe(true);
    const setAt = Date.parse(String(made.secret_set_at));
    expect(setAt - Date.parse(String(chosen.secret_set_at))).toBeGreaterThanOrEqual(1_000);
    expect(Date.parse(String(made.previous_secret_expires_at)) - setAt).toBe(60_000);
    await realm.send(`/clients/${client_id}`, { method: 'PATCH', basic: administrator, json: { client_name: 'App' } });
    expect(await read(client_id)).toMatchObject({ secret_set_at: made.secret_set_at, client_name: 'App' });
    realm.advance(60_000);
    expect(await read(client_id)).not.toHaveProperty('previous_secret_expires_at');
  });

  it('say nothing of a secret where there is none, or where the release before set it', async () => {
    const pub = await register({ client_secret: undefined, authorized_grant_types: ['authorization_code'] });
    expect(Object.keys(await read(pub.client_id)).filter((name) => name.includes('secret'))).toEqual([]);
    const { client_id } = await register();
    await realm.deps.database.execute('UPDATE clients SET secret_set_at = NULL WHERE client_id = ?', [client_id]);
    expect(Object.keys(await read(client_id)).filter((name) => name.includes('secret'))).toEqual([]);
    await replace(client_id, {});
    expect(await read(client_id)).toMatchObject({ secret_set_at: expect.any(String), secret_made_here: true });
    await realm.deps.database.execute('UPDATE clients SET secret_set_at = NULL WHERE client_id = ?', [client_id]);
    expect(await read(client_id)).toMatchObject({ secret_made_here: true });
  });

  it('say which client registered itself, with the secret that was made', async () => {
    const dynamic = registerDynamically(realm);
    const body = { redirect_uris: [callback], token_endpoint_auth_method: 'client_secret_basic' };
    const { client_id } = await dynamic.register(body, await dynamic.createToken());
    expect(await read(client_id)).toMatchObject({
      ...{ dynamic: true, secret_made_here: true, enabled: true },
      secret_set_at: expect.any(String),
    });
  });

  it('say when a token was issued and a secret was used, at a list too, and no other version comes of it', async () => {
    const { client_id, client_secret } = await register();
    const first = await realm.send(`/clients/${client_id}`, { basic: administrator });
    expect(await timesOf(client_id)).toEqual([false, false, false]);
    const before = realm.clock();
    await realm.tokens({ client_id, client_secret }, passwordOf('user'));
    const shown = await untilShown(client_id, ({ last_used_at }) => last_used_at !== undefined);
    for (const name of ['last_used_at', 'secret_last_used_at'] as const) {
      expect(Date.parse(String(shown[name]))).toBeGreaterThanOrEqual(before);
    }
    expect(shown).not.toHaveProperty('previous_secret_last_used_at');
    const again = await realm.send(`/clients/${client_id}`, { basic: administrator });
    expect([again.headers.etag, shown.updated_at]).toEqual([first.headers.etag, first.json().updated_at]);
    const { clients } = (await replica.send('/clients?limit=200', { basic: administrator })).json<{
      clients: Shown[];
    }>();
    expect(clients.find((one) => one.client_id === client_id)).toEqual(shown);
    const stale = await realm.send(`/clients/${client_id}`, {
      ...{ method: 'PATCH', basic: administrator, json: {} },
      headers: { 'if-match': '"stale"' },
    });
    expect([stale.status, stale.json().current]).toEqual([412, shown]);
  });

  it('count a token of any grant, and a secret wherever it proves the client', async () => {
    const [implicit, introspecting, byCode] = [
      await register({ authorized_grant_types: ['implicit'] }),
      await register(),
      await register(),
    ];
    const device = await realm.register({ ...commandLine, client_id: unique('device') });
    const key = createClientKey();
    const keyed = await register({
      client_secret: undefined,
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } },
    });
    const parameters = { ...codeRequest, client_id: implicit.client_id, response_type: 'token' };
    expect(readRedirect(await signIn(realm, parameters)).parameters.access_token).toEqual(expect.any(String));
    await useDevices(realm).connect(device);
    const form = {
      client_assertion: key.assertion(keyed.client_id, realm.authUrl),
      ...{ client_assertion_type: assertionType, ...passwordOf('user') },
    };
    expect((await realm.send('/oauth/token', { form })).status).toBe(200);
    await realm.send('/oauth/introspect', {
      basic: [introspecting.client_id, introspecting.client_secret ?? ''],
      form: { token: 'x' },
    });
    const code = await obtainCode(realm, { client_id: byCode.client_id });
    await realm.tokens(byCode, { grant_type: 'authorization_code', code, redirect_uri: callback });

    for (const { client_id } of [implicit, device, keyed, byCode]) {
      await untilShown(client_id, ({ last_used_at }) => last_used_at !== undefined);
    }
    await untilShown(introspecting.client_id, (shown) => shown.secret_last_used_at !== undefined);
    const clients = [implicit, device, keyed, introspecting, byCode];
    expect(await Promise.all(clients.map(({ client_id }) => timesOf(client_id)))).toEqual([
      [true, false, false],
      [true, false, false],
      [true, false, false],
      [false, true, false],
      [true, true, false],
    ]);
  });

  it('count nothing that is refused, nor a check by an administrator', async () => {
    const { client_id, client_secret = '' } = await register();
    const form = passwordOf('user');
    await realm.tokenRequest({ client_id, client_secret: 'wrong' }, form);
    await realm.send(`/clients/${client_id}/secret-checks`, { basic: administrator, json: { secret: client_secret } });
    const set = (enabled: boolean) =>
      realm.send(`/clients/${client_id}`, { method: 'PATCH', basic: administrator, json: { enabled } });
    await set(false);
    expect((await realm.tokenRequest({ client_id, client_secret }, form)).status).toBe(401);
    await set(true);
    await sleep(2_500);
    expect(await timesOf(client_id)).toEqual([false, false, false]);
    expect((await realm.tokenRequest({ client_id, client_secret }, { ...form, password: 'wrong' })).status).toBe(400);
    await untilShown(client_id, (shown) => shown.secret_last_used_at !== undefined);
    expect(await timesOf(client_id)).toEqual([false, true, false]);
  });

  it('keep the uses of each secret apart: the one before keeps its own, and the new one begins without', async () => {
    const { client_id, client_secret } = await register();
    const use = (secret: string | undefined) => realm.tokens({ client_id, client_secret: secret }, passwordOf('user'));
    await use(client_secret);
    const { secret_last_used_at: first } = await untilShown(
      client_id,
      (shown) => shown.secret_last_used_at !== undefined,
    );
    realm.advance(1_000);
    const made = await replace(client_id, { grace_seconds: 30 * 86_400 });
    expect(await read(client_id)).toMatchObject({ previous_secret_last_used_at: first });
    expect(await timesOf(client_id)).toEqual([true, false, true]);

    await use(made);
    const both = await untilShown(client_id, (shown) => shown.secret_last_used_at !== undefined);
    expect(both.previous_secret_last_used_at).toBe(first);
    expect(Date.parse(String(both.secret_last_used_at)) - Date.parse(String(first))).toBeGreaterThanOrEqual(1_000);

    realm.advance(hour);
    await use(client_secret);
    const late = await untilShown(client_id, (shown) => shown.previous_secret_last_used_at !== first);
    expect(late.secret_last_used_at).toBe(both.secret_last_used_at);
    await realm.send(`/clients/${client_id}/secret/previous`, { method: 'DELETE', basic: administrator });
    expect(await timesOf(client_id)).toEqual([true, true, false]);
  });

  it('are as of the last hour: a process notes a use again when an hour is over', async () => {
    const { client_id, client_secret } = await register();
    const use = () => realm.tokens({ client_id, client_secret }, passwordOf('user'));
    await use();
    const { last_used_at: first } = await untilShown(client_id, ({ last_used_at }) => last_used_at !== undefined);
    realm.advance(hour - 60_000);
    await use();
    await sleep(2_500);
    expect((await read(client_id)).last_used_at).toBe(first);
    realm.advance(60_000);
    await use();
    const { last_used_at: second } = await untilShown(client_id, ({ last_used_at }) => last_used_at !== first);
    expect(Date.parse(String(second)) - Date.parse(String(first))).toBeGreaterThanOrEqual(hour);
    // Another process has noted none, and its use is the later one.
    realm.advance(60_000);
    const basic: [string, string] = [client_id, client_secret ?? ''];
    expect((await replica.send('/oauth/token', { basic, form: passwordOf('user') })).status).toBe(200);
    await untilShown(client_id, ({ last_used_at }) => last_used_at !== second);
  });

  it('outlive the process: what it noted last is written as it ends', async () => {
    const { client_id, client_secret = '' } = await register();
    const port = await findFreePort();
    const process = await startAuthServer(port, realm.env, realm.clock);
    const send = createSender(process.app);
    const answer = await send('/oauth/token', { basic: [client_id, client_secret], form: passwordOf('user') });
    expect(answer.status).toBe(200);
    await process.stop();
    expect(await timesOf(client_id)).toEqual([true, true, false]);
  });

  it('are gone with the client, and a later one of its name has none', async () => {
    const { client_id, client_secret } = await register();
    await realm.tokens({ client_id, client_secret }, passwordOf('user'));
    await untilShown(client_id, ({ last_used_at }) => last_used_at !== undefined);
    const sql = `SELECT COUNT(*) AS n FROM client_uses
      WHERE kind <> 'beginning' AND registration NOT IN (SELECT registration_id FROM clients)`;
    await realm.send(`/clients/${client_id}`, { method: 'DELETE', basic: administrator });
    expect(Number((await realm.deps.database.query<{ n: number }>(sql, []))[0]?.n)).toBe(0);
    await register({ client_id });
    expect(await timesOf(client_id)).toEqual([false, false, false]);
  });
});
