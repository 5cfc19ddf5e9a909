import type { Answer } from '@gatehouse/test-kit';
import { createClientKey, createTestBrowser, readHiddenFields, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { authorizePath, createPkce, readRedirect, userForm } from '../support/browser.ts';
import {
  type DocumentServer,
  likeClaudeCode,
  likeVsCode,
  startDocumentServer,
  webCallback,
} from '../support/document-server.ts';
import { createAddress, obtainAllowedCode } from '../support/dynamic-clients.ts';
import { administrator, type Realm, readClaims } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

describe.each(testDialects)('a client that is the URL of its metadata document, on %s', (dialect) => {
  let realm: Realm;
  let server: DocumentServer;
  beforeAll(async () => {
    server = await startDocumentServer();
    realm = await startRealmOn(dialect, { CLIENT_ID_METADATA: 'open', OUTBOUND_CA_FILE: server.ca });
  });
  afterAll(async () => {
    await realm.close();
    await server.close();
  });
  // The calls for one URL are a second apart.
  beforeEach(() => realm.advance(1_000));

  const parameters = () => createPkce().parameters;
  const ask = (client_id: string, more: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const asked = {
      response_type: 'code',
      client_id,
      redirect_uri: webCallback,
      scope: 'openid',
      ...parameters(),
      ...more,
    };
    return realm.send(authorizePath(asked), { headers: { 'x-forwarded-for': createAddress(), ...headers } });
  };
  const allow = (
    client_id: string,
    redirect_uri = webCallback,
    options: Parameters<typeof obtainAllowedCode>[2] = {},
  ) => obtainAllowedCode(realm, { client_id, redirect_uris: [redirect_uri] } as never, options);
  const exchange = async (
    client_id: string,
    redirect_uri = webCallback,
    options: Parameters<typeof obtainAllowedCode>[2] = {},
  ) => {
    const { code, verifier } = await allow(client_id, redirect_uri, options);
    return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri };
  };
  const refresh = (client_id: string, refresh_token: string) =>
    realm.tokenRequest({ client_id }, { grant_type: 'refresh_token', refresh_token });
  const view = async (url: string) => {
    const answer = await realm.send(`/clients/${encodeURIComponent(url)}`, { basic: administrator });
    return { status: answer.status, ...(answer.status === 200 && answer.json<Record<string, unknown>>()) };
  };
  const patch = (url: string, json: object) =>
    realm.send(`/clients/${encodeURIComponent(url)}`, { method: 'PATCH', basic: administrator, json });
  const sentenceOf = (answer: Answer) => /role="alert"[^>]*>([^<]*)</.exec(answer.text)?.[1];

  it('is announced in the metadata', async () => {
    const metadata = (await realm.send('/.well-known/oauth-authorization-server')).json();
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: true });
  });

  it('gets tokens by a code, refreshes and revokes them, reads userinfo, and has a row from the consent page on', async () => {
    const url = server.publish({ grant_types: ['authorization_code', 'refresh_token'] });
    expect((await view(url)).status).toBe(404);
    expect((await ask(url)).status).toBe(200);
    expect((await view(url)).status).toBe(404);
    const tokens = await realm.tokens({ client_id: url }, await exchange(url));
    expect(readClaims(tokens.access_token)).toMatchObject({ client_id: url });
    expect(readClaims(tokens.access_token)).not.toHaveProperty('roles');
    expect((await realm.send('/oauth/userinfo', { bearer: tokens.access_token })).status).toBe(200);
    const refreshed = (await refresh(url, tokens.refresh_token ?? '')).json<typeof tokens>();
    expect(readClaims(refreshed.access_token)).toMatchObject({ client_id: url });
    const form = { client_id: url, token: refreshed.refresh_token ?? '' };
    expect((await realm.send('/oauth/revoke', { form })).status).toBe(200);
    expect((await refresh(url, refreshed.refresh_token ?? '')).status).toBe(400);
    const shown = await view(url);
    expect(shown).toMatchObject({
      client_id: url,
      dynamic: true,
      public: true,
      ceiling: [],
      require_consent: true,
      require_pkce: true,
      metadata_document: { url, readAt: expect.any(String), expiresAt: expect.any(String) },
    });
    expect(server.countOf(url)).toBe(1);
  });

  it.each([
    ['Claude Code', likeClaudeCode, 'http://localhost:53682/callback'],
    ['VS Code', likeVsCode, 'http://127.0.0.1:61234/'],
  ])(
    'as %s publishes it gets an answer at the port that its program has, and asks each time',
    async (_what, members, callback) => {
      const url = server.publish(members);
      const browser = createTestBrowser();
      const tokens = await realm.tokens({ client_id: url }, await exchange(url, callback, { browser }));
      expect(tokens).toHaveProperty('access_token');
      expect(tokens).toHaveProperty('refresh_token');
      const asked = { response_type: 'code', client_id: url, redirect_uri: callback, scope: 'openid', ...parameters() };
      const again = await browser.get(realm.url + authorizePath(asked));
      expect(again.text).toContain('name="decision"');
    },
  );

  it.each([
    ['another path', 'http://localhost:53682/other'],
    ['another host', 'http://127.0.0.2:53682/callback'],
    ['https', 'https://localhost:53682/callback'],
    ['a port that is none', 'http://localhost:65536/callback'],
  ])('gets no answer at %s', async (_what, redirect_uri) => {
    const answer = await ask(server.publish(likeClaudeCode), { redirect_uri });
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  });

  it('with a key proves itself by it, from jwks or jwks_uri, and by nothing else', async () => {
    const key = createClientKey();
    server.put('/keys', { body: { keys: [key.jwk] } });
    for (const keys of [{ jwks: { keys: [key.jwk] } }, { jwks_uri: `${server.origin}/keys` }]) {
      const url = server.publish({ token_endpoint_auth_method: 'private_key_jwt', ...keys });
      const client_assertion = await new SignJWT({ jti: `${Math.random()}` })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(url)
        .setSubject(url)
        .setAudience(realm.authUrl)
        .setExpirationTime(Math.floor(realm.clock() / 1000) + 60)
        .sign(key.privateKey);
      const form = await exchange(url);
      expect((await realm.tokenRequest({ client_id: url }, form)).json()).toMatchObject({ error: 'invalid_client' });
      const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const signed = { ...form, client_assertion, client_assertion_type: type };
      const answer = await realm.send('/oauth/token', { form: signed });
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('access_token')]);
      const asking = { token: 'x', client_assertion_type: type };
      const another = await new SignJWT({ jti: `${Math.random()}` })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(url)
        .setSubject(url)
        .setAudience(realm.authUrl)
        .setExpirationTime(Math.floor(realm.clock() / 1000) + 60)
        .sign(key.privateKey);
      const introspected = await realm.send('/oauth/introspect', { form: { ...asking, client_assertion: another } });
      expect([introspected.status, introspected.text]).toEqual([401, expect.stringContaining('metadata document')]);
    }
  });

  it('pushes its requests, which writes its row', async () => {
    const url = server.publish();
    const { verifier, parameters: pkce } = createPkce();
    const form = { client_id: url, response_type: 'code', redirect_uri: webCallback, scope: 'openid', ...pkce };
    const pushed = await realm.send('/oauth/par', { form });
    expect([pushed.status, (await view(url)).status]).toEqual([201, 200]);
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const browser = createTestBrowser();
    const address = realm.url + authorizePath({ client_id: url, request_uri });
    const consent = await browser.submit(await browser.get(address), address, userForm);
    const { code = '' } = readRedirect(await browser.submit(consent, address, { decision: 'allow' })).parameters;
    const exchanged = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: webCallback };
    expect(await realm.tokens({ client_id: url }, exchanged)).toHaveProperty('access_token');
  });

  it('is refused by Basic, by a secret in the body, with a password, a device code and a token exchange', async () => {
    const url = server.publish();
    await realm.tokens({ client_id: url }, await exchange(url));
    const grant = { grant_type: 'refresh_token', refresh_token: 'x' };
    const attempts: [string, object][] = [
      ['/oauth/token', { basic: [encodeURIComponent(url), 'secret'], form: grant }],
      ['/oauth/token', { form: { ...grant, client_id: url, client_secret: 'secret' } }],
      ['/oauth/token', { form: { grant_type: 'password', client_id: url, ...userForm } }],
      ['/oauth/token', { form: { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', client_id: url } }],
      [
        '/oauth/token',
        { form: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: url, device_code: 'x' } },
      ],
      ['/oauth/device_authorization', { form: { client_id: url } }],
      ['/oauth/introspect', { form: { client_id: url, token: 'x' } }],
    ];
    const errors = [];
    for (const [path, options] of attempts)
      errors.push((await realm.send(path, options)).json<{ error: string }>().error);
    const [unauthorized, invalid] = ['unauthorized_client', 'invalid_client'];
    expect(errors).toEqual([invalid, invalid, unauthorized, unauthorized, unauthorized, unauthorized, invalid]);
  });

  it('must use PKCE, and has no redirect URI of a pattern', async () => {
    const url = server.publish({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [createClientKey().jwk] },
    });
    const asked = { response_type: 'code', client_id: url, redirect_uri: webCallback, scope: 'openid', prompt: 'none' };
    const answer = await realm.send(authorizePath(asked));
    expect(answer.text + answer.headers.location).toContain('invalid_request');
  });

  describe('shows the host of the document before all else', () => {
    it('on the sign-in page and the consent page, with its own name, where the answer goes, and that nobody vouches', async () => {
      const url = server.publish({ client_name: 'Not a bank' });
      const browser = createTestBrowser();
      const asked = {
        response_type: 'code',
        client_id: url,
        redirect_uri: webCallback,
        scope: 'openid',
        ...parameters(),
      };
      const address = realm.url + authorizePath(asked);
      const signInPage = await browser.get(address);
      const consentPage = await browser.submit(signInPage, address, userForm);
      for (const { text } of [signInPage, consentPage]) {
        const host = text.indexOf(`<p class="host"><bdi>${new URL(url).host}</bdi></p>`);
        expect(host).toBeGreaterThan(0);
        expect(host).toBeLessThan(text.indexOf('<h1>'));
        expect(text).toContain('It calls itself <strong>Not a bank</strong>.');
        expect(text).toContain('The answer goes to <strong>tool.example.com</strong>.');
        expect(text).toContain('Nobody in this organization vouches for this application.');
        expect(text.split('The answer goes to')).toHaveLength(2);
      }
    });

    it('and an error leads to its website by way of a page', async () => {
      const answer = await ask(server.publish(), { scope: 'openid', prompt: 'none' });
      expect(answer.headers.location).toBeUndefined();
      expect(answer.text).toContain('Go on to another website?');
    });
  });

  describe('is a page where it', () => {
    const expectPage = async (url: string, sentence: string, ...more: string[]) => {
      const answer = await ask(url);
      expect([answer.status, answer.headers.location, sentenceOf(answer)]).toEqual([400, undefined, sentence]);
      for (const text of [url, ...more]) expect(answer.text).toContain(text);
    };

    it('has a bad form', async () => {
      await expectPage(
        `${server.origin}/a?b`,
        'The client_id of the application begins as the URL of a metadata document does, but is no such URL.',
      );
    });
    it('is not there', async () => {
      await expectPage(
        'https://localhost:1/a',
        'The document at this URL, which describes the application, cannot be read.',
        'unreachable',
      );
    });
    it('leads to an address that is not called', async () => {
      await expectPage(
        'https://10.0.0.1/a',
        'The document at this URL, which describes the application, cannot be read.',
        'refused address',
      );
    });
    it.each<[string, Parameters<DocumentServer['put']>[1]]>([
      ['answers 404', { status: 404, body: {} }],
      ['redirects', { status: 302, headers: { location: '/elsewhere' }, body: '' }],
      ['is of another media type', { headers: { 'content-type': 'text/html' }, body: '{}' }],
      ['is longer than 8 KiB', { body: 'x'.repeat(8_193) }],
    ])('%s', async (_what, answer) => {
      const url = server.publish();
      server.put(server.pathOf(url), answer);
      await expectPage(url, 'The document at this URL, which describes the application, cannot be read.', 'bad answer');
    });
    it('is bad', async () => {
      await expectPage(
        server.publish({ client_secret: 's' }),
        'The document at this URL does not describe an application that can be used here.',
        'must not have client_secret',
      );
    });
    it.each(['roles', 'groups'])('asks for the scope %s, which is not open', async (scope) => {
      await expectPage(
        server.publish({ scope: `openid ${scope}` }),
        'The document at this URL does not describe an application that can be used here.',
        'open to it',
      );
    });
    it('is disabled', async () => {
      const url = server.publish();
      await exchange(url);
      expect((await patch(url, { enabled: false })).status).toBe(200);
      await expectPage(url, 'The people who run this service have disabled this application (unauthorized_client).');
    });
  });

  it('takes a document of another JSON type, and keeps no failure', async () => {
    const url = server.publish();
    server.put(server.pathOf(url), { status: 500, body: {} });
    expect((await ask(url)).status).toBe(400);
    realm.advance(1_000);
    server.publish(
      {},
      { path: server.pathOf(url), headers: { 'content-type': 'application/cimd+json; charset=utf-8' } },
    );
    expect((await ask(url)).status).toBe(200);
  });

  it('that is bad is not kept', async () => {
    const url = server.publish({ client_secret: 's' });
    expect([(await ask(url)).status, (await view(url)).status]).toEqual([400, 404]);
    realm.advance(1_000);
    expect([(await ask(url)).status, server.countOf(url)]).toEqual([400, 2]);
    realm.advance(1_000);
    server.publish({}, { path: server.pathOf(url) });
    expect((await ask(url)).status).toBe(200);
  });

  it('gets an answer at any port of http://[::1], too', async () => {
    const url = server.publish({ redirect_uris: ['http://[::1]/callback'] });
    expect((await ask(url, { redirect_uri: 'http://[::1]:53682/callback' })).status).toBe(200);
    expect((await ask(url, { redirect_uri: 'http://[::2]:53682/callback' })).status).toBe(400);
  });

  it('spelled otherwise is another client, whose document says another client_id', async () => {
    const url = server.publish();
    expect((await ask(url)).status).toBe(200);
    const answer = await ask(url.replace('localhost', 'LOCALHOST'));
    expect(answer.text).toContain('must have its URL as client_id');
  });

  it.each([
    ['without a word for an hour', {}, 3_600],
    ['for max-age', { 'cache-control': 'max-age=1800' }, 1_800],
    ['for at least 5 minutes', { 'cache-control': 'no-store' }, 300],
    ['for at most a day', { 'cache-control': 'max-age=1000000' }, 86_400],
  ])('is kept %s', async (_what, headers, seconds) => {
    const url = server.publish({}, { headers: headers as Record<string, string> });
    await ask(url);
    realm.advance(seconds * 1000 - 5_000);
    await ask(url);
    expect(server.countOf(url)).toBe(1);
    realm.advance(6_000);
    await ask(url);
    expect(server.countOf(url)).toBe(2);
  });

  it('is read by one call for all who wait', async () => {
    const url = server.publish();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(url)));
    expect([server.countOf(url), ...new Set(answers.map(({ status }) => status))]).toEqual([1, 200]);
  });

  it('is looked up 30 times a minute for a network: then the page says so, with 429', async () => {
    realm.advance(60_000 - (realm.clock() % 60_000));
    const headers = { 'x-forwarded-for': createAddress() };
    for (let turn = 0; turn < 30; turn += 1) await ask(`https://localhost:1/unknown/${turn}`, {}, headers);
    const url = server.publish();
    const answer = await ask(url, {}, headers);
    expect([answer.status, Number(answer.headers['retry-after']) > 0, server.countOf(url)]).toEqual([429, true, 0]);
    expect(sentenceOf(answer)).toBe('Too many applications are looked up at the moment. Wait a minute and try again.');
    expect((await ask(url)).status).toBe(200);
    expect((await ask(url, {}, headers)).status).toBe(200);
  });

  it('carries its request through the pages', async () => {
    const url = server.publish();
    expect(readHiddenFields((await ask(url)).text).request).toContain(encodeURIComponent(url));
  });
});
