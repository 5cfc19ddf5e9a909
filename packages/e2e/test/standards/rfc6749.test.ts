import { setTimeout as sleep } from 'node:timers/promises';
import { call, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { buildAuthorizeUrl } from '../support/authorization.ts';
import { type Credentials, passwordKind, postClient, redirectUri, serviceAccountKind } from '../support/clients.ts';
import { plainUser } from '../support/people.ts';
import { getTokens, getUserTokens, isActive, postToken } from '../support/tokens.ts';
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

describeStandard('RFC 6749, the OAuth 2.0 framework', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let spa: Credentials;
  let machine: Credentials;
  let implicit: Credentials;
  const [username, password] = plainUser;
  const login = { grant_type: 'password', username, password };
  const machineLogin = { grant_type: 'client_credentials' };

  beforeAll(async () => {
    gatehouse = getGatehouse();
    [app, spa, machine, implicit] = await Promise.all([
      register(gatehouse),
      register(gatehouse, publicKind),
      register(gatehouse, { ...serviceAccountKind(), redirect_uri: undefined }),
      register(gatehouse, implicitKind),
    ]);
  });

  const refused = async (...parameters: Parameters<typeof postToken>) => {
    const { status, json } = await postToken(...parameters);
    return { status, error: json().error };
  };
  const expectShownToUser = async (parameters: Record<string, string>) => {
    const { status, headers } = await open(gatehouse, parameters);
    expect({ status, location: headers.location }).toEqual({ status: 400, location: undefined });
    expect(headers['content-type']).toMatch(/^text\/html/);
  };
  const errorOf = async (parameters: Record<string, string>) => {
    const { target, query } = readRedirect(await open(gatehouse, parameters));
    expect(target).toBe(redirectUri);
    return { error: query.error, state: query.state };
  };

  it('RFC 6749 2.3.1: a client with a password may authenticate by Basic', async () => {
    expect((await postToken(gatehouse, { basic: machine, form: machineLogin })).status).toBe(200);
  });

  it('RFC 6749 2.3.1: user-id and password are form-urlencoded inside Basic', async () => {
    const secret = 'a+b%2F c:d&e';
    const [clientId] = await register(gatehouse, { client_secret: secret });
    const encoded = new URLSearchParams({ s: secret }).toString().slice(2);
    expect((await postToken(gatehouse, { basic: [clientId, encoded], form: login })).status).toBe(200);
  });

  it('RFC 6749 2.3.1: credentials in the request URI are not taken', async () => {
    const [client_id, client_secret] = machine;
    const url = `${gatehouse.authUrl}/oauth/token?${new URLSearchParams({ client_id, client_secret })}`;
    expect((await call(url, { form: machineLogin })).status).toBe(401);
  });

  it('RFC 6749 2.3: more than one authentication method in a request is refused', async () => {
    const [client_id, client_secret] = machine;
    const form = { ...machineLogin, client_id, client_secret };
    expect(await refused(gatehouse, { basic: machine, form })).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 6749 2.4: a client that is not registered is refused', async () => {
    const basic: Credentials = ['nobody-registered-this', 'secret'];
    expect(await refused(gatehouse, { basic, form: machineLogin })).toEqual({ status: 401, error: 'invalid_client' });
  });

  it('RFC 6749 3.1: the authorization endpoint supports GET', async () => {
    expect(isSignInPage(await open(gatehouse, codeRequest(app[0]).parameters))).toBe(true);
  });

  it('RFC 6749 3.1: a parameter without a value counts as left out', async () => {
    const { parameters } = codeRequest(app[0], { response_type: '' });
    expect(await errorOf(parameters)).toEqual({ error: 'invalid_request', state: 'the-state' });
    expect(isSignInPage(await open(gatehouse, codeRequest(app[0], { prompt: '' }).parameters))).toBe(true);
  });

  it('RFC 6749 3.1: an unknown parameter of the authorization endpoint is ignored', async () => {
    const { parameters } = codeRequest(app[0], { not_of_this_protocol: 'x' });
    expect(isSignInPage(await open(gatehouse, parameters))).toBe(true);
  });

  it('RFC 6749 3.1: a parameter sent twice to the authorization endpoint is invalid_request', async () => {
    const url = `${buildAuthorizeUrl(gatehouse, codeRequest(app[0]).parameters)}&nonce=a&nonce=b`;
    expect(readRedirect(await call(url)).query.error).toBe('invalid_request');
  });

  it('RFC 6749 3.1.1: a missing response_type is invalid_request', async () => {
    const { parameters } = codeRequest(app[0], { response_type: undefined });
    expect((await errorOf(parameters)).error).toBe('invalid_request');
  });

  it('RFC 6749 3.1.1: the order of the words of a response_type does not matter', async () => {
    const answer = await open(gatehouse, implicitRequest(implicit[0], { response_type: 'token id_token' }));
    expect(isSignInPage(answer)).toBe(true);
  });

  it('RFC 6749 3.1.2: a redirect URI with a fragment, or a relative one, is not registered', async () => {
    for (const redirect_uri of [`${redirectUri}#part`, '/callback']) {
      expect((await postClient(gatehouse, passwordKind({ redirect_uri }))).status).toBe(400);
    }
  });

  it('RFC 6749 3.1.2: the query of a redirect URI is kept', async () => {
    const [clientId] = await register(gatehouse, { redirect_uri: `${redirectUri}?tenant=7` });
    const { parameters } = codeRequest(clientId, { redirect_uri: `${redirectUri}?tenant=7` });
    const { query } = readRedirect(await signIn(gatehouse, parameters));
    expect(query).toMatchObject({ tenant: '7', state: 'the-state', code: expect.any(String) });
  });

  it('RFC 6749 3.1.2.2: a client of the code or implicit grant registers its redirect URI', async () => {
    for (const authorized_grant_types of [['authorization_code'], ['implicit']]) {
      const fields = passwordKind({ authorized_grant_types });
      delete fields.redirect_uri;
      expect((await postClient(gatehouse, fields)).status).toBe(400);
    }
  });

  it('RFC 6749 3.1.2.3: with several registered, redirect_uri is required', async () => {
    const [clientId] = await register(gatehouse, { redirect_uris: ['https://app.example.com/other'] });
    await expectShownToUser(codeRequest(clientId, { redirect_uri: undefined, scope: 'profile' }).parameters);
  });

  it('RFC 6749 3.1.2.3: redirect_uri is compared with the registered ones as a string', async () => {
    for (const other of [`${redirectUri}/`, `${redirectUri}?a=b`, redirectUri.toUpperCase(), `${redirectUri}%20`]) {
      await expectShownToUser(codeRequest(app[0], { redirect_uri: other }).parameters);
    }
  });

  it('RFC 6749 3.1.2.4: with a bad client_id the user agent is not redirected', async () => {
    await expectShownToUser(codeRequest('nobody-registered-this').parameters);
    await expectShownToUser(codeRequest(app[0], { client_id: undefined }).parameters);
  });

  it('RFC 6749 3.1.2.4: with a bad redirect_uri the user agent is not redirected, whatever else is wrong', async () => {
    const redirect_uri = 'https://attacker.example/';
    await expectShownToUser(codeRequest(app[0], { redirect_uri, response_type: 'nonsense' }).parameters);
  });

  it('RFC 6749 3.2: the token endpoint takes POST only', async () => {
    const query = new URLSearchParams({ ...machineLogin });
    const { status, text } = await call(`${gatehouse.authUrl}/oauth/token?${query}`, { basic: machine });
    expect(status).toBeGreaterThanOrEqual(404);
    expect(text).not.toContain('access_token');
  });

  it('RFC 6749 3.2: a parameter without a value sent to the token endpoint counts as left out', async () => {
    const form = { ...machineLogin, scope: '' };
    const tokens = await getTokens(gatehouse, machine, form);
    expect(tokens.scope).toBe('profile roles');
  });

  it('RFC 6749 3.2: an unknown parameter of the token endpoint is ignored', async () => {
    const form = { ...machineLogin, not_of_this_protocol: 'x' };
    expect((await postToken(gatehouse, { basic: machine, form })).status).toBe(200);
  });

  it('RFC 6749 3.2: a parameter sent twice to the token endpoint is invalid_request', async () => {
    const form: [string, string][] = [...Object.entries(machineLogin), ['scope', 'profile'], ['scope', 'roles']];
    expect(await refused(gatehouse, { basic: machine, form })).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 6749 3.2.1: a confidential client authenticates at the token endpoint', async () => {
    const form = { ...machineLogin, client_id: machine[0] };
    expect(await refused(gatehouse, { form })).toEqual({ status: 401, error: 'invalid_client' });
  });

  it('RFC 6749 3.2.1: a client without a secret names itself by client_id', async () => {
    const { form } = await obtainCode(gatehouse, spa);
    expect(await refused(gatehouse, { form })).toEqual({ status: 401, error: 'invalid_client' });
    expect((await redeem(gatehouse, spa, form)).status).toBe(200);
  });

  it('RFC 6749 3.3: the order of scope tokens does not matter', async () => {
    const tokens = await getTokens(gatehouse, app, { ...login, scope: 'email openid profile' });
    expect(tokens.scope.split(' ').sort()).toEqual(['email', 'openid', 'profile']);
  });

  it('RFC 6749 3.3: a scope other than the one asked for is told', async () => {
    const { scope } = await getTokens(gatehouse, machine, machineLogin);
    expect(scope).toBe('profile roles');
  });

  it('RFC 6749 3.3: scope tokens are case sensitive', async () => {
    const form = { ...machineLogin, scope: 'PROFILE' };
    expect(await refused(gatehouse, { basic: machine, form })).toEqual({ status: 400, error: 'invalid_scope' });
  });

  it('RFC 6749 4.1.1: the authorization server makes the user sign in before it answers', async () => {
    const { parameters } = codeRequest(app[0]);
    const page = await open(gatehouse, parameters);
    expect({ isSignInPage: isSignInPage(page), location: page.headers.location }).toEqual({ isSignInPage: true });
  });

  it('RFC 6749 4.1.2: the answer has a code and the exact state of the request', async () => {
    const state = 'ä b&c=d%20"<>#?/';
    const { query } = readRedirect(await signIn(gatehouse, codeRequest(app[0], { state }).parameters));
    expect(query).toMatchObject({ code: expect.stringMatching(/^.{22,}$/), state });
  });

  it('RFC 6749 4.1.2: a code used twice is refused, and the tokens issued from it end', async () => {
    const { form } = await obtainCode(gatehouse, app);
    const tokens = await getTokens(gatehouse, app, form);
    expect(await isActive(gatehouse, app, tokens.access_token)).toBe(true);
    expect(await refused(gatehouse, { basic: app, form })).toEqual({ status: 400, error: 'invalid_grant' });
    expect(await isActive(gatehouse, app, tokens.access_token)).toBe(false);
    expect(await isActive(gatehouse, app, tokens.refresh_token ?? '')).toBe(false);
  });

  it('RFC 6749 4.1.2: a code is bound to the client it was issued to', async () => {
    const other = await register(gatehouse);
    const { form } = await obtainCode(gatehouse, app);
    expect(await refused(gatehouse, { basic: other, form })).toEqual({ status: 400, error: 'invalid_grant' });
  });

  it('RFC 6749 4.1.2.1: errors go back to the redirect_uri with the state', async () => {
    const errorFor = (changes: Record<string, string>) => errorOf(codeRequest(app[0], changes).parameters);
    const state = 'the-state';
    expect(await errorFor({ response_type: 'nonsense' })).toEqual({ error: 'unsupported_response_type', state });
    expect(await errorFor({ scope: 'openid nonsense' })).toEqual({ error: 'invalid_scope', state });
  });

  it('RFC 6749 4.1.2.1: a client that is not registered for the response type is unauthorized_client', async () => {
    const { query } = readRedirect(await open(gatehouse, codeRequest(implicit[0]).parameters));
    expect(query.error).toBe('unauthorized_client');
  });

  it('RFC 6749 4.1.3: the token endpoint checks that redirect_uri is the one of the authorization request', async () => {
    const { form } = await obtainCode(gatehouse, app);
    const other = { ...form, redirect_uri: 'https://app.example.com/other' };
    expect(await refused(gatehouse, { basic: app, form: other })).toEqual({ status: 400, error: 'invalid_grant' });
    const { redirect_uri: _left, ...without } = form;
    expect(await refused(gatehouse, { basic: app, form: without })).toEqual({ status: 400, error: 'invalid_grant' });
    expect((await redeem(gatehouse, app, form)).status).toBe(200);
  });

  it('RFC 6749 4.1.3: a code is required, and nobody’s code is refused', async () => {
    const form = { grant_type: 'authorization_code', redirect_uri: redirectUri };
    expect(await refused(gatehouse, { basic: app, form })).toEqual({ status: 400, error: 'invalid_request' });
    const invented = { ...form, code: 'invented' };
    expect(await refused(gatehouse, { basic: app, form: invented })).toEqual({ status: 400, error: 'invalid_grant' });
  });

  it('RFC 6749 4.2.2: an implicit answer stands in the fragment, without a refresh token', async () => {
    const request = implicitRequest(implicit[0], { response_type: 'token' });
    const { query, fragment } = readRedirect(await signIn(gatehouse, request));
    expect(query).toEqual({});
    expect(fragment).toMatchObject({ token_type: 'Bearer', expires_in: '1800', state: 'the-state' });
    expect(fragment).not.toHaveProperty('refresh_token');
  });

  it('RFC 6749 4.2.2.1: an implicit error stands in the fragment', async () => {
    const { query, fragment } = readRedirect(
      await open(gatehouse, implicitRequest(implicit[0], { scope: 'nonsense' })),
    );
    expect({ query, error: fragment.error, state: fragment.state }).toEqual({
      query: {},
      error: 'invalid_scope',
      state: 'the-state',
    });
  });

  it('RFC 6749 4.3.2: the password grant takes the client’s authentication and the right password', async () => {
    expect(await refused(gatehouse, { form: { ...login, client_id: app[0] } })).toEqual({
      status: 401,
      error: 'invalid_client',
    });
    const form = { ...login, password: 'wrong' };
    expect(await refused(gatehouse, { basic: app, form })).toEqual({ status: 400, error: 'invalid_grant' });
  });

  it('RFC 6749 4.3.2: guessing a password is stopped', async () => {
    const form = { ...login, username: 'guessed@example.com', password: 'wrong' };
    const statuses: number[] = [];
    for (let tries = 0; tries < 11; tries += 1)
      statuses.push((await postToken(gatehouse, { basic: app, form })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
  });

  it('RFC 6749 4.4: only a confidential client may have the client_credentials grant', async () => {
    const fields = passwordKind({ authorized_grant_types: ['client_credentials'] });
    const { client_secret: _secret, redirect_uri: _uri, ...withoutSecret } = fields;
    expect((await postClient(gatehouse, withoutSecret)).status).toBe(400);
  });

  it('RFC 6749 4.4.3: the client_credentials grant gives no refresh token', async () => {
    expect(await getTokens(gatehouse, machine, machineLogin)).not.toHaveProperty('refresh_token');
  });

  it('RFC 6749 5.1: a successful answer is JSON that is never cached', async () => {
    const { status, headers, json } = await postToken(gatehouse, { basic: app, form: login });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(json()).toMatchObject({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 1800,
      refresh_token: expect.any(String),
    });
  });

  it('RFC 6749 5.2: failed client authentication is 401 with the scheme the client used', async () => {
    const { status, headers, json } = await postToken(gatehouse, { basic: [app[0], 'wrong'], form: login });
    expect({ status, error: json().error }).toEqual({ status: 401, error: 'invalid_client' });
    expect(headers['www-authenticate']).toMatch(/^Basic realm="/);
  });

  it('RFC 6749 5.2: a missing parameter is invalid_request', async () => {
    expect(await refused(gatehouse, { basic: app, form: {} })).toEqual({ status: 400, error: 'invalid_request' });
    const form = { grant_type: 'password', username };
    expect(await refused(gatehouse, { basic: app, form })).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 6749 5.2: an unknown grant type is unsupported_grant_type', async () => {
    const form = { grant_type: 'urn:example:grant' };
    expect(await refused(gatehouse, { basic: app, form })).toEqual({ status: 400, error: 'unsupported_grant_type' });
  });

  it('RFC 6749 5.2: a grant type the client is not registered for is unauthorized_client', async () => {
    const expected = { status: 400, error: 'unauthorized_client' };
    expect(await refused(gatehouse, { basic: machine, form: login })).toEqual(expected);
    expect(await refused(gatehouse, { basic: app, form: machineLogin })).toEqual(expected);
  });

  it('RFC 6749 5.2: error_description is printable ASCII without quotation mark and backslash', async () => {
    const form: [string, string][] = [...Object.entries(machineLogin), ['ä"\\\u0001', 'x'], ['ä"\\\u0001', 'x']];
    const { status, json } = await postToken(gatehouse, { basic: machine, form });
    expect(status).toBe(400);
    expect(json().error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  it('RFC 6749 5.2: an error is JSON that is never cached', async () => {
    const { headers } = await postToken(gatehouse, { basic: app, form: {} });
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('RFC 6749 6: a refresh token is bound to the client it was issued to', async () => {
    const other = await register(gatehouse);
    const { refresh_token = '' } = await obtainTokens(gatehouse, app);
    const form = { grant_type: 'refresh_token', refresh_token };
    expect(await refused(gatehouse, { basic: other, form })).toEqual({ status: 400, error: 'invalid_grant' });
    expect((await postToken(gatehouse, { basic: app, form })).status).toBe(200);
  });

  it('RFC 6749 6: a confidential client authenticates to refresh', async () => {
    const { refresh_token = '' } = await obtainTokens(gatehouse, app);
    const form = { grant_type: 'refresh_token', refresh_token, client_id: app[0] };
    expect(await refused(gatehouse, { form })).toEqual({ status: 401, error: 'invalid_client' });
  });

  it('RFC 6749 6: a refresh asks for nothing that was not granted at first', async () => {
    const { refresh_token = '' } = await obtainTokens(gatehouse, app, { scope: 'openid' });
    const form = { grant_type: 'refresh_token', refresh_token, scope: 'openid email' };
    expect(await refused(gatehouse, { basic: app, form })).toEqual({ status: 400, error: 'invalid_scope' });
  });

  it('RFC 6749 6: a refresh for less leaves the new refresh token its whole scope', async () => {
    const { refresh_token = '' } = await obtainTokens(gatehouse, app, { scope: 'openid email' });
    const grant_type = 'refresh_token';
    const less = await getTokens(gatehouse, app, { grant_type, refresh_token, scope: 'email' });
    expect(less.scope).toBe('email');
    const again = await getTokens(gatehouse, app, { grant_type, refresh_token: less.refresh_token ?? '' });
    expect(again.scope.split(' ').sort()).toEqual(['email', 'openid']);
  });

  it('RFC 6749 7: an access token works for as long as it says, and no longer', async () => {
    const shortLived = await register(gatehouse, { access_token_validity: 1 });
    const { access_token } = await getUserTokens(gatehouse, shortLived);
    await sleep(2_100);
    expect(await isActive(gatehouse, shortLived, access_token)).toBe(false);
  });

  it('RFC 6749 10.10: codes and tokens cannot be guessed: 256 random bits, never the same', async () => {
    const first = await obtainCode(gatehouse, app);
    const second = await obtainCode(gatehouse, app);
    expect(first.code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(first.code).not.toBe(second.code);
  });

  it('RFC 6749 10.12: a sign-in form that another browser was sent is not taken', async () => {
    const { parameters } = codeRequest(app[0]);
    const url = buildAuthorizeUrl(gatehouse, parameters);
    const attackers = await createTestBrowser().get(url);
    const victim = createTestBrowser();
    await victim.get(url);
    const answer = await victim.submit(attackers, url, { username, password });
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 403 });
    expect(victim.cookies()).not.toHaveProperty('gatehouse-session');
  });

  it('RFC 6749 10.13: the pages cannot be put into a frame', async () => {
    const { headers } = await open(gatehouse, codeRequest(app[0]).parameters);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
  });
});
