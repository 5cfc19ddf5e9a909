import {
  assertionType,
  createClientKey,
  createTestBrowser,
  showCode,
  showEarlierCode,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, encodeForm, type Realm } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { administerResources } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

/** Longer than a column of client_ids. */
const longPath = 'a'.repeat(400);

describe.each(testDialects)('statistics of what took part, on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  let server: UpstreamServer;
  let play: UpstreamPlay;

  beforeAll(async () => {
    [realm, server] = await Promise.all([startRealmOn(dialect), startUpstreamServer()]);
    replica = await startReplica(realm, {});
    play = await playUpstream(realm, server);
  });
  afterAll(async () => {
    server.close();
    await replica.close();
    await realm.close();
  });

  const manage = async (path: string, json: object) => {
    const answer = await realm.send(path, { method: 'POST', basic: administrator, json });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  };
  /** The sums of the last hours by key. */
  const sumsOf = async (query: Record<string, string>, at: Pick<Realm, 'send'> = realm) => {
    const answer = await at.send(`/statistics?${encodeForm({ step: 'hour', ...query })}`, { basic: administrator });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    const { series } = answer.json<{ series: { key: string; values: number[] }[] }>();
    return Object.fromEntries(series.map(({ key, values }) => [key, values.reduce((sum, value) => sum + value, 0)]));
  };

  it('counts the sign-ins by an upstream, and those that it refused', async () => {
    const of = { measure: 'sign_ins', upstream: 'corp', by: 'outcome' };
    await play.register();
    expect(await sumsOf(of)).toEqual({});
    play.account();
    await play.link(await play.addUser());
    await play.goThere(createTestBrowser());
    await play.goThere(createTestBrowser());
    play.account();
    await play.goThere(createTestBrowser());
    // The account was unknown before it was linked, and so is the last one.
    expect(await sumsOf(of)).toEqual({ signed_in: 2, refused: 2 });
    expect(await sumsOf({ ...of, upstream: 'other' })).toEqual({});
    expect(await sumsOf({ measure: 'sign_ins', upstream: 'corp' })).toEqual({ total: 2 });
  });

  it('counts a sign-in by an upstream once its second step is done', async () => {
    const total = async () => (await sumsOf({ measure: 'sign_ins', upstream: 'corp' })).total;
    await play.register();
    const username = await play.addUser();
    const setting = createTestBrowser();
    const essential = JSON.stringify({ id_token: { acr: { essential: true, value: 'urn:gatehouse:acr:mfa' } } });
    const page = await play.signInHere(setting, await setting.get(play.startPage({ claims: essential })), username);
    const secret = /name="secret" value="([A-Z2-7]{32})"/.exec(page.text)?.[1] ?? '';
    const shown = await play.submit(setting, page, { code: await showEarlierCode(secret) });
    const [, recoveryCode = ''] = /<code>([0-9A-Z-]{19})<\/code>/.exec(shown.text) ?? [];
    play.account();
    const linking = createTestBrowser();
    const step = await play.signInHere(linking, await play.goThere(linking), username);
    await play.submit(linking, await play.submit(linking, step, { code: recoveryCode }), { decision: 'link' });
    const before = await total();
    const browser = createTestBrowser();
    const due = await play.goThere(browser);
    expect([due.status, await total()]).toEqual([200, before]);
    expect(play.codeOf(await play.submit(browser, due, { code: showCode(secret) }))).toEqual(expect.any(String));
    expect(await total()).toBe((before ?? 0) + 1);
  });

  it('counts the tokens of an API, whatever the length of its URI, at every replica', async () => {
    const resources = administerResources(realm);
    const [orders, stock] = await Promise.all([
      resources.create({ resource: `https://orders.example.com/${longPath}/1` }),
      resources.create({ resource: `https://orders.example.com/${longPath}/2` }),
    ]);
    const scope = [...orders.scopes, ...stock.scopes].map(({ name }) => name);
    const [client_id, client_secret] = ['nightly', 'the-secret-of-a-machine'];
    await realm.register({
      ...{ client_id, client_secret, scope, authorized_grant_types: ['client_credentials'] },
      ...{ resources: [orders.resource, stock.resource], default_resource: orders.resource },
    });
    const getToken = async (form: Record<string, string>, at: Pick<Realm, 'send'> = realm) => {
      const asked = { grant_type: 'client_credentials', ...form };
      return (await at.send('/oauth/token', { basic: [client_id, client_secret], form: asked })).status;
    };
    const { resource } = orders;
    expect(await getToken({ resource })).toBe(200);
    expect(await getToken({ resource }, replica)).toBe(200);
    expect(await getToken({ resource: stock.resource })).toBe(200);
    expect(await getToken({ resource, scope: 'nothing' })).toBe(400);
    await sumsOf({ measure: 'tokens' }, replica);
    const of = { measure: 'tokens', by: 'grant_type' };
    expect(await sumsOf({ ...of, resource })).toEqual({ client_credentials: 2 });
    expect(await sumsOf({ ...of, resource: stock.resource }, replica)).toEqual({ client_credentials: 1 });
    expect(await sumsOf({ ...of, resource: 'https://orders.example.com/' })).toEqual({});
  });

  it('counts the clients that proved themselves by tokens of an issuer, and those that did not', async () => {
    const key = createClientKey('ES256', 'key');
    const issuer = `https://issuer.example.com/${longPath}`;
    const client_id = 'workload';
    await manage('/issuers', { name: 'Workloads', issuer, jwks: { keys: [key.jwk] } });
    await realm.register({
      ...{ client_id, scope: ['roles'], authorized_grant_types: ['client_credentials'] },
      ...{ token_endpoint_auth_method: 'federated_jwt', federated_credentials: [{ issuer, subject: 'job' }] },
    });
    const now = Math.floor(realm.clock() / 1000);
    const prove = async (claims: object, by = key) => {
      const all = { iss: issuer, sub: 'job', aud: realm.authUrl, iat: now, exp: now + 600, jti: undefined, ...claims };
      const proof = { client_assertion_type: assertionType, client_assertion: by.assertion('', '', all) };
      const form = { grant_type: 'client_credentials', client_id, ...proof };
      return (await realm.send('/oauth/token', { form })).status;
    };
    expect(await prove({})).toBe(200);
    expect(await prove({ sub: 'another job' })).toBe(401);
    expect(await prove({}, createClientKey('ES256', 'key'))).toBe(401);
    expect(await prove({ iss: 'https://elsewhere.example.com' })).toBe(401);
    const of = { measure: 'tokens', issuer };
    expect(await sumsOf({ ...of, by: 'outcome' })).toEqual({ issued: 1, invalid_client: 2 });
    expect(await sumsOf(of)).toEqual({ total: 1 });
    expect(await sumsOf({ ...of, issuer: 'https://elsewhere.example.com' })).toEqual({ total: 0 });
  });

  it.each([
    ['measure=tokens&upstream=corp', 'upstream', 'must stand with measure=sign_ins'],
    ['measure=sign_ins&resource=urn:api', 'resource', 'must stand with measure=tokens'],
    ['measure=refusals&issuer=https://example.com', 'issuer', 'must stand with measure=tokens'],
    ['measure=sign_ins&upstream=corp&client=web', 'upstream', 'must not stand with client or by=client'],
    ['measure=tokens&resource=urn:api&by=client', 'resource', 'must not stand with client or by=client'],
    ['measure=tokens&resource=urn:api&issuer=https://example.com', 'issuer', 'must not stand with resource'],
    ['measure=sign_ins&upstream=', 'upstream', 'must be an alias'],
  ])('cannot be asked for by %s', async (query, field, detail) => {
    const answer = await realm.send(`/statistics?step=day&${query}`, { basic: administrator });
    expect([answer.status, answer.json<{ errors: object[] }>().errors]).toEqual([400, [{ field, detail }]]);
  });
});
