import { createClientKey, createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, createPkce, userForm } from '../support/browser.ts';
import {
  type ClientInformation,
  type DynamicClients,
  obtainAllowedCode,
  obtainTokens,
  openBody,
  startOpenRealm,
  webCallback,
} from '../support/dynamic-clients.ts';
import { createExchanges } from '../support/exchanges.ts';
import { administrator, type Realm, startAuthServer } from '../support/realm.ts';

describe.each(testDialects)('the own registration (RFC 7592) on %s', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;
  beforeAll(async () => {
    ({ realm, dynamic } = await startOpenRealm(dialect));
  });
  afterAll(() => realm.close());

  const refreshing = { ...openBody, grant_types: ['authorization_code', 'refresh_token'] };
  const replace = (client: ClientInformation, json: object) =>
    dynamic.manage(client, 'PUT', { client_id: client.client_id, ...json });
  const administer = (client: ClientInformation, method: string, json?: object) =>
    realm.send(`/clients/${client.client_id}`, { method, basic: administrator, ...(json && { json }) });

  it('shows what is in force, with the token that was sent and without the secret', async () => {
    const registered = await dynamic.register(openBody, await dynamic.createToken());
    const answer = await dynamic.manage(registered, 'GET');
    const { client_secret: _1, client_secret_expires_at: _2, ...shown } = registered;
    expect([answer.status, answer.json()]).toEqual([200, shown]);
    expect([answer.headers['cache-control'], answer.headers['access-control-allow-origin']]).toEqual(['no-store', '*']);
  });

  it('shows what an administrator changed', async () => {
    const registered = await dynamic.register();
    expect((await administer(registered, 'PATCH', { client_name: 'Known to us' })).status).toBe(200);
    expect((await dynamic.manage(registered, 'GET')).json()).toMatchObject({ client_name: 'Known to us' });
  });

  it('shows the usual method where an administrator took away the one that it named', async () => {
    const open = await dynamic.register();
    const post = { ...openBody, token_endpoint_auth_method: 'client_secret_post' };
    const confidential = await dynamic.register(post, await dynamic.createToken());
    for (const [client, method] of [
      [open, 'none'],
      [confidential, 'client_secret_basic'],
    ] as const) {
      expect((await administer(client, 'PATCH', { token_endpoint_auth_method: null })).status).toBe(200);
      expect((await dynamic.manage(client, 'GET')).json()).toMatchObject({ token_endpoint_auth_method: method });
    }
  });

  it('is replaced as a whole: what is left out is gone', async () => {
    const registered = await dynamic.register({ ...refreshing, post_logout_redirect_uris: [webCallback] });
    const answer = await replace(registered, { redirect_uris: [webCallback], scope: 'openid' });
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        client_id: registered.client_id,
        client_id_issued_at: registered.client_id_issued_at,
        registration_access_token: registered.registration_access_token,
        registration_client_uri: registered.registration_client_uri,
        redirect_uris: [webCallback],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        scope: 'openid',
        require_consent: true,
      },
    ]);
  });

  it('takes its own answer back, and gives the same', async () => {
    const registered = await dynamic.register(refreshing, await dynamic.createToken());
    const answer = await dynamic.manage(registered, 'PUT', registered);
    const { client_secret: secret, client_secret_expires_at: _, ...shown } = registered;
    expect([answer.status, answer.json()]).toEqual([200, shown]);
    const asked = await realm.tokenRequest(registered, { grant_type: 'refresh_token', refresh_token: 'unknown' });
    expect([secret, asked.json()]).toEqual([expect.any(String), expect.objectContaining({ error: 'invalid_grant' })]);
  });

  it.each<[string, object, RegExp]>([
    ['another client_id', { client_id: 'another' }, /client_id must be the one/],
    ['a client_id that is no text', { client_id: 7 }, /client_id must be the one/],
    ['no client_id', { client_id: undefined }, /client_id must be the one/],
    ['a secret of its own', { client_secret: 'a-secret-of-its-own' }, /client_secret must be the current one/],
    ['a secret that is no text', { client_secret: { a: 1 } }, /client_secret must be the current one/],
    ['more than its initial token allows', { grant_types: ['client_credentials'] }, /grant_types must be among/],
    ['the scope roles', { scope: 'roles' }, /scope must hold only/],
    ['backchannel_logout_uri', { backchannel_logout_uri: webCallback }, /backchannel_logout_uri is not accepted/],
  ])('is not replaced by %s', async (_what, changes, description) => {
    for (const token of [undefined, await dynamic.createToken()]) {
      const registered = await dynamic.register(openBody, token);
      const answer = await replace(registered, { ...openBody, ...changes });
      expect([answer.status, answer.json()]).toEqual([
        400,
        { error: 'invalid_client_metadata', error_description: expect.stringMatching(description) },
      ]);
    }
  });

  it('keeps the limit at administration that an administrator gave it, and chooses none', async () => {
    const registered = await dynamic.register({ ...openBody, administration_max_age: 86_400 });
    const limitNow = async () => (await administer(registered, 'GET')).json().administration_max_age;
    expect(await limitNow()).toBeUndefined();
    expect((await administer(registered, 'PATCH', { administration_max_age: 60 })).status).toBe(200);
    expect((await replace(registered, { ...openBody, administration_max_age: 86_400 })).status).toBe(200);
    expect(await limitNow()).toBe(60);
  });

  it('gets no secret where registration was open', async () => {
    const registered = await dynamic.register();
    const answer = await replace(registered, { ...openBody, token_endpoint_auth_method: 'client_secret_basic' });
    expect(answer.json()).toMatchObject({ error_description: expect.stringMatching(/must be none/) });
  });

  it('stays within its initial token, also when that is gone', async () => {
    const made = await realm.send('/registration-tokens', { basic: administrator, json: { scope: 'openid profile' } });
    const { id, token } = made.json<{ id: string; token: string }>();
    const registered = await dynamic.register(openBody, token);
    const path = `/registration-tokens/${id}`;
    expect((await realm.send(path, { method: 'DELETE', basic: administrator })).status).toBe(204);
    expect((await replace(registered, { ...openBody, scope: 'openid email' })).status).toBe(400);
    expect((await replace(registered, { ...openBody, scope: 'openid' })).status).toBe(200);
  });

  it('takes the current secret, and none that was replaced or that is in grace', async () => {
    const registered = await dynamic.register(openBody, await dynamic.createToken());
    const { client_secret: first } = registered;
    const change = (json: object) =>
      realm.send(`/clients/${registered.client_id}/secret`, {
        basic: administrator,
        json: { grace_seconds: 60, ...json },
      });
    const { client_secret: second } = (await change({})).json<{ client_secret: string }>();
    expect((await replace(registered, { ...openBody, client_secret: first })).status).toBe(400);
    expect((await replace(registered, { ...openBody, client_secret: second })).status).toBe(200);
    await change({ client_secret: 'chosen by an administrator' });
    expect((await replace(registered, { ...openBody, client_secret: second })).status).toBe(400);
    const client_secret = 'chosen by an administrator';
    expect((await replace(registered, { ...openBody, client_secret })).status).toBe(200);
  });

  it('names the longest secret that an administrator may choose', async () => {
    const registered = await dynamic.register(openBody, await dynamic.createToken());
    const client_secret = 's'.repeat(1024);
    const chosen = await realm.send(`/clients/${registered.client_id}/secret`, {
      basic: administrator,
      json: { client_secret, grace_seconds: 60 },
    });
    expect(chosen.status).toBe(200);
    expect((await replace(registered, { ...openBody, client_secret })).status).toBe(200);
  });

  it('gets a secret with the first method that takes one, and loses it with another', async () => {
    const jwks = { keys: [createClientKey().jwk] };
    const keyed = { ...openBody, token_endpoint_auth_method: 'private_key_jwt', jwks };
    const registered = await dynamic.register(keyed, await dynamic.createToken());
    const withSecret = (await replace(registered, openBody)).json<ClientInformation>();
    const { client_secret = '' } = withSecret;
    expect([client_secret, withSecret.client_secret_expires_at]).toEqual([expect.stringMatching(/^[\w-]{43}$/), 0]);
    const form = { grant_type: 'authorization_code', code: 'unknown', redirect_uri: webCallback };
    const ask = async () => (await realm.tokenRequest(withSecret, form)).json<{ error: string }>().error;
    expect(await ask()).toBe('invalid_grant');
    expect((await replace(registered, { ...openBody, token_endpoint_auth_method: 'none' })).json()).not.toHaveProperty(
      'client_secret',
    );
    expect(await ask()).toBe('invalid_client');
  });

  it('takes back its tokens with a change of where a sign-in begins', async () => {
    const begins = (path: string) => ({
      ...{ ...refreshing, token_endpoint_auth_method: 'none' },
      initiate_login_uri: `https://agent.example.com/${path}`,
    });
    const registered = await dynamic.register(begins('login'), await dynamic.createToken());
    const { access_token: bearer } = await obtainTokens(realm, registered, { browser: createTestBrowser() });
    const ask = async () => (await realm.send('/oauth/userinfo', { bearer })).status;
    expect((await replace(registered, begins('login'))).status).toBe(200);
    expect(await ask()).toBe(200);
    expect((await replace(registered, begins('other'))).status).toBe(200);
    expect(await ask()).toBe(401);
  });

  it.each<[string, object]>([
    ['redirect URIs', { redirect_uris: [webCallback, `${webCallback}/other`] }],
    ['name', { client_name: 'Another agent' }],
    ['links', { client_uri: 'https://agent.example.com/' }],
    ['logo', { logo_uri: 'https://agent.example.com/logo.png' }],
    ['addresses after a sign-out', { post_logout_redirect_uris: ['https://agent.example.com/signed-out'] }],
  ])('takes back consents, codes and refresh tokens with a change of its %s', async (_what, changes) => {
    const browser = createTestBrowser();
    const registered = await dynamic.register(refreshing);
    const tokens = await obtainTokens(realm, registered, { browser });
    const first = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token as string };
    const refreshed = await realm.tokens(registered, first);
    const { code, verifier } = await obtainAllowedCode(realm, registered, { browser });
    const silent = () => obtainAllowedCode(realm, registered, { browser, more: { prompt: 'none' } });
    await silent();

    expect((await replace(registered, { ...refreshing, ...changes })).status).toBe(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshed.refresh_token as string };
    expect((await realm.tokenRequest(registered, refresh)).json()).toMatchObject({ error: 'invalid_grant' });
    const exchange = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: webCallback };
    expect((await realm.tokenRequest(registered, exchange)).json()).toMatchObject({ error: 'invalid_grant' });
    await expect(silent()).rejects.toThrow(/consent_required/);
    for (const { access_token: bearer } of [tokens, refreshed]) {
      expect((await realm.send('/oauth/userinfo', { bearer })).status).toBe(401);
    }
    expect(await obtainTokens(realm, registered, { browser })).toHaveProperty('refresh_token');
  });

  it('takes all of that back where any port of the machine may get the answers from then on', async () => {
    const native = { ...refreshing, redirect_uris: ['http://127.0.0.1:5100/cb'], application_type: 'native' };
    const registered = await dynamic.register(native);
    const { refresh_token = '' } = await obtainTokens(realm, registered);
    const first = await realm.tokens(registered, { grant_type: 'refresh_token', refresh_token });
    expect((await replace(registered, { ...native, loopback_ports: 'any' })).status).toBe(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token as string };
    expect((await realm.tokenRequest(registered, refresh)).json()).toMatchObject({ error: 'invalid_grant' });
    expect((await realm.send('/oauth/userinfo', { bearer: first.access_token })).status).toBe(401);
  });

  it('takes access tokens back in their status list too, and none where users see the same client', async () => {
    const { isRevokedInList } = createExchanges(realm);
    const registered = await dynamic.register(refreshing);
    const { access_token: token } = await obtainTokens(realm, registered);
    expect((await replace(registered, refreshing)).status).toBe(200);
    expect(await isRevokedInList(token)).toBe(false);
    expect((await replace(registered, { ...refreshing, client_name: 'Another agent' })).status).toBe(200);
    expect(await isRevokedInList(token)).toBe(true);
  });

  it('changes nothing of what a user allows on a page that is open: the page is shown again', async () => {
    const browser = createTestBrowser();
    const registered = await dynamic.register();
    const asked = {
      response_type: 'code',
      client_id: registered.client_id,
      redirect_uri: webCallback,
      scope: 'openid',
    };
    const url = realm.url + authorizePath({ ...asked, ...createPkce().parameters });
    const consentPage = await browser.submit(await browser.get(url), url, userForm);
    expect(consentPage.text).toContain('An agent');
    expect((await replace(registered, { ...openBody, client_name: 'Your bank' })).status).toBe(200);
    const again = await browser.submit(consentPage, url, { decision: 'allow' });
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('Your bank')]);
    expect((await browser.submit(again, url, { decision: 'allow' })).headers.location).toContain('code=');
  });

  it('takes them back with a change of its keys', async () => {
    const keyed = () => ({
      ...refreshing,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [createClientKey().jwk] },
    });
    const registered = await dynamic.register(keyed(), await dynamic.createToken());
    const browser = createTestBrowser();
    await obtainAllowedCode(realm, registered, { browser });
    const silent = () => obtainAllowedCode(realm, registered, { browser, more: { prompt: 'none' } });
    await silent();
    expect((await replace(registered, keyed())).status).toBe(200);
    await expect(silent()).rejects.toThrow(/consent_required/);
  });

  it('keeps them where none of these changes', async () => {
    const browser = createTestBrowser();
    const registered = await dynamic.register({ ...refreshing, redirect_uris: [webCallback, `${webCallback}/2`] });
    const tokens = await obtainTokens(realm, registered, { browser });
    const turned = { ...refreshing, redirect_uris: [`${webCallback}/2`, webCallback], scope: 'openid profile' };
    expect((await replace(registered, turned)).status).toBe(200);
    await obtainAllowedCode(realm, registered, { browser, more: { prompt: 'none' } });
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token as string };
    expect(await realm.tokens(registered, refresh)).toHaveProperty('access_token');
  });

  it('is deleted, with its tokens', async () => {
    const registered = await dynamic.register(refreshing);
    const tokens = await obtainTokens(realm, registered);
    const answer = await dynamic.manage(registered, 'DELETE');
    expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([204, '', 'no-store']);
    expect((await administer(registered, 'GET')).status).toBe(404);
    expect((await realm.send('/oauth/userinfo', { bearer: tokens.access_token })).status).toBe(401);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await dynamic.manage(registered, method, method === 'PUT' ? {} : undefined)).status).toBe(401);
    }
  });

  it.each([
    ['GET', undefined],
    ['PUT', { redirect_uris: 7 }],
    ['DELETE', undefined],
  ])('%s is 401 without the token of this very client, before anything else', async (method, json) => {
    const registered = await dynamic.register();
    const other = await dynamic.register();
    const byAdministrator = `hand-made-${dialect}-${method}`;
    await realm.register({
      client_id: byAdministrator,
      scope: ['openid'],
      redirect_uri: webCallback,
      authorized_grant_types: ['authorization_code'],
    });
    const path = new URL(registered.registration_client_uri).pathname;
    const options = { method, ...(json && { json }) };
    const refusals = await Promise.all([
      realm.send(path, { ...options, bearer: other.registration_access_token }),
      realm.send(path, { ...options, bearer: await dynamic.createToken() }),
      realm.send(path, { ...options, basic: administrator }),
      realm.send('/oauth/register/unknown', { ...options, bearer: registered.registration_access_token }),
      realm.send(`/oauth/register/${byAdministrator}`, { ...options, bearer: registered.registration_access_token }),
      realm.send('/oauth/register/%C3%B6', { ...options, bearer: registered.registration_access_token }),
    ]);
    for (const { status, headers, text } of refusals) {
      expect([status, JSON.parse(text)]).toEqual([401, expect.objectContaining({ error: 'invalid_token' })]);
      expect(headers['www-authenticate']).toMatch(/^Bearer realm="main", error="invalid_token"/);
      expect(headers['cache-control']).toBe('no-store');
    }
    const without = await realm.send(path, options);
    expect([without.status, without.headers['www-authenticate']]).toEqual([401, 'Bearer realm="main"']);
    expect((await dynamic.manage(registered, 'GET')).status).toBe(200);
  });

  it('tells a dead token before a body that is no JSON', async () => {
    const registered = await dynamic.register();
    const path = new URL(registered.registration_client_uri).pathname;
    const send = (bearer: string) => realm.send(path, { method: 'PUT', bearer, form: { client_name: 'An agent' } });
    expect((await send('dead')).status).toBe(401);
    expect((await send(registered.registration_access_token)).status).toBe(400);
  });

  it('is in the audit trail as the client that changed and deleted itself, with the fields known here', async () => {
    const registered = await dynamic.register();
    const client_name = 'Another agent';
    const changes = [{ field: 'client_name', from: openBody.client_name, to: client_name }];
    expect((await replace(registered, { ...openBody, client_name, contacts: ['ada@example.com'] })).status).toBe(200);
    expect((await dynamic.manage(registered, 'DELETE')).status).toBe(204);
    const answer = await realm.send('/audit-events?limit=20', { basic: administrator });
    const { events } = answer.json<{ events: { type: string; actor: object }[] }>();
    const itself = { kind: 'client', id: expect.any(String), name: registered.client_id };
    for (const [type, details] of [
      ['client.changed', { fields: ['redirect_uris', 'client_name'], changes }],
      ['client.deleted', {}],
    ]) {
      expect(events).toContainEqual(expect.objectContaining({ type, actor: itself, subject: itself, details }));
    }
  });

  it('is of the application type that was sent last, if any', async () => {
    const registered = await dynamic.register({ ...openBody, application_type: 'native' });
    expect((await dynamic.manage(registered, 'GET')).json()).toMatchObject({ application_type: 'native' });
    expect((await replace(registered, { ...openBody, application_type: 'web' })).json()).toMatchObject({
      application_type: 'web',
    });
    expect((await replace(registered, openBody)).json()).not.toHaveProperty('application_type');
    expect((await dynamic.manage(registered, 'GET')).json()).not.toHaveProperty('application_type');
  });

  it('opens nothing but its own registration', async () => {
    const { registration_access_token: bearer } = await dynamic.register();
    for (const path of ['/clients', '/registration-tokens', '/oauth/userinfo']) {
      expect((await realm.send(path, { bearer })).status).toBe(401);
    }
    expect((await dynamic.send(openBody, { authorization: `Bearer ${bearer}` })).status).toBe(401);
  });

  it('is replaced by the last of several at the same moment, and none is lost', async () => {
    const registered = await dynamic.register();
    const names = Array.from({ length: 8 }, (_, turn) => `Agent ${turn}`);
    const answers = await Promise.all(names.map((client_name) => replace(registered, { ...openBody, client_name })));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const found = (await dynamic.manage(registered, 'GET')).json<{ client_name: string }>();
    expect(names).toContain(found.client_name);
  });

  it('goes on where registration is off', async () => {
    const registered = await dynamic.register();
    const off = await startAuthServer(0, { ...realm.env, DYNAMIC_REGISTRATION: 'off' });
    const path = new URL(registered.registration_client_uri).pathname;
    const authorization = `Bearer ${registered.registration_access_token}`;
    const answer = await off.app.inject({ method: 'GET', url: path, headers: { authorization } });
    expect(answer.statusCode).toBe(200);
    expect((await off.app.inject({ method: 'POST', url: '/oauth/register', payload: openBody })).statusCode).toBe(404);
    await off.stop();
  });

  it('ends the access tokens of a client that is made third-party again', async () => {
    const registered = await dynamic.register();
    await administer(registered, 'PATCH', { require_consent: false });
    const { access_token: bearer } = await obtainTokens(realm, registered);
    expect((await realm.send('/oauth/userinfo', { bearer })).status).toBe(200);
    expect((await replace(registered, openBody)).status).toBe(200);
    expect((await realm.send('/oauth/userinfo', { bearer })).status).toBe(401);
  });

  it('may replace it thirty times in a minute of the clock', async () => {
    const registered = await dynamic.register();
    realm.advance(120_000 - (realm.clock() % 120_000));
    const statuses: number[] = [];
    for (let turn = 0; turn < 31; turn += 1) statuses.push((await replace(registered, openBody)).status);
    expect([statuses.slice(0, 30).every((status) => status === 200), statuses[30]]).toEqual([true, 429]);
    expect((await dynamic.manage(registered, 'GET')).status).toBe(200);
    realm.advance(60_000);
    expect((await replace(registered, openBody)).status).toBe(200);
  });

  it('is asked for by pages of any origin', async () => {
    const { registration_client_uri } = await dynamic.register();
    const path = new URL(registration_client_uri).pathname;
    const preflight = await realm.send(path, { method: 'OPTIONS', headers: { origin: 'https://app.example' } });
    expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([
      204,
      'GET, POST, PUT, DELETE',
    ]);
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
  });
});
