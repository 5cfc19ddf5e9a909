import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import {
  type ClientKey,
  call,
  callWithProof,
  createClientKey,
  createTestBrowser,
  findFreePort,
  type Gatehouse,
  type TestBrowser,
} from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { createPkce } from '../support/authorization.ts';
import { type Credentials, passwordKind, postClient } from '../support/clients.ts';
import { plainUser } from '../support/people.ts';
import { getTokens, getUserTokens, isActive, postToken, readClaims, type TokenResponse } from '../support/tokens.ts';
import { getUserDetails, userDetailsUrl } from '../support/users.ts';
import { waitFor } from '../support/wait.ts';
import {
  codeRequest,
  implicitRequest,
  isSignInPage,
  obtainCode,
  obtainTokens,
  open,
  readRedirect,
  redeem,
  signIn,
} from './authorization-request.ts';
import { describeStandard, implicitKind, publicKind, register } from './realm.ts';

describeStandard('the threats of RFC 9700 section 4', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let spa: Credentials;
  let implicit: Credentials;
  let key: ClientKey;
  let tokenUrl: string;
  const [username, password] = plainUser;
  const login = { grant_type: 'password', username, password };

  beforeAll(async () => {
    gatehouse = getGatehouse();
    tokenUrl = `${gatehouse.authUrl}/oauth/token`;
    key = createClientKey();
    [app, spa, implicit] = await Promise.all([
      register(gatehouse),
      register(gatehouse, publicKind),
      register(gatehouse, implicitKind),
    ]);
  });

  const expectShownToUser = async (parameters: Record<string, string>, browser?: TestBrowser) => {
    const { status, headers } = await open(gatehouse, parameters, browser);
    expect({ status, location: headers.location }).toEqual({ status: 400, location: undefined });
  };
  const refusal = async (client: Credentials, form: Record<string, string>) => {
    const { status, json } = await redeem(gatehouse, client, form);
    return { status, error: json().error };
  };
  const invalidGrant = { status: 400, error: 'invalid_grant' };
  const lookalikes = [
    'https://attacker.example/callback',
    'https://app.example.com.attacker.example/callback',
    'https://app.example.com@attacker.example/callback',
    'https://app.example.com/callback/../other',
    'https://app.example.com/callback?next=https://attacker.example',
    'https://app.example.com/callback#part',
    'https://APP.example.com/callback',
    'http://app.example.com/callback',
    'https://app.example.com:8443/callback',
  ];
  const boundTokens = async () =>
    (
      await callWithProof(tokenUrl, key, { method: 'POST', basic: app, form: login })
    ).json() as unknown as TokenResponse;

  it('RFC 9700 4.1.1: a code is sent to no redirect URI that only looks like the registered one', async () => {
    for (const redirect_uri of lookalikes) await expectShownToUser(codeRequest(app[0], { redirect_uri }).parameters);
  });

  it('RFC 9700 4.1.2: nor is a token of the implicit grant, also for a user who is signed in', async () => {
    const browser = createTestBrowser();
    await signIn(gatehouse, implicitRequest(implicit[0]), browser);
    for (const redirect_uri of lookalikes) {
      await expectShownToUser(implicitRequest(implicit[0], { redirect_uri }), browser);
    }
  });

  it('RFC 9700 4.1.3: a plain http address is not registered, and a pattern is no pattern', async () => {
    expect(
      (await postClient(gatehouse, passwordKind({ redirect_uri: 'http://app.example.com/callback' }))).status,
    ).toBe(400);
    const pattern = await postClient(gatehouse, passwordKind({ redirect_uri: 'https://app.example.com/*' }));
    expect([pattern.status, pattern.text]).toEqual([400, expect.stringContaining('must not hold *')]);
  });

  it('RFC 9700 4.2: pages send no referrer to other sites and load nothing from them', async () => {
    const page = await open(gatehouse, codeRequest(app[0]).parameters);
    expect(page.headers['referrer-policy']).toBe('same-origin');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/(?:src|href)="https?:/);
  });

  it('RFC 9700 4.3.1: a code in the browser history opens nothing: it works once, for its client, with its verifier', async () => {
    const { form } = await obtainCode(gatehouse, spa);
    const { code_verifier: _verifier, ...known } = form;
    expect(await refusal(spa, known)).toEqual(invalidGrant);
    expect((await redeem(gatehouse, spa, form)).status).toBe(200);
    expect(await refusal(spa, form)).toEqual(invalidGrant);
  });

  it('RFC 9700 4.3.2: access tokens never stand in a URL query, neither given nor taken', async () => {
    const answer = await open(gatehouse, implicitRequest(implicit[0], { response_mode: 'query' }));
    expect(readRedirect(answer).query).toEqual({});
    const { access_token } = await getUserTokens(gatehouse, app);
    for (const url of [`${gatehouse.authUrl}/oauth/userinfo`, userDetailsUrl(gatehouse, username)]) {
      expect((await call(`${url}?access_token=${access_token}`)).status).toBe(401);
    }
  });

  it('RFC 9700 4.4: every answer names its issuer, so that a client can tell a mix-up', async () => {
    const browser = createTestBrowser();
    const failed = await open(gatehouse, codeRequest(app[0], { prompt: 'none' }).parameters, browser);
    const succeeded = await signIn(gatehouse, codeRequest(app[0]).parameters, browser);
    for (const answer of [failed, succeeded]) expect(readRedirect(answer).query.iss).toBe(gatehouse.authUrl);
    const metadata = (await call(`${gatehouse.authUrl}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      issuer: gatehouse.authUrl,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('RFC 9700 4.5.3.1: a stolen code put into another session of the client is refused by PKCE', async () => {
    const stolen = await obtainCode(gatehouse, spa);
    const attackers = await obtainCode(gatehouse, spa);
    const injected = { ...attackers.form, code: stolen.code };
    expect(await refusal(spa, injected)).toEqual(invalidGrant);
  });

  it('RFC 9700 4.5.3.2: the nonce of the request comes back in the ID token, for clients that rely on it', async () => {
    const { id_token = '' } = await obtainTokens(gatehouse, app, { nonce: 'of-this-session' });
    expect(readClaims(id_token).nonce).toBe('of-this-session');
  });

  it('RFC 9700 4.5: a code of one client opens nothing to another', async () => {
    const { form } = await obtainCode(gatehouse, app);
    expect(await refusal(await register(gatehouse), form)).toEqual(invalidGrant);
  });

  it('RFC 9700 4.6: an injected access token does not fit the at_hash of the ID token', async () => {
    const { fragment } = readRedirect(await signIn(gatehouse, implicitRequest(implicit[0])));
    const injected = (await getUserTokens(gatehouse, app)).access_token;
    const halfHash = (token: string) =>
      createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
    const { at_hash } = readClaims(fragment.id_token ?? '');
    expect(at_hash).toBe(halfHash(fragment.access_token ?? ''));
    expect(at_hash).not.toBe(halfHash(injected));
  });

  it('RFC 9700 4.7: a forged post signs nobody in, allows nothing and signs nobody out', async () => {
    const [thirdParty] = await register(gatehouse, { require_consent: true });
    const browser = createTestBrowser();
    await signIn(gatehouse, codeRequest(app[0]).parameters, browser);
    const { authUrl } = gatehouse;
    const request = new URLSearchParams(codeRequest(thirdParty).parameters).toString();
    for (const form_token of ['', 'invented']) {
      const signedIn = await createTestBrowser().post(`${authUrl}/oauth/sign-in`, {
        request,
        form_token,
        username,
        password,
      });
      const allowed = await browser.post(`${authUrl}/oauth/consent`, { request, form_token, decision: 'allow' });
      await browser.post(`${authUrl}/oauth/logout`, { request: '', form_token });
      expect([signedIn.status, allowed.status]).toEqual([403, 403]);
    }
    const still = await open(gatehouse, codeRequest(app[0], { prompt: 'none' }).parameters, browser);
    expect(readRedirect(still).query.code).toEqual(expect.any(String));
  });

  it('RFC 9700 4.7: state comes back as it was, and PKCE binds the code to the browser that began', async () => {
    const state = 'bound to the session of the client';
    const { query } = readRedirect(await signIn(gatehouse, codeRequest(app[0], { state }).parameters));
    expect(query.state).toBe(state);
  });

  it('RFC 9700 4.8: a request without challenge is refused of public clients', async () => {
    const { parameters } = codeRequest(spa[0], { code_challenge: undefined, code_challenge_method: undefined });
    expect(readRedirect(await open(gatehouse, parameters)).query.error).toBe('invalid_request');
  });

  it('RFC 9700 4.8: a verifier for a code that has no challenge is refused: the challenge was taken away', async () => {
    const changes = { code_challenge: undefined, code_challenge_method: undefined };
    const { form } = await obtainCode(gatehouse, app, changes);
    expect(await refusal(app, { ...form, code_verifier: createPkce().verifier })).toEqual(invalidGrant);
  });

  it('RFC 9700 4.9.1: a token that a counterfeit resource server was given does not work without its key', async () => {
    const { access_token } = await boundTokens();
    const url = userDetailsUrl(gatehouse, username);
    expect((await call(url, { bearer: access_token })).status).toBe(401);
    const thief = createClientKey();
    const answer = await callWithProof(url, thief, { method: 'GET', accessToken: access_token });
    expect(answer.status).toBe(401);
    expect((await callWithProof(url, key, { method: 'GET', accessToken: access_token })).status).toBe(200);
  });

  it('RFC 9700 4.9.2: a token that a resource server leaked can be ended, everywhere within seconds', async () => {
    const { access_token } = await getUserTokens(gatehouse, app);
    expect((await getUserDetails(gatehouse, username, access_token)).status).toBe(200);
    await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: app, form: { token: access_token } });
    const refused = await waitFor(
      () => getUserDetails(gatehouse, username, access_token),
      ({ status }) => status === 401,
      5_000,
    );
    expect(refused.status).toBe(401);
  });

  it('RFC 9700 4.10.1: a token bound to a key is of no use to a thief, also when it is replayed with its proof', async () => {
    const { access_token: accessToken } = await boundTokens();
    const url = `${gatehouse.authUrl}/oauth/userinfo`;
    expect(readClaims(accessToken).cnf).toEqual({ jkt: key.jkt });
    expect((await call(url, { headers: { authorization: `DPoP ${accessToken}` } })).status).toBe(401);
    const thief = createClientKey();
    expect((await callWithProof(url, thief, { method: 'GET', accessToken })).status).toBe(401);
  });

  it('RFC 9700 4.10.2: a token is for one resource server, and each looks whether it is for itself', async () => {
    const { access_token } = await getTokens(gatehouse, app, login);
    expect(readClaims(access_token).aud).toBe(gatehouse.baseUrl);
    const elsewhere = { ...login, resource: 'https://another.example' };
    const { json } = await postToken(gatehouse, { basic: app, form: elsewhere });
    expect(json().error).toBe('invalid_target');
  });

  it('RFC 9700 4.10.3: the metadata leads to this server and nowhere else', async () => {
    const metadata = (await call(`${gatehouse.authUrl}/.well-known/oauth-authorization-server`)).json();
    for (const [name, url] of Object.entries(metadata).filter(([name]) => /_endpoint$|_uri$/.test(name))) {
      expect([name, new URL(String(url)).origin]).toEqual([name, gatehouse.authUrl]);
    }
  });

  it('RFC 9700 4.11.2: the server redirects nowhere on a bad client_id or redirect_uri, nor after a sign-out', async () => {
    const attacker = 'https://attacker.example/';
    await expectShownToUser({ response_type: 'code', client_id: 'unknown', redirect_uri: attacker });
    await expectShownToUser({ response_type: 'nonsense', client_id: app[0], redirect_uri: attacker });
    const query = new URLSearchParams({ client_id: app[0], post_logout_redirect_uri: attacker });
    const { status, headers } = await call(`${gatehouse.authUrl}/oauth/logout?${query}`);
    expect({ status, location: headers.location }).toEqual({ status: 400 });
  });

  it('RFC 9700 4.11.2: a good request makes the user sign in before anything is redirected', async () => {
    expect(isSignInPage(await open(gatehouse, codeRequest(app[0]).parameters))).toBe(true);
  });

  it('RFC 9700 4.12: after the password was posted the browser is sent on by 303, never by 307', async () => {
    expect((await signIn(gatehouse, codeRequest(app[0]).parameters)).status).toBe(303);
    const posted = await call(`${gatehouse.authUrl}/oauth/authorize`, { form: codeRequest(app[0]).parameters });
    expect(posted.status).toBe(303);
  });

  it('RFC 9700 4.13: headers that only a proxy may set are not believed of anybody else', async () => {
    const victim = await register(gatehouse);
    const statuses: number[] = [];
    for (let tries = 0; tries < 11; tries += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${tries}`, 'x-real-ip': `203.0.113.${tries}` };
      const form = { ...login, grant_type: 'client_credentials' };
      statuses.push((await postToken(gatehouse, { basic: [victim[0], 'wrong'], form, headers })).status);
    }
    expect(statuses.at(-1)).toBe(429);
    const { issuer } = (
      await call(`${gatehouse.authUrl}/.well-known/openid-configuration`, {
        headers: { 'x-forwarded-host': 'attacker.example', 'x-forwarded-proto': 'https' },
      })
    ).json();
    expect(issuer).toBe(gatehouse.authUrl);
  });

  it('RFC 9700 4.13: names and certificates of clients are not taken from headers', async () => {
    const headers = { 'x-ssl-client-cert': 'CN=app', 'x-client-id': app[0], 'x-forwarded-user': app[0] };
    const form = { ...login, client_id: app[0] };
    expect((await postToken(gatehouse, { form, headers })).status).toBe(401);
  });

  it('RFC 9700 4.14.2: a refresh token that comes back after it was used ends its whole grant', async () => {
    const first = await obtainTokens(gatehouse, spa);
    const refresh = (token = '') => redeem(gatehouse, spa, { grant_type: 'refresh_token', refresh_token: token });
    const second = (await refresh(first.refresh_token)).json<{ refresh_token: string }>();
    const third = (await refresh(second.refresh_token)).json<{ refresh_token: string; access_token: string }>();
    expect(third.refresh_token).not.toBe(second.refresh_token);
    expect((await refresh(first.refresh_token)).status).toBe(400);
    expect((await refresh(third.refresh_token)).status).toBe(400);
    expect(await isActive(gatehouse, app, third.access_token)).toBe(false);
  });

  it('RFC 9700 4.14.2: a public client’s refresh token may be bound to a key', async () => {
    const { form } = await obtainCode(gatehouse, spa);
    const redemption = { method: 'POST', form: { ...form, client_id: spa[0] } };
    const { refresh_token } = (await callWithProof(tokenUrl, key, redemption)).json();
    const refresh = { grant_type: 'refresh_token', refresh_token: String(refresh_token), client_id: spa[0] };
    const thief = createClientKey();
    expect((await callWithProof(tokenUrl, thief, { method: 'POST', form: refresh })).status).toBe(400);
    expect((await callWithProof(tokenUrl, key, { method: 'POST', form: refresh })).status).toBe(200);
  });

  it('RFC 9700 4.14.2: a refresh token is of no use to another client, and for no wider scope', async () => {
    const { refresh_token = '' } = await obtainTokens(gatehouse, app, { scope: 'openid' });
    const form = { grant_type: 'refresh_token', refresh_token };
    expect(await refusal(await register(gatehouse), form)).toEqual(invalidGrant);
    expect(await refusal(app, { ...form, scope: 'openid email' })).toEqual({ status: 400, error: 'invalid_scope' });
  });

  it('RFC 9700 4.14.2: refresh tokens end with the session they come from', async () => {
    const browser = createTestBrowser();
    const { id_token, refresh_token = '' } = await obtainTokens(gatehouse, app, {}, browser);
    await browser.get(`${gatehouse.authUrl}/oauth/logout?id_token_hint=${id_token}`);
    expect(await refusal(app, { grant_type: 'refresh_token', refresh_token })).toEqual(invalidGrant);
  });

  it('RFC 9700 4.15: a client whose client_id is a user’s id gets nothing that is the user’s', async () => {
    const userId = String(readClaims((await getUserTokens(gatehouse, app)).access_token).sub);
    const impostor = await register(gatehouse, {
      client_id: userId,
      authorized_grant_types: ['client_credentials'],
      redirect_uri: undefined,
    });
    const { access_token } = await getTokens(gatehouse, impostor, { grant_type: 'client_credentials' });
    expect(readClaims(access_token)).not.toHaveProperty('username');
    expect((await getUserDetails(gatehouse, username, access_token)).status).toBe(403);
    expect((await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer: access_token })).status).toBe(401);
    expect((await call(`${gatehouse.authUrl}/clients`, { bearer: access_token })).status).toBe(403);
  });

  it('RFC 9700 4.16: no page can be framed: sign-in, consent, sign-out, error', async () => {
    const [thirdParty] = await register(gatehouse, { require_consent: true });
    const browser = createTestBrowser();
    const pages = [
      await open(gatehouse, codeRequest(app[0]).parameters, browser),
      await signIn(gatehouse, codeRequest(thirdParty).parameters, browser),
      await browser.get(`${gatehouse.authUrl}/oauth/logout`),
      await browser.get(`${gatehouse.authUrl}/oauth/consents`),
      await open(gatehouse, codeRequest('unknown').parameters, browser),
    ];
    for (const { text, headers } of pages) {
      expect(text).toContain('<!doctype html>');
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options']).toBe('DENY');
    }
  });

  it('RFC 9700 4.17: nothing is handed over by postMessage, so no receiver can be confused', async () => {
    const { parameters } = codeRequest(app[0], { response_mode: 'web_message' });
    expect(readRedirect(await open(gatehouse, parameters)).query.error).toBe('invalid_request');
    const page = await open(gatehouse, codeRequest(app[0]).parameters);
    expect(page.text).not.toContain('postMessage');
    expect(page.headers['content-security-policy']).not.toContain('unsafe-inline');
  });

  it('RFC 9700 4.17: an answer by form_post escapes what the client sent', async () => {
    const { parameters } = codeRequest(app[0], { response_mode: 'form_post', state: '"><script>alert(1)</script>' });
    const page = await signIn(gatehouse, parameters);
    expect(page.text).not.toContain('<script>alert');
    expect(page.headers['content-security-policy']).toMatch(/script-src 'sha256-/);
  });

  it('RFC 9700 2.1.2: a client that did not register the implicit grant gets no token from the front channel', async () => {
    const { fragment } = readRedirect(await open(gatehouse, implicitRequest(app[0])));
    expect(fragment.error).toBe('unauthorized_client');
  });

  it('RFC 9101 10.4.1: nothing that a client sends or registers makes this server fetch a URL', async () => {
    const port = await findFreePort();
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const request_uri = `http://127.0.0.1:${port}/request`;
    const { query } = readRedirect(await open(gatehouse, codeRequest(app[0], { request_uri }).parameters));
    const keyed = { ...passwordKind(), client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' };
    const { status } = await postClient(gatehouse, { ...keyed, jwks_uri: request_uri });
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect({ error: query.error, status, asked }).toEqual({
      error: 'invalid_request_uri',
      // It is not read until its keys are needed.
      status: 200,
      asked: 0,
    });
  });
});

