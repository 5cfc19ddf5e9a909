import { assertionType, type ClientKey, createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { registerDynamically } from '../support/dynamic-clients.ts';
import { type KeyServer, startKeyServer } from '../support/key-server.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const hour = 3_600_000;

describe.each(testDialects)('a client with jwks_uri, on %s', (dialect) => {
  let realm: Realm;
  let server: KeyServer;
  let clientId: string;
  let key: ClientKey;
  let count = 0;
  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'open' });
  });
  afterAll(() => realm.close());
  beforeEach(async () => {
    key = createClientKey('ES256', `key-${count}`);
    server = await startKeyServer([key.jwk]);
    count += 1;
    clientId = `by-uri-${count}`;
    await realm.register(settings());
  });
  afterEach(() => server.close());

  const settings = (more: object = {}) => ({
    client_id: clientId,
    scope: ['roles'],
    authorized_grant_types: ['client_credentials', 'service_account'],
    srvc_ac_user_name: 'robot@example.com',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: server.url,
    ...more,
  });
  const prove = (by = key, at: Pick<Realm, 'send'> = realm) => {
    const now = Math.floor(realm.clock() / 1000);
    const assertion = by.assertion(clientId, realm.authUrl, { iat: now, exp: now + 60 });
    const form = {
      grant_type: 'client_credentials',
      client_assertion_type: assertionType,
      client_assertion: assertion,
    };
    return at.send('/oauth/token', { form });
  };
  const statusOf = async (by = key) => (await prove(by)).status;
  const patch = (json: object) => realm.send(`/clients/${clientId}`, { method: 'PATCH', basic: administrator, json });

  it('proves itself by a key that stands there, which is read at the first use and kept', async () => {
    expect(server.asked).toHaveLength(0);
    expect([await statusOf(), await statusOf(), server.asked.length]).toEqual([200, 200, 1]);
    expect(server.asked[0]?.headers.accept).toBe('application/jwk-set+json, application/json');
  });

  it('is given back by its address', async () => {
    const answer = await realm.send(`/clients/${clientId}`, { basic: administrator });
    expect(answer.json()).toMatchObject({ jwks_uri: server.url });
    expect(answer.json()).not.toHaveProperty('jwks');
  });

  it('rotates its key by itself: a new kid is read at once, a key that is gone is dead', async () => {
    await prove();
    const newer = createClientKey('ES256', 'newer');
    server.published.keys = [newer.jwk];
    expect([await statusOf(newer), await statusOf(), server.asked.length]).toEqual([200, 401, 2]);
  });

  it('is read again for a kid that is not there once in 30 s', async () => {
    const stranger = createClientKey('ES256', 'stranger');
    for (let turn = 0; turn < 3; turn += 1) expect(await statusOf(stranger)).toBe(401);
    expect(server.asked).toHaveLength(2);
    realm.advance(20_000);
    await prove(stranger);
    expect(server.asked).toHaveLength(2);
    realm.advance(10_100);
    await prove(stranger);
    expect(server.asked).toHaveLength(3);
  });

  it('may publish keys without kid: each that fits is tried, and a signature of none reads again', async () => {
    const [first, second, third] = [createClientKey(), createClientKey(), createClientKey()];
    server.published.keys = [first.jwk, second.jwk];
    expect([await statusOf(second), await statusOf(first), server.asked.length]).toEqual([200, 200, 1]);
    server.published.keys.push(third.jwk);
    expect([await statusOf(third), server.asked.length]).toEqual([200, 2]);
  });

  it('lets many who wait share one call', async () => {
    server.published.delay = 200;
    const answers = await Promise.all(Array.from({ length: 20 }, () => statusOf()));
    expect([new Set(answers), server.asked.length]).toEqual([new Set([200]), 1]);
  });

  it.each([
    ['1 minute at least', 'max-age=1', 60_000],
    ['its max-age', 'max-age=600', 600_000],
    ['an hour where nothing is said', undefined, hour],
    ['24 hours at most', 'max-age=999999', 24 * hour],
  ])('is good for %s', async (_what, cacheControl, age) => {
    if (cacheControl !== undefined) server.published.headers['cache-control'] = cacheControl;
    await prove();
    realm.advance(age - 5_000);
    expect([await statusOf(), server.asked.length]).toEqual([200, 1]);
    realm.advance(6_000);
    expect([await statusOf(), server.asked.length]).toEqual([200, 2]);
  });

  it('goes on with the keys in hand for 24 hours while the address cannot be read, and is then a 503', async () => {
    await prove();
    server.published.status = 500;
    realm.advance(2 * hour);
    expect([await statusOf(), await statusOf(), server.asked.length]).toEqual([200, 200, 2]);
    realm.advance(22 * hour);
    const answer = await prove();
    expect([answer.status, answer.headers['retry-after'], answer.json()]).toEqual([
      503,
      '10',
      expect.objectContaining({
        error: 'temporarily_unavailable',
        error_description: expect.stringContaining('bad answer'),
      }),
    ]);
    server.published.status = 200;
    realm.advance(1_000);
    expect(await statusOf()).toBe(200);
  });

  it('is read once in a second while its address cannot be read', async () => {
    server.published.status = 500;
    expect([await statusOf(), await statusOf(), server.asked.length]).toEqual([503, 503, 1]);
    realm.advance(1_000);
    expect([await statusOf(), await statusOf(), server.asked.length]).toEqual([503, 503, 2]);
  });

  it('is a 503 where nothing was read yet, which says no more than the kind of the fault', async () => {
    server.close();
    const answer = await prove();
    expect([answer.status, answer.json<{ error_description: string }>().error_description]).toEqual([
      503,
      expect.stringMatching(/^the keys of the client cannot be read: unreachable/),
    ]);
    expect(answer.text).not.toContain(String(server.port));
  });

  it('passes over keys of other kinds', async () => {
    server.published.keys = [{ kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA' }, { kty: 'new' }, key.jwk];
    expect(await statusOf()).toBe(200);
  });

  it.each<[string, (own: ClientKey) => object[]]>([
    ['a private key', (own) => [own.jwk, own.privateJwk]],
    ['a symmetric key', (own) => [own.jwk, { kty: 'oct', k: 'c2VjcmV0' }]],
    ['51 keys', (own) => Array(51).fill(own.jwk)],
  ])('is bad as a whole with %s', async (_what, publish) => {
    server.published.keys = publish(key) as never;
    expect(await statusOf()).toBe(503);
  });

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['no keys', '{}'],
    ['64 KiB and a byte', ' '.repeat(64 * 1024 + 1)],
  ])('is bad as %s', async (_what, body) => {
    server.published.body = body;
    expect(await statusOf()).toBe(503);
  });

  it('forgets the keys in hand where an administrator sets the address, at every replica', async () => {
    const other = await startReplica(realm, {});
    expect([(await prove()).status, (await prove(key, other)).status]).toEqual([200, 200]);
    server.published.keys = [];
    expect([(await prove()).status, (await prove(key, other)).status]).toEqual([200, 200]);
    expect((await patch({ jwks_uri: server.url })).status).toBe(200);
    expect([(await prove()).status, (await prove(key, other)).status]).toEqual([401, 401]);
    await other.close();
  });

  it('takes the place of jwks by one PATCH, and gives it back by another', async () => {
    expect((await patch({ jwks: { keys: [key.jwk] } })).json()).toMatchObject({
      detail: expect.stringContaining('jwks_uri must not stand with jwks'),
    });
    expect((await patch({ jwks: { keys: [key.jwk] }, jwks_uri: null })).status).toBe(200);
    expect([await statusOf(), server.asked.length]).toEqual([200, 0]);
    expect((await patch({ jwks: null, jwks_uri: server.url })).status).toBe(200);
    expect([await statusOf(), server.asked.length]).toEqual([200, 1]);
  });

  it.each([
    ['http elsewhere', 'http://example.com/keys', 'jwks_uri must be an https URL'],
    ['user information', 'https://user@example.com/keys', 'jwks_uri must be an https URL'],
    ['a fragment', 'https://example.com/keys#a', 'jwks_uri must be an https URL'],
    ['no URL', 'keys', 'jwks_uri must be an https URL'],
    ['513 characters', `https://example.com/${'a'.repeat(493)}`, 'jwks_uri must be an https URL of at most 512'],
  ])('is not registered with %s', async (_what, uri, detail) => {
    const answer = await patch({ jwks_uri: uri });
    expect([answer.status, answer.json<{ detail: string }>().detail]).toEqual([400, expect.stringContaining(detail)]);
  });

  it('registers itself by an initial access token, and not without', async () => {
    const { send, createToken } = registerDynamically(realm);
    const body = {
      ...{ redirect_uris: ['https://agent.example.com/callback'], token_endpoint_auth_method: 'private_key_jwt' },
      jwks_uri: server.url,
    };
    const authorization = `Bearer ${await createToken()}`;
    const answer = await send(body, { authorization });
    expect([answer.status, answer.json()]).toEqual([201, expect.objectContaining({ jwks_uri: server.url })]);
    const openly = await send({ ...body, token_endpoint_auth_method: 'none' });
    expect([openly.status, openly.text]).toEqual([400, expect.stringContaining('jwks_uri is not accepted of clients')]);
    expect(server.asked).toHaveLength(0);
  });
});
