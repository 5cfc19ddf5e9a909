import { createClientKey, createTestBrowser, findFreePort, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { authorizePath, createPkce, userForm } from '../support/browser.ts';
import { type DocumentServer, startDocumentServer, webCallback } from '../support/document-server.ts';
import { createAddress, obtainAllowedCode } from '../support/dynamic-clients.ts';
import { administrator, createSender, type Realm, startAuthServer } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const hour = 3_600_000;
const day = 24 * hour;
const refreshing = { grant_types: ['authorization_code', 'refresh_token'] };

describe.each(testDialects)('the row of a client of a metadata document, on %s', (dialect) => {
  let realm: Realm;
  let server: DocumentServer;
  beforeAll(async () => {
    server = await startDocumentServer();
    const listed = `${server.origin}/clients/`;
    const env = { CLIENT_ID_METADATA: 'listed', CLIENT_ID_METADATA_URLS: listed, OUTBOUND_CA_FILE: server.ca };
    realm = await startRealmOn(dialect, env);
  });
  afterAll(async () => {
    await realm.close();
    await server.close();
  });
  // The calls for one URL are a second apart.
  beforeEach(() => realm.advance(1_000));

  const pathOf = (url: string) => `/clients/${encodeURIComponent(url)}`;
  const read = (url: string) => realm.send(pathOf(url), { basic: administrator });
  const patch = (url: string, json: object, query = '') =>
    realm.send(pathOf(url) + query, { method: 'PATCH', basic: administrator, json });
  const askPage = async (url: string, browser = createTestBrowser(), more: Record<string, string> = {}) => {
    const asked = { response_type: 'code', client_id: url, redirect_uri: webCallback, scope: 'openid' };
    const address = realm.url + authorizePath({ ...asked, ...createPkce().parameters, ...more });
    const page = await browser.get(address);
    const needsSignIn = page.text.includes('name="password"');
    return needsSignIn ? browser.submit(page, address, userForm) : page;
  };
  const signIn = async (url: string, browser = createTestBrowser(), scope = 'openid') => {
    const client = { client_id: url, redirect_uris: [webCallback] };
    const { code, verifier } = await obtainAllowedCode(realm, client as never, { browser, scope });
    return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: webCallback };
  };
  const obtain = async (url: string, browser = createTestBrowser(), scope = 'openid') =>
    realm.tokens({ client_id: url }, await signIn(url, browser, scope));
  const refresh = (url: string, refresh_token = '') =>
    realm.tokenRequest({ client_id: url }, { grant_type: 'refresh_token', refresh_token });
  const nextHour = () => realm.advance(hour + 1_000);
  const isAsked = (page: { text: string }) => page.text.includes('name="decision"');

  it('is written when a signed-in user comes to the consent page, and not before', async () => {
    const url = server.publish();
    const browser = createTestBrowser();
    expect(isAsked(await askPage(url, browser))).toBe(true);
    expect((await read(url)).json()).toMatchObject({ client_id: url, dynamic: true, enabled: true });
    const { json } = await realm.send(`/audit-events?type=client.registered`, { basic: administrator });
    const { events } = json() as { events: { subject?: { name?: string } }[] };
    expect(events.filter(({ subject }) => subject?.name === url)).toMatchObject([
      { actor: { kind: 'anonymous' }, details: { document: url } },
    ]);
  });

  it('of a listed document shows no warning, and its errors are redirected', async () => {
    const url = server.publish();
    const page = await askPage(url);
    expect(page.text).toContain('<p class="host">');
    expect(page.text).not.toContain('class="note"');
    const asked = { response_type: 'code', client_id: url, redirect_uri: webCallback, prompt: 'none', scope: 'openid' };
    const answer = await realm.send(authorizePath({ ...asked, ...createPkce().parameters }));
    expect(answer.headers.location).toMatch(/^https:\/\/tool\.example\.com\/callback\?error=login_required/);
  });

  it('is not made of a document that is not listed: the page says so', async () => {
    const url = server.publish({}, { path: '/other/client.json' });
    const answer = await askPage(url);
    expect([answer.status, server.countOf(url)]).toEqual([400, 0]);
    expect(answer.text).toContain('This service does not take the application at this URL: it is not on its list.');
    expect(answer.text).toContain(url);
    const pushed = await realm.send('/oauth/par', { form: { client_id: url, response_type: 'code' } });
    expect(pushed.json()).toMatchObject({ error: 'invalid_client' });
  });

  it('is one where two replicas make it at the same moment', async () => {
    const port = await findFreePort();
    const other = await startAuthServer(port, { ...realm.env, MIGRATE_ON_START: 'false' }, realm.clock);
    try {
      const url = server.publish();
      const { parameters } = createPkce();
      const form = { client_id: url, response_type: 'code', redirect_uri: webCallback, scope: 'openid', ...parameters };
      const senders = [realm.send, createSender(other.app)];
      const pushed = await Promise.all(senders.map((send) => send('/oauth/par', { form })));
      expect(pushed.map(({ status }) => status)).toEqual([201, 201]);
      const registered = await realm.send('/audit-events?type=client.registered', { basic: administrator });
      expect(registered.text.split(`"name":"${url}"`)).toHaveLength(2);
      // What one of them pushed is of the client that both have.
      for (const [index, send] of senders.entries()) {
        const { request_uri } = pushed[1 - index]?.json<{ request_uri: string }>() ?? { request_uri: '' };
        expect((await send(authorizePath({ client_id: url, request_uri }))).status).toBe(200);
      }
    } finally {
      await other.stop();
    }
  });

  it('is read again after its time, with all that the document says then', async () => {
    const url = server.publish(refreshing);
    const { refresh_token } = await obtain(url);
    const before = (await read(url)).json<{ updated_at: string; metadata_document: { readAt: string } }>();
    nextHour();
    expect((await refresh(url, refresh_token)).status).toBe(200);
    const same = (await read(url)).json<typeof before>();
    expect(same.updated_at).toBe(before.updated_at);
    expect(same.metadata_document.readAt > before.metadata_document.readAt).toBe(true);
    server.publish({ ...refreshing, client_uri: 'https://tool.example.com' }, { path: server.pathOf(url) });
    nextHour();
    await askPage(url);
    expect((await read(url)).json()).toMatchObject({ client_uri: 'https://tool.example.com' });
    expect(server.countOf(url)).toBe(3);
  });

  it.each([
    ['another name', { client_name: 'Another tool' }, true],
    ['another https host', { redirect_uris: [webCallback, 'https://other.example.com/'] }, true],
    ['another address at the same host', { redirect_uris: [webCallback, 'https://tool.example.com/second'] }, false],
    ['keys', { jwks: { keys: [createClientKey().jwk] } }, false],
  ])('with %s: consent is asked again (%s), and nothing ends', async (_what, members, isAskedAgain) => {
    const url = server.publish(refreshing);
    const browser = createTestBrowser();
    const { refresh_token } = await obtain(url, browser);
    expect(isAsked(await askPage(url, browser))).toBe(false);
    server.publish({ ...refreshing, ...members }, { path: server.pathOf(url) });
    nextHour();
    expect(isAsked(await askPage(url, browser))).toBe(isAskedAgain as boolean);
    expect((await refresh(url, refresh_token)).status).toBe(200);
  });

  it('whose key is taken away: codes and refresh tokens end', async () => {
    const key = createClientKey();
    const keyed = { ...refreshing, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
    const url = server.publish(keyed);
    const prove = async () => ({
      client_assertion: await new SignJWT({ jti: `${Math.random()}` })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(url)
        .setSubject(url)
        .setAudience(realm.authUrl)
        .setExpirationTime(Math.floor(realm.clock() / 1000) + 60)
        .sign(key.privateKey),
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    const exchanged = await realm.send('/oauth/token', { form: { ...(await signIn(url)), ...(await prove()) } });
    const { refresh_token } = exchanged.json<{ refresh_token: string }>();
    const form = { grant_type: 'refresh_token', refresh_token };
    expect((await realm.send('/oauth/token', { form: { ...form, ...(await prove()) } })).status).toBe(200);
    server.publish(refreshing, { path: server.pathOf(url) });
    nextHour();
    const answer = await refresh(url, refresh_token);
    expect([answer.status, answer.json<{ error: string }>().error]).toEqual([400, 'invalid_grant']);
    expect((await obtain(url)).refresh_token).toEqual(expect.any(String));
  });

  it('over time and unreachable: refreshes go on for 24 hours, a new authorization does not', async () => {
    const url = server.publish(refreshing);
    let { refresh_token } = await obtain(url, createTestBrowser(), 'openid offline_access');
    server.put(server.pathOf(url), { status: 500, body: {} });
    nextHour();
    expect((await askPage(url)).text).toContain('cannot be read');
    const next = async () => {
      const answer = await refresh(url, refresh_token);
      refresh_token = answer.json<{ refresh_token?: string }>().refresh_token ?? refresh_token;
      return [answer.status, answer.headers['retry-after']];
    };
    expect(await next()).toEqual([200, undefined]);
    realm.advance(day - 10_000);
    expect(await next()).toEqual([200, undefined]);
    realm.advance(20_000);
    expect(await next()).toEqual([503, '10']);
    realm.advance(1_000);
    server.publish(refreshing, { path: server.pathOf(url) });
    expect(await next()).toEqual([200, undefined]);
  });

  it('whose document is bad now goes on with nothing', async () => {
    const url = server.publish(refreshing);
    const { refresh_token } = await obtain(url);
    server.publish({ ...refreshing, client_secret: 's' }, { path: server.pathOf(url) });
    nextHour();
    const answer = await refresh(url, refresh_token);
    expect([answer.status, answer.json<{ error: string }>().error]).toEqual([401, 'invalid_client']);
  });

  it('is disabled and enabled by administrators, and changed in no other way', async () => {
    const url = server.publish(refreshing);
    const { access_token, refresh_token } = await obtain(url);
    const refused = await patch(url, { client_name: 'Mine', enabled: false });
    expect([refused.status, refused.json<{ detail: string }>().detail]).toEqual([
      400,
      expect.stringContaining('client_name'),
    ]);
    expect((await patch(url, { trusted: true })).status).toBe(400);
    expect((await patch(url, { enabled: false }, '?dry_run=true')).status).toBe(200);
    expect((await patch(url, { enabled: false })).json()).toMatchObject({ enabled: false });
    expect((await realm.send('/oauth/userinfo', { bearer: access_token })).status).toBe(401);
    expect((await refresh(url, refresh_token)).json()).toMatchObject({ error: 'invalid_client' });
    nextHour();
    expect((await askPage(url)).status).toBe(400);
    expect((await patch(url, { enabled: true })).status).toBe(200);
    expect((await refresh(url, refresh_token)).status).toBe(200);
    const logo = await realm.send(`${pathOf(url)}/logo`, {
      method: 'PUT',
      basic: administrator,
      body: 'x',
      headers: { 'content-type': 'image/png' },
    });
    expect(logo.status).toBe(400);
  });

  it('is deleted by administrators: all that it held is dead, also once it comes again', async () => {
    const url = server.publish(refreshing);
    const browser = createTestBrowser();
    const { access_token, refresh_token } = await obtain(url, browser);
    const code = await signIn(url, browser);
    realm.advance(2_000);
    expect((await realm.send(pathOf(url), { method: 'DELETE', basic: administrator })).status).toBe(204);
    expect((await read(url)).status).toBe(404);
    expect(isAsked(await askPage(url, browser))).toBe(true);
    expect((await read(url)).status).toBe(200);
    const again = await obtain(url, browser);
    expect((await realm.send('/oauth/userinfo', { bearer: again.access_token })).status).toBe(200);
    expect((await realm.send('/oauth/userinfo', { bearer: access_token })).status).toBe(401);
    expect((await refresh(url, refresh_token)).status).toBe(400);
    expect((await realm.tokenRequest({ client_id: url }, code)).status).toBe(400);
  });

  it('lapses as that of a client that registered itself does, unless it is disabled', async () => {
    const [used, unused, disabled] = [server.publish(refreshing), server.publish(), server.publish()] as const;
    await obtain(used);
    await askPage(unused);
    await askPage(disabled);
    await patch(disabled, { enabled: false });
    realm.advance(day + hour);
    await realm.deps.purgeLapsedClients();
    expect([(await read(used)).status, (await read(unused)).status, (await read(disabled)).status]).toEqual([
      200, 404, 200,
    ]);
    realm.advance(60 * day);
    await realm.deps.purgeLapsedClients();
    expect([(await read(used)).status, (await read(disabled)).status]).toEqual([404, 200]);
  });

  it('that is disabled is no row that the release before deletes, and lapses again once it is enabled', async () => {
    const url = server.publish(refreshing);
    const { refresh_token } = await obtain(url, createTestBrowser(), 'openid offline_access');
    await patch(url, { enabled: false });
    // As the release before does.
    const sql = 'SELECT client_id FROM clients WHERE lapses_at <= ?';
    const lapsing = async () => realm.deps.database.query(sql, [realm.clock() + 1_000 * day]);
    expect(await lapsing()).not.toContainEqual({ client_id: url });
    await patch(url, { enabled: true });
    expect(await lapsing()).toContainEqual({ client_id: url });
    realm.advance(29 * day);
    await realm.deps.purgeLapsedClients();
    expect((await refresh(url, refresh_token)).status).toBe(200);
    realm.advance(190 * day);
    await realm.deps.purgeLapsedClients();
    expect((await read(url)).status).toBe(404);
  });

  it('is found in lists, also where a page of them ends with it', async () => {
    const url = server.publish({}, { path: `/clients/!a'*(&=;,+$)@:x!.json` });
    await askPage(url);
    const listAll = async (query: string) => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const parameters = new URLSearchParams({ limit: '1', ...(cursor !== undefined && { cursor }) });
        const answer = await realm.send(`/clients?${parameters}${query}`, { basic: administrator });
        expect([query, answer.status]).toEqual([query, 200]);
        const page = answer.json<{ clients: { client_id: string }[]; next_cursor?: string }>();
        found.push(...page.clients.map((one) => one.client_id));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      return found;
    };
    for (const query of ['', '&sort=-updated_at', '&sort=last_used_at', '&dynamic=true', '&search=localhost']) {
      const found = await listAll(query);
      expect([query, found.filter((id) => id === url)]).toEqual([query, [url]]);
    }
    const consents = await realm.send(`/consents?${new URLSearchParams({ client: url })}`, { basic: administrator });
    expect(consents.status).toBe(200);
  });

  it('is made by 20 pushed requests of a network an hour', async () => {
    realm.advance(hour - (realm.clock() % hour));
    const address = createAddress();
    const push = (url: string) => {
      const form = {
        client_id: url,
        response_type: 'code',
        redirect_uri: webCallback,
        scope: 'openid',
        ...createPkce().parameters,
      };
      return realm.send('/oauth/par', { form, headers: { 'x-forwarded-for': address } });
    };
    const urls = Array.from({ length: 20 }, () => server.publish());
    for (const url of urls) expect((await push(url)).status).toBe(201);
    const refused = await push(server.publish());
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await push(urls[0] as string)).status).toBe(201);
  });
});

describe('a client of a metadata document, where documents are off', () => {
  let realm: Realm;
  let server: DocumentServer;
  beforeAll(async () => {
    server = await startDocumentServer();
    realm = await startRealmOn('sqlite', { OUTBOUND_CA_FILE: server.ca });
  });
  afterAll(async () => {
    await realm.close();
    await server.close();
  });

  it('is unknown everywhere, and its document is not read', async () => {
    const url = server.publish();
    const page = await realm.send(authorizePath({ client_id: url, response_type: 'code' }));
    expect([page.status, page.text.includes('No application is registered here under this client_id.')]).toEqual([
      400,
      true,
    ]);
    for (const path of ['/oauth/token', '/oauth/par', '/oauth/revoke']) {
      const answer = await realm.send(path, { form: { client_id: url } });
      expect(answer.json()).toMatchObject({ error: 'invalid_client' });
    }
    expect(server.asked).toEqual([]);
    const metadata = (await realm.send('/.well-known/openid-configuration')).json();
    expect(metadata).not.toHaveProperty('client_id_metadata_document_supported');
  });
});
