import { type Answer, assertionType, type ClientKey, createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authorizePath, createPkce } from '../support/browser.ts';
import { type DocumentServer, startDocumentServer, webCallback } from '../support/document-server.ts';
import { createAddress } from '../support/dynamic-clients.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

describe.each(testDialects)('a client of a document that is not listed, with a key, on %s', (dialect) => {
  let realm: Realm;
  let server: DocumentServer;
  let key: ClientKey;
  let url: string;
  /** Of the test. */
  let headers: Record<string, string>;
  beforeAll(async () => {
    server = await startDocumentServer();
    realm = await startRealmOn(dialect, {
      CLIENT_ID_METADATA: 'open',
      CLIENT_ID_METADATA_URLS: `${server.origin}/listed/ https://10.0.0.1:1/listed/`,
      OUTBOUND_PRIVATE_HOSTS: '10.0.0.1',
      OUTBOUND_CA_FILE: server.ca,
    });
  });
  afterAll(async () => {
    await realm.close();
    await server.close();
  });
  beforeEach(() => {
    realm.advance(60_000 - (realm.clock() % 60_000));
    key = createClientKey();
    url = publish(ofKey());
    headers = { 'x-forwarded-for': createAddress() };
  });

  const ofKey = () => ({ jwks: { keys: [key.jwk] } });
  const publish = (members: object, path?: string) =>
    server.publish({ token_endpoint_auth_method: 'private_key_jwt', ...members }, path === undefined ? {} : { path });
  const prove = (by = key) => {
    const iat = Math.floor(realm.clock() / 1000);
    const client_assertion = by.assertion(url, realm.authUrl, { iat, exp: iat + 60 });
    return { client_assertion_type: assertionType, client_assertion };
  };
  const refresh = (by = key) => {
    const form = { grant_type: 'refresh_token', refresh_token: 'none', ...prove(by) };
    return realm.send('/oauth/token', { form, headers });
  };
  const push = (more: Record<string, string> = {}) => {
    const { parameters } = createPkce();
    const asked = { response_type: 'code', redirect_uri: webCallback, scope: 'openid', ...parameters, ...more };
    return realm.send('/oauth/par', { form: { ...asked, ...prove() }, headers });
  };
  const times = async (amount: number, send: () => Promise<Answer>) => {
    const statuses: number[] = [];
    while (statuses.length < amount) {
      const sent = Array.from({ length: Math.min(31, amount - statuses.length) }, send);
      statuses.push(...(await Promise.all(sent)).map(({ status }) => status));
    }
    return Object.fromEntries([...new Set(statuses)].map((one) => [one, statuses.filter((s) => s === one).length]));
  };
  const countIdentifiers = async () => {
    const sql = 'SELECT COUNT(*) AS rows_there FROM used_identifiers WHERE expires_at > ?';
    const inMinute = realm.clock() - (realm.clock() % 60_000) + 59_000;
    const [row] = await realm.deps.database.query<{ rows_there: number }>(sql, [inMinute]);
    return Number(row?.rows_there);
  };

  it('has 300 assertions a minute from one network taken, and no row more is stored', async () => {
    await refresh();
    const before = await countIdentifiers();
    expect(await times(310, () => refresh())).toEqual({ 400: 299, 429: 11 });
    expect((await countIdentifiers()) - before).toBe(299);
    const refused = await push();
    expect([refused.status, refused.json().error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    headers = { 'x-forwarded-for': createAddress() };
    expect((await push()).status).toBe(201);
  });

  it('has no assertion of another key counted', async () => {
    const other = createClientKey();
    expect(await times(310, () => refresh(other))).toEqual({ 401: 310 });
    expect((await refresh()).status).toBe(400);
  });

  it('pushes 4 KiB at most, as a public client does, signed or not', async () => {
    expect((await push({ state: 's'.repeat(3_000) })).status).toBe(201);
    expect((await push({ state: 's'.repeat(4_096) })).status).toBe(413);
    const asked = { response_type: 'code', redirect_uri: webCallback, scope: 'openid', ...createPkce().parameters };
    const claims = {
      ...asked,
      client_id: url,
      sub: undefined,
      state: 's'.repeat(4_096),
      exp: undefined,
      iat: undefined,
    };
    const request = key.assertion(url, realm.authUrl, claims);
    expect((await realm.send('/oauth/par', { form: { request, ...prove() }, headers })).status).toBe(413);
  });

  it('is not read at a private host, which its list allows for others', async () => {
    const read = async (client_id: string) => {
      const asked = { response_type: 'code', client_id, redirect_uri: webCallback };
      return (await realm.send(authorizePath(asked), { headers })).text;
    };
    expect(await read('https://10.0.0.1:1/a')).toContain('refused address');
    expect(await read('https://10.0.0.1:1/listed/a')).toContain('unreachable');
  });

  it('goes on by a signed form that is too long for a URL, also where it was never here before', async () => {
    const asked = { response_type: 'code', redirect_uri: webCallback, scope: 'openid', ...createPkce().parameters };
    const claims = { ...asked, client_id: url, sub: undefined, state: 's'.repeat(6_500), exp: undefined };
    const form = { client_id: url, request: key.assertion(url, realm.authUrl, claims) };
    const answer = await realm.send('/oauth/authorize', { form, headers });
    const { location = '' } = answer.headers as Record<string, string>;
    expect([answer.status, location]).toEqual([303, expect.stringContaining('request_uri=urn%3A')]);
    const page = await realm.send(`/oauth/${location}`, { headers });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('name="password"')]);
  });

  it('has none of these limits where its document is listed', async () => {
    url = publish(ofKey(), `/listed/${key.jkt}`);
    await refresh();
    expect(await times(310, () => refresh())).toEqual({ 400: 310 });
    expect((await push({ state: 's'.repeat(4_096) })).status).toBe(201);
  });

  it('has its keys read once in a second while they cannot be read, however many assertions come', async () => {
    const keys = `${server.origin}/keys/down`;
    server.put('/keys/down', { status: 500, body: {} });
    url = publish({ jwks_uri: keys });
    const statuses = async () => new Set([(await refresh()).status, (await refresh()).status]);
    expect([await statuses(), server.countOf(keys)]).toEqual([new Set([503]), 1]);
    realm.advance(1_000);
    expect([await statuses(), server.countOf(keys)]).toEqual([new Set([503]), 2]);
  });
});
