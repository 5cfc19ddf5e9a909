import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, readHeader, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import { generateSigningKey } from '../../src/keys/signing-key.ts';
import { createSigningKeyStore } from '../../src/keys/signing-key-store.ts';
import { signInAtConsole } from '../support/console.ts';
import { administrator, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const idpAdministrator: [string, string] = ['idp.admin@example.com', 'idp-password'];
const user: [string, string] = ['user@example.com', 'user-password'];

interface Key {
  kid: string;
  alg: string;
  state: string;
  publishAt: string;
  signFrom: string;
  expiresAt: string;
  jwk: Record<string, unknown>;
}

describe.each(testDialects)('signing keys for administrators on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  const open: (() => Promise<unknown>)[] = [];

  // Each rotation is one of a realm of its own: a key waits for ten minutes.
  beforeEach(async () => {
    await closeAll();
    realm = await startRealmOn(dialect);
    open.push(realm.close);
    replica = await startReplica(realm, {});
    open.unshift(replica.close);
  });
  const closeAll = async () => {
    for (const close of open.splice(0)) await close();
  };
  afterAll(closeAll);

  /** org-api has not seen the new keys where the clock leaps to the time at which they sign. */
  const patiently = async (ask: () => Promise<Answer>): Promise<Answer> => {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const answer = await ask();
      if (answer.status < 500 || Date.now() > deadline) return answer;
      await sleep(200);
    }
  };
  const read = async (basic = administrator, { send }: Pick<Realm, 'send'> = realm): Promise<Key[]> => {
    const answer = await patiently(() => send('/keys', { basic }));
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json<{ keys: Key[] }>().keys;
  };
  const rotate = (basic = administrator, { send }: Pick<Realm, 'send'> = realm) =>
    patiently(() => send('/keys/rotate', { method: 'POST', basic }));
  const keysOf = (answer: Answer) => answer.json<{ keys: Key[] }>().keys;
  const statesOf = (keys: Key[]) => keys.map(({ alg, state }) => `${alg} ${state}`);
  const listEvents = async () =>
    (await realm.send('/audit-events?type=keys.rotated', { basic: administrator })).json<{ events: object[] }>().events;

  it('are listed with state, times and the public key that the key set shows, and no member of the private one', async () => {
    const keys = await read();
    expect(statesOf(keys)).toEqual(['ES256 signing', 'RS256 signing']);
    const shown = (await realm.send('/oauth/jwks')).json<{ keys: { kid: string }[] }>().keys;
    for (const { kid, alg, jwk, publishAt, signFrom, expiresAt } of keys) {
      expect(jwk).toEqual(shown.find((key) => key.kid === kid));
      expect(jwk).toMatchObject({ kid, alg, use: 'sig' });
      for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(jwk).not.toHaveProperty(member);
      expect(signFrom).toBe(publishAt);
      expect(new Date(expiresAt).toISOString()).toBe(expiresAt);
      expect(Date.parse(expiresAt)).toBeGreaterThan(realm.clock() + 365 * day);
    }
    expect(await read(idpAdministrator, replica)).toEqual(keys);
  });

  it('are rotated: the next ones wait ten minutes, then sign, and those before stay for what they signed', async () => {
    const [before] = await read();
    const answer = await rotate();
    expect([answer.status, answer.headers['cache-control']]).toEqual([202, 'no-store']);
    const keys = keysOf(answer);
    expect(statesOf(keys)).toEqual(['ES256 signing', 'ES256 waiting', 'RS256 signing', 'RS256 waiting']);
    expect(await read(administrator, replica)).toEqual(keys);
    const [signing, waiting] = keys as [Key, Key];
    expect(signing.kid).toBe(before?.kid);
    expect(Date.parse(waiting.signFrom) - Date.parse(waiting.publishAt)).toBe(10 * minute);
    expect(Date.parse(signing.expiresAt)).toBe(Date.parse(waiting.signFrom) + day + 5 * minute);
    const machine = { ...webClient, client_id: 'machine', authorized_grant_types: ['client_credentials'] };
    await realm.register(machine);
    await realm.deps.signingKeys.load();
    realm.advance(10 * minute + 1_000);
    const { access_token } = await realm.tokens(machine, { grant_type: 'client_credentials' });
    expect(readHeader(access_token)).toMatchObject({ kid: waiting.kid });
    expect(statesOf(await read())).toEqual(['ES256 retiring', 'ES256 signing', 'RS256 retiring', 'RS256 signing']);
  });

  it('are not rotated while a rotation is under way: 409, until the new ones sign', async () => {
    const keys = keysOf(await rotate());
    for (const at of [realm, replica]) {
      const answer = await rotate(administrator, at);
      expect([answer.status, answer.json().detail]).toEqual([
        409,
        'a rotation is under way: a key waits for its time to sign',
      ]);
    }
    expect(await read()).toEqual(keys);
    realm.advance(10 * minute + 1_000);
    expect((await rotate()).status).toBe(202);
    expect((await read()).filter(({ alg }) => alg === 'ES256')).toHaveLength(3);
  });

  it('are rotated once by twenty at the same moment, at two replicas', async () => {
    const senders = Array.from({ length: 20 }, (_, turn) => (turn % 2 === 0 ? realm : replica));
    const statuses = (await Promise.all(senders.map((at) => rotate(administrator, at)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    expect(statesOf(await read())).toEqual(['ES256 signing', 'ES256 waiting', 'RS256 signing', 'RS256 waiting']);
    expect(await listEvents()).toHaveLength(1);
  });

  it('are not rotated where a stored one cannot be read: 409, and nothing changes', async () => {
    const store = createSigningKeyStore(realm.deps.database);
    const schedule = { generation: 7, publishAt: 1, signFrom: 1, expiresAt: realm.clock() + day };
    const stranger = await generateSigningKey('RS256', schedule, createKeyEncryption(randomBytes(32)));
    await store.insert(stranger);
    const answer = await rotate();
    expect([answer.status, answer.json().detail]).toEqual([409, expect.stringContaining(stranger.kid)]);
    expect((await read()).map(({ state }) => state)).not.toContain('waiting');
    expect(await listEvents()).toEqual([]);
  });

  it('are rotated with an event, which names the administrator', async () => {
    await rotate();
    expect(await listEvents()).toMatchObject([
      {
        outcome: 'succeeded',
        actor: { kind: 'user', name: administrator[0] },
        subject: { kind: 'keys' },
        details: { sign_after_seconds: 600 },
      },
    ]);
  });

  it('need an administrator to be read, and a SystemAdministrator to be rotated', async () => {
    expect((await realm.send('/keys')).status).toBe(401);
    expect((await realm.send('/keys', { basic: user })).status).toBe(403);
    for (const basic of [idpAdministrator, user]) {
      const answer = await rotate(basic);
      expect([answer.status, answer.json().detail]).toEqual([403, expect.stringContaining('SystemAdministrator')]);
    }
    expect((await realm.send('/keys/rotate', { method: 'POST' })).status).toBe(401);
    expect(statesOf(await read())).toEqual(['ES256 signing', 'RS256 signing']);
  });

  it('take a fresh sign-in to be rotated, through a client that limits grave acts', async () => {
    const json = { ...webClient, client_id: 'grave', administration_max_age: 60 };
    await realm.register(json);
    const { access_token: bearer } = await realm.tokens(json, passwordOf('admin'));
    realm.advance(61_000);
    const answer = await realm.send('/keys/rotate', { method: 'POST', bearer });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('insufficient_user_authentication'),
    ]);
    expect((await realm.send('/keys', { bearer })).status).toBe(200);
    expect(statesOf(await read())).toEqual(['ES256 signing', 'RS256 signing']);
  });

  it('are read and rotated through the console', async () => {
    const { call } = await signInAtConsole(realm);
    expect((await call(`${realm.url}/keys`)).status).toBe(200);
    expect((await call(`${realm.url}/keys/rotate`, { method: 'POST' })).status).toBe(202);
    expect(await listEvents()).toMatchObject([{ client: 'gatehouse-console' }]);
  });
});
