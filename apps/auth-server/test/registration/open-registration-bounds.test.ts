import { randomBytes } from 'node:crypto';
import { type Answer, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClientStore } from '../../src/clients/client-store.ts';
import { buildClient } from '../support/builders.ts';
import {
  type ClientInformation,
  createAddress,
  type DynamicClients,
  obtainTokens,
  openBody,
  startOpenRealm,
  webCallback,
} from '../support/dynamic-clients.ts';
import { administrator, createSender, type Realm, startAuthServer } from '../support/realm.ts';

const hour = 3_600_000;

describe.each(testDialects)('the bounds of open registration, on %s', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;
  let replica: Awaited<ReturnType<typeof startAuthServer>>;
  let sendToReplica: ReturnType<typeof createSender>;
  beforeAll(async () => {
    ({ realm, dynamic } = await startOpenRealm(dialect));
    replica = await startAuthServer(0, realm.env, realm.clock);
    sendToReplica = createSender(replica.app);
  });
  /** Each test has an hour of the clock to itself. */
  beforeEach(() => realm.advance(hour - (realm.clock() % hour)));
  afterAll(async () => {
    await replica.stop();
    await realm.close();
  });

  let names = 0;
  /** A body that nobody sent before. */
  const another = () => {
    names += 1;
    return { ...openBody, client_name: `An agent ${names}` };
  };
  const sendFrom = (address: string, json: object = another()) => dynamic.send(json, { 'x-forwarded-for': address });
  /** At one replica after the other. */
  const sendAnywhere = (turn: number, json: object, address: string) =>
    turn % 2 === 0
      ? sendFrom(address, json)
      : sendToReplica('/oauth/register', { json, headers: { 'x-forwarded-for': address } });
  const countStatuses = (answers: readonly Answer[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  const read = (client: ClientInformation) => dynamic.manage(client, 'GET');
  const countUnused = async () => {
    const sql = 'SELECT COUNT(*) AS n FROM clients WHERE unused_hash IS NOT NULL';
    return Number((await realm.deps.database.query<{ n: number }>(sql))[0]?.n);
  };
  /** Until this many clients were never used. */
  const fillTo = async (most: number) => {
    const store = createClientStore(realm.deps.database);
    const left = most - (await countUnused());
    const now = realm.clock();
    const dynamicFields = { tokenHash: randomBytes(32), initialToken: undefined, applicationType: undefined };
    for (let index = 0; index < left; index += 1) {
      const client = buildClient({ dynamic: dynamicFields, lapsesAt: now + 24 * hour, createdAt: now, updatedAt: now });
      expect(await store.insert(client, randomBytes(32))).toBe(true);
    }
  };

  it('are 200 clients an hour from a /48, and 20 of each /64', async () => {
    const sending = Array.from({ length: 231 }, (_, index) =>
      sendFrom(`2001:db8:7:${(index % 11).toString(16)}::${index.toString(16)}`),
    );
    const answers = await Promise.all(sending);
    expect(countStatuses(answers)).toEqual({ 201: 200, 429: 31 });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.json().error).toBe('temporarily_unavailable');
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await sendFrom('2001:db8:7:ffff::1')).status).toBe(429);
    expect((await sendFrom('2001:db8:8::1')).status).toBe(201);
    realm.advance(hour);
    expect((await sendFrom('2001:db8:7:ffff::1')).status).toBe(201);
  });

  it('are 4 KiB of a body and five redirect URIs, also in a change', async () => {
    const uris = (length: number) => Array.from({ length }, (_, index) => `${webCallback}/${index}`);
    const sized = (bytes: number) => {
      const body = { ...another(), padding: '' };
      return { ...body, padding: 'x'.repeat(bytes - JSON.stringify(body).length) };
    };
    const registered = await dynamic.register({ ...another(), redirect_uris: uris(5) });
    const tellAbout = async (json: object) => {
      const { client_id } = registered;
      const answers = [await dynamic.send(json), await dynamic.manage(registered, 'PUT', { client_id, ...json })];
      return answers.map(({ status, text }) => [status, text]);
    };
    for (const answer of await tellAbout({ ...another(), redirect_uris: uris(6) })) {
      expect(answer).toEqual([400, expect.stringMatching(/invalid_redirect_uri.*must have at most 5 entries/)]);
    }
    for (const answer of await tellAbout(sized(4_097))) {
      expect(answer).toEqual([400, expect.stringMatching(/invalid_client_metadata.*must have at most 4096 bytes/)]);
    }
    expect((await dynamic.send(sized(4_096))).status).toBe(201);
    const token = await dynamic.createToken({ uses: 1 });
    expect((await dynamic.register({ ...sized(9_000), redirect_uris: uris(20) }, token)).redirect_uris).toHaveLength(
      20,
    );
  });

  it('make equal metadata of one network one client, whose token the later one has', async () => {
    const [body, address] = [another(), '2001:db8:9:1::1'];
    const first = (await sendFrom(address, body)).json<ClientInformation>();
    const again = await sendFrom('2001:db8:9:1::ffff', body);
    expect(again.status).toBe(201);
    const second = again.json<ClientInformation>();
    expect(second).toEqual({ ...first, registration_access_token: expect.any(String) });
    expect(second.registration_access_token).not.toBe(first.registration_access_token);
    expect([(await read(first)).status, (await read(second)).status]).toEqual([401, 200]);
    for (const [elsewhere, json] of [
      ['2001:db8:9:2::1', body],
      [address, { ...body, client_name: 'Another' }],
      [address, { ...body, application_type: 'native' }],
      [address, { ...body, scope: 'openid' }],
    ] as const) {
      expect((await sendFrom(elsewhere, json)).json().client_id).not.toBe(first.client_id);
    }
  });

  it('put off the end of a client that is registered again, and count it against its network', async () => {
    const [body, address] = [another(), createAddress()];
    const first = (await sendFrom(address, body)).json<ClientInformation>();
    realm.advance(23 * hour);
    const again = (await sendFrom(address, body)).json<ClientInformation>();
    realm.advance(23 * hour);
    while ((await realm.deps.purgeLapsedClients()) > 0);
    expect([again.client_id, (await read(again)).status]).toEqual([first.client_id, 200]);
    const busy = createAddress();
    const answers = await Promise.all(Array.from({ length: 25 }, () => sendFrom(busy, body)));
    expect(countStatuses(answers)).toEqual({ 201: 20, 429: 5 });
  });

  it('make one client of sixteen equal registrations at the same moment, at two replicas', async () => {
    const [body, address] = [another(), createAddress()];
    const answers = await Promise.all(Array.from({ length: 16 }, (_, turn) => sendAnywhere(turn, body, address)));
    const registered = answers.filter(({ status }) => status === 201).map((answer) => answer.json<ClientInformation>());
    expect(countStatuses(answers)).toEqual({ 201: 16 });
    expect(new Set(registered.map(({ client_id }) => client_id)).size).toBe(1);
    const good = await Promise.all(registered.map(async (client) => (await read(client)).status));
    expect(good.filter((status) => status === 200)).toHaveLength(1);
  });

  it.each<[string, (client: ClientInformation) => Promise<unknown>]>([
    ['had a token', (client) => obtainTokens(realm, client)],
    ['changed what it says', (client) => dynamic.manage(client, 'PUT', { ...another(), client_id: client.client_id })],
    [
      'was changed by an administrator',
      (client) =>
        realm.send(`/clients/${client.client_id}`, {
          method: 'PATCH',
          basic: administrator,
          json: { access_token_validity: 60 },
        }),
    ],
    ['deleted itself', (client) => dynamic.manage(client, 'DELETE')],
  ])('give nobody a client that %s', async (_what, act) => {
    const [body, address] = [another(), createAddress()];
    const first = (await sendFrom(address, body)).json<ClientInformation>();
    await act(first);
    const before = (await read(first)).status;
    const second = (await sendFrom(address, body)).json<ClientInformation>();
    expect(second.client_id).not.toBe(first.client_id);
    expect((await read(first)).status).toBe(before);
  });

  it('give nobody a client whose use the release before noted, which knows no hash', async () => {
    const [body, address] = [another(), createAddress()];
    const first = (await sendFrom(address, body)).json<ClientInformation>();
    const sql = 'UPDATE clients SET lapses_at = ? WHERE client_id = ?';
    await realm.deps.database.execute(sql, [realm.clock() + 30 * 24 * hour, first.client_id]);
    const second = (await sendFrom(address, body)).json<ClientInformation>();
    expect(second.client_id).not.toBe(first.client_id);
    expect((await read(first)).status).toBe(200);
  });

  it('are 1,000 clients of the realm that never had a token, also of several at the same moment', async () => {
    await fillTo(997);
    const [used, equal] = [another(), another()];
    const client = (await sendFrom('192.0.2.1', used)).json<ClientInformation>();
    expect((await sendFrom('192.0.2.1', equal)).status).toBe(201);
    const at = (turn: number) => sendAnywhere(turn, another(), createAddress());
    const answers = await Promise.all(Array.from({ length: 16 }, (_, turn) => at(turn)));
    expect(countStatuses(answers)[503]).toBeGreaterThanOrEqual(15);
    expect(await countUnused()).toBeLessThanOrEqual(1_000);
    realm.advance(2_000);
    await fillTo(1_000);
    const full = await sendFrom(createAddress());
    expect([full.status, full.json().error]).toEqual([503, 'temporarily_unavailable']);
    expect(full.headers['retry-after']).toBe('60');
    expect(await countUnused()).toBe(1_000);
    // A client that is there already, and one that an administrator lets, need no room.
    expect((await sendFrom('192.0.2.1', equal)).status).toBe(201);
    await dynamic.register(another(), await dynamic.createToken());
    await obtainTokens(realm, client);
    expect((await sendFrom(createAddress())).status).toBe(503);
    realm.advance(2_000);
    expect((await sendFrom(createAddress())).status).toBe(201);
    realm.advance(25 * hour);
    while ((await realm.deps.purgeLapsedClients()) > 0);
    expect(await countUnused()).toBe(0);
  });
});