const behindProxy = { 'auth-server': { TRUST_PROXY: 'loopback' } };
describeStandard(
  'the threats of RFC 9700 section 4, behind a proxy that names the network of the caller',
  (getGatehouse) => {
    let gatehouse: Gatehouse;
    let spa: Credentials;
    beforeAll(async () => {
      gatehouse = getGatehouse();
      spa = await register(gatehouse, publicKind);
    });

    it('RFC 9700 4.14.2: a used refresh token that comes back from another network ends its whole grant at once', async () => {
      const first = await obtainTokens(gatehouse, spa);
      const refresh = (token: string, address: string) => {
        const form = { grant_type: 'refresh_token', refresh_token: token, client_id: spa[0] };
        return postToken(gatehouse, { form, headers: { 'x-forwarded-for': address } });
      };
      const { refresh_token: token = '' } = first;
      const second = (await refresh(token, '203.0.113.7')).json<{ refresh_token: string }>();
      const retry = await refresh(token, '203.0.113.7');
      expect([retry.status, retry.json().refresh_token]).toEqual([200, second.refresh_token]);
      expect((await refresh(token, '203.0.113.8')).status).toBe(400);
      expect((await refresh(second.refresh_token, '203.0.113.7')).status).toBe(400);
    });
  },
  behindProxy,
);
