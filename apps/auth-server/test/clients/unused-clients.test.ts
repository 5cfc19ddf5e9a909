import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ClientInformation,
  type DynamicClients,
  obtainAllowedCode,
  obtainTokens,
  openBody,
  startOpenRealm,
} from '../support/dynamic-clients.ts';
import { administrator, callback, type Realm, startAuthServer, type TokenAnswer } from '../support/realm.ts';

const hour = 3_600_000;
const minute = 60_000;
const day = 24 * hour;

describe.each(testDialects)('clients that nobody uses, on %s', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;
  let replica: Awaited<ReturnType<typeof startAuthServer>>;
  beforeAll(async () => {
    ({ realm, dynamic } = await startOpenRealm(dialect));
    replica = await startAuthServer(0, realm.env, realm.clock);
  });
  afterAll(async () => {
    await replica.stop();
    await realm.close();
  });

  const isThere = async (client: ClientInformation) => (await dynamic.manage(client, 'GET')).status === 200;
  const purge = () => realm.deps.purgeLapsedClients();
  const refreshing = { ...openBody, grant_types: ['authorization_code', 'refresh_token'] };
  const refresh = ({ refresh_token = '' }: TokenAnswer) => ({ grant_type: 'refresh_token', refresh_token });

  it('are gone after 24 hours where they never had a token', async () => {
    const registered = await dynamic.register();
    await obtainAllowedCode(realm, registered);
    realm.advance(day - minute);
    await purge();
    expect(await isThere(registered)).toBe(true);
    realm.advance(minute);
    expect(await purge()).toBe(1);
    expect(await isThere(registered)).toBe(false);
    const answer = await realm.send('/audit-events?type=client.deleted&limit=1', { basic: administrator });
    expect(answer.json<{ events: object[] }>().events).toEqual([
      expect.objectContaining({
        actor: { kind: 'service', name: 'auth-server' },
        subject: expect.objectContaining({ name: registered.client_id }),
      }),
    ]);
  });

  it('are gone 30 days after their last token, and not while a refresh token lives', async () => {
    const registered = await dynamic.register(refreshing);
    let tokens = await obtainTokens(realm, registered, { scope: 'openid offline_access' });
    realm.advance(29 * day);
    await purge();
    tokens = await realm.tokens(registered, refresh(tokens));
    realm.advance(30 * day - minute);
    expect(await purge()).toBe(0);
    tokens = await realm.tokens(registered, refresh(tokens));
    realm.advance(30 * day + 2 * hour);
    expect((await realm.tokenRequest(registered, refresh(tokens))).status).toBe(400);
    expect(await purge()).toBe(1);
    expect(await isThere(registered)).toBe(false);
  });

  it('stay where they have a token for themselves', async () => {
    const token = await dynamic.createToken({ grant_types: ['client_credentials'] });
    const registered = await dynamic.register({ scope: 'openid' }, token);
    await realm.tokens(registered, { grant_type: 'client_credentials' });
    realm.advance(29 * day);
    await purge();
    expect(await isThere(registered)).toBe(true);
    realm.advance(day + 2 * hour);
    await purge();
    expect(await isThere(registered)).toBe(false);
  });

  it('are no clients of administrators, whatever their age', async () => {
    const client_id = 'of-an-administrator';
    const code = { authorized_grant_types: ['authorization_code'], redirect_uri: callback };
    await realm.register({ client_id, scope: ['openid'], ...code });
    realm.advance(400 * day);
    await purge();
    expect((await realm.send(`/clients/${client_id}`, { basic: administrator })).status).toBe(200);
  });

  it('are deleted by one of two replicas, and no other registration goes with them', async () => {
    const unused = await Promise.all(Array.from({ length: 6 }, () => dynamic.register()));
    realm.advance(day);
    const fresh = await dynamic.register();
    const countDeleted = async () => {
      const events = await realm.send('/audit-events?type=client.deleted&limit=200', { basic: administrator });
      return events.json<{ events: unknown[] }>().events.length;
    };
    const before = await countDeleted();
    await Promise.all([purge(), replica.deps.purgeLapsedClients(), purge()]);
    expect((await countDeleted()) - before).toBe(6);
    expect(await Promise.all(unused.map(isThere))).toEqual(unused.map(() => false));
    expect(await isThere(fresh)).toBe(true);
  });

  it('keep the time they have when they are changed', async () => {
    const registered = await dynamic.register();
    realm.advance(day - hour);
    const body = { ...openBody, client_id: registered.client_id, client_name: 'Another' };
    expect((await dynamic.manage(registered, 'PUT', body)).status).toBe(200);
    const path = `/clients/${registered.client_id}`;
    const json = { client_name: 'A third' };
    expect((await realm.send(path, { method: 'PATCH', basic: administrator, json })).status).toBe(200);
    await purge();
    expect(await isThere(registered)).toBe(true);
    realm.advance(hour);
    await purge();
    expect(await isThere(registered)).toBe(false);
  });

  it('are used once an hour: a token in between costs no statement more', async () => {
    const token = await dynamic.createToken({ grant_types: ['client_credentials'] });
    const registered = await dynamic.register({ scope: 'openid' }, token);
    const readLapse = async () => {
      const sql = 'SELECT lapses_at FROM clients WHERE client_id = ?';
      const [row] = await realm.deps.database.query<{ lapses_at: number }>(sql, [registered.client_id]);
      return Number(row?.lapses_at);
    };
    const first = await readLapse();
    const issue = async (count: number) => {
      for (let turn = 0; turn < count; turn += 1) await realm.tokens(registered, { grant_type: 'client_credentials' });
    };
    await issue(1);
    const used = await readLapse();
    expect(used - first).toBeGreaterThan(28 * day);
    await issue(40);
    expect(await readLapse()).toBe(used);
    realm.advance(2 * hour);
    await issue(1);
    expect((await readLapse()) - used).toBeGreaterThanOrEqual(2 * hour);
  });
});

describe.each(testDialects)('consent to clients that registered themselves, on %s,', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;
  beforeAll(async () => {
    ({ realm, dynamic } = await startOpenRealm(dialect));
  });
  afterAll(() => realm.close());

  /** Whether a second request is answered without a page. */
  const isRemembered = async (client: ClientInformation): Promise<boolean> => {
    const browser = createTestBrowser();
    await obtainAllowedCode(realm, client, { browser });
    const silent = obtainAllowedCode(realm, client, { browser, more: { prompt: 'none' } });
    const failure = await silent.then(() => undefined).catch((error: Error) => error);
    if (failure !== undefined) expect(failure.message).toContain('consent_required');
    await obtainAllowedCode(realm, client, { browser });
    return failure === undefined;
  };

  it.each<[string, string[]]>([
    ['on the loopback interface', ['http://127.0.0.1:8976/callback']],
    ['with a scheme of its own', ['com.example.app:/callback']],
    ['with https at two hosts', ['https://agent.example.com/callback', 'https://other.example.org/callback']],
    ['with one of these beside https', ['https://agent.example.com/callback', 'http://localhost:8976/callback']],
  ])('is asked for each time of a public client %s (RFC 6749 10.2)', async (_what, redirect_uris) =>
    expect(await isRemembered(await dynamic.register({ redirect_uris }))).toBe(false),
  );

  it('is asked for once of a public client whose redirect URIs are all https at one host, and of one that authenticates', async () => {
    const redirect_uris = ['https://agent.example.com/callback', 'HTTPS://agent.example.com/other'];
    expect(await isRemembered(await dynamic.register({ redirect_uris }))).toBe(true);
    const native = { redirect_uris: ['http://127.0.0.1:8976/callback'] };
    expect(await isRemembered(await dynamic.register(native, await dynamic.createToken()))).toBe(true);
  });

  it('is asked for each time also after an administrator took require_consent away', async () => {
    const registered = await dynamic.register({ redirect_uris: ['http://127.0.0.1:8976/callback'] });
    const path = `/clients/${registered.client_id}`;
    await realm.send(path, { method: 'PATCH', basic: administrator, json: { require_consent: false } });
    expect(await isRemembered(registered)).toBe(false);
  });
});
