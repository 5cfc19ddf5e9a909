import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, createClientKey, createTestBrowser, type Gatehouse, type TestBrowser } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { type Credentials, redirectUri } from '../support/clients.ts';
import { signEs256 } from '../support/forged-tokens.ts';
import { administrator, plainUser } from '../support/people.ts';
import { getTokens, postToken, readClaims, readHeader } from '../support/tokens.ts';
import {
  codeRequest,
  implicitRequest,
  isSignInPage,
  obtainTokens,
  open,
  readFormPost,
  readRedirect,
  redeem,
  signIn,
} from './authorization-request.ts';
import { describeStandard, hybridKind, implicitKind, register } from './realm.ts';

describeStandard('OpenID Connect Core', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let implicit: Credentials;
  let hybrid: Credentials;
  /** The plain user is signed in here. */
  let browser: TestBrowser;
  /** Of the plain user. */
  let idToken: string;
  let userId: string;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    [app, implicit, hybrid] = await Promise.all([
      register(gatehouse),
      register(gatehouse, implicitKind),
      register(gatehouse, hybridKind),
    ]);
    browser = createTestBrowser();
    idToken = (await obtainTokens(gatehouse, app, {}, browser)).id_token ?? '';
    userId = String(readClaims(idToken).sub);
  });

  type Changes = Record<string, string | undefined>;
  const errorOf = async (changes: Changes, by = browser) =>
    readRedirect(await open(gatehouse, codeRequest(app[0], changes).parameters, by)).query.error;
  const showsSignIn = async (changes: Changes) =>
    isSignInPage(await open(gatehouse, codeRequest(app[0], changes).parameters, browser));
  const verify = async (token: string, audience: string): Promise<JWTPayload> => {
    const keys = createRemoteJWKSet(new URL(`${gatehouse.authUrl}/oauth/jwks`));
    return (await jwtVerify(token, keys, { issuer: gatehouse.authUrl, audience })).payload;
  };
  const halfHash = (token: string) => createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
  const userinfoOf = async (bearer: string) => (await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer })).json();
  const signInAs = (person: [string, string], changes: Changes) =>
    signIn(gatehouse, codeRequest(app[0], changes).parameters, createTestBrowser(), person);

  it('Core 2: an ID token names its issuer, subject, audience, expiry and time of issue', async () => {
    const claims = await verify(idToken, app[0]);
    expect(claims).toMatchObject({ sub: expect.stringMatching(/^[\x21-\x7e]{1,255}$/), iat: expect.any(Number) });
    expect(claims.exp).toBeGreaterThan(Number(claims.iat));
  });

  it('Core 2: an ID token is signed RS256 where the client did not choose', () => {
    expect(readHeader(idToken)).toMatchObject({ alg: 'RS256', kid: expect.any(String) });
  });

  it('Core 2: an ID token is signed ES256 where the client chose that', async () => {
    const client = await register(gatehouse, { id_token_signed_response_alg: 'ES256' });
    const { id_token = '' } = await obtainTokens(gatehouse, client);
    expect(readHeader(id_token).alg).toBe('ES256');
    expect((await verify(id_token, client[0])).sub).toBe(userId);
  });

  it('Core 2: acr and amr say how the user signed in', () => {
    expect(readClaims(idToken)).toMatchObject({ acr: 'urn:gatehouse:acr:password', amr: ['pwd'] });
  });

  it('Core 3.1.2.1: the nonce goes into the ID token as it is', async () => {
    const nonce = 'ä b"c\\d';
    const { id_token = '' } = await obtainTokens(gatehouse, app, { nonce });
    expect(readClaims(id_token).nonce).toBe(nonce);
    expect(readClaims(idToken)).not.toHaveProperty('nonce');
  });

  it('Core 3.1.2.1: redirect_uri is required with scope openid', async () => {
    const { status, headers } = await open(gatehouse, codeRequest(app[0], { redirect_uri: undefined }).parameters);
    expect({ status, location: headers.location }).toEqual({ status: 400 });
  });

  it('Core 3.1.2.1: the authorization endpoint takes POST as it takes GET', async () => {
    const { parameters } = codeRequest(app[0]);
    const posted = await call(`${gatehouse.authUrl}/oauth/authorize`, { form: parameters });
    expect(posted.status).toBe(303);
    const url = new URL(String(posted.headers.location), `${gatehouse.authUrl}/oauth/authorize`).href;
    expect(isSignInPage(await call(url))).toBe(true);
    expect(readRedirect(await browser.get(url)).query.code).toEqual(expect.any(String));
  });

  it('Core 3.1.2.1: display, ui_locales, claims_locales and acr_values are accepted', async () => {
    const changes = { display: 'popup', ui_locales: 'de fr', claims_locales: 'de', acr_values: 'urn:example:acr' };
    expect(await errorOf({ ...changes, prompt: 'none' })).toBeUndefined();
  });

  it('Core 3.1.2.1: login_hint fills the form in', async () => {
    const { text } = await open(gatehouse, codeRequest(app[0], { login_hint: 'user"@example.com' }).parameters);
    expect(text).toContain('value="user&quot;@example.com"');
  });

  it('Core 3.1.2.1: prompt=none with a session answers without a page', async () => {
    const { parameters } = codeRequest(app[0], { prompt: 'none' });
    expect(readRedirect(await open(gatehouse, parameters, browser)).query.code).toEqual(expect.any(String));
  });

  it('Core 3.1.2.1: prompt=none with another prompt is an error', async () => {
    expect(await errorOf({ prompt: 'none login' })).toBe('invalid_request');
  });

  it('Core 3.1.2.1: prompt=login makes a user sign in who is signed in', async () => {
    expect(await showsSignIn({ prompt: 'login' })).toBe(true);
    const own = createTestBrowser();
    const first = await obtainTokens(gatehouse, app, {}, own);
    await sleep(1_100);
    const second = await obtainTokens(gatehouse, app, { prompt: 'login' }, own);
    const authTimes = [first, second].map(({ id_token = '' }) => Number(readClaims(id_token).auth_time));
    expect(authTimes[1]).toBeGreaterThan(authTimes[0] ?? 0);
  });

  it('Core 3.1.2.1: prompt=select_account lets another user sign in', async () => {
    expect(await showsSignIn({ prompt: 'select_account' })).toBe(true);
  });

  it('Core 3.1.2.1: within max_age the session is good, and auth_time says since when', async () => {
    const { parameters, verifier } = codeRequest(app[0], { max_age: '3600' });
    const { code = '' } = readRedirect(await open(gatehouse, parameters, browser)).query;
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const { id_token } = (await redeem(gatehouse, app, form)).json<{ id_token: string }>();
    expect(readClaims(id_token).auth_time).toBe(readClaims(idToken).auth_time);
  });

  it('Core 3.1.2.1: beyond max_age the user signs in again, and prompt=none is login_required', async () => {
    const own = createTestBrowser();
    await signIn(gatehouse, codeRequest(app[0]).parameters, own);
    await sleep(1_050);
    const { parameters } = codeRequest(app[0], { max_age: '1' });
    expect(isSignInPage(await open(gatehouse, parameters, own))).toBe(true);
    expect(await errorOf({ max_age: '1', prompt: 'none' }, own)).toBe('login_required');
  });

  it('Core 3.1.2.1: max_age=0 is prompt=login', async () => {
    const own = createTestBrowser();
    await signIn(gatehouse, codeRequest(app[0]).parameters, own);
    expect(isSignInPage(await open(gatehouse, codeRequest(app[0], { max_age: '0' }).parameters, own))).toBe(true);
  });

  it('Core 3.1.2.1: id_token_hint of the user who is signed in is answered', async () => {
    expect(await errorOf({ id_token_hint: idToken, prompt: 'none' })).toBeUndefined();
  });

  it('Core 3.1.2.1: id_token_hint of another user is login_required with prompt=none', async () => {
    const { id_token = '' } = await getTokens(gatehouse, app, {
      grant_type: 'password',
      username: administrator[0],
      password: administrator[1],
    });
    expect(await errorOf({ id_token_hint: id_token, prompt: 'none' })).toBe('login_required');
  });

  it('Core 3.1.2.1: id_token_hint of nobody’s making is refused', async () => {
    const forged = signEs256(readHeader(idToken), readClaims(idToken), createClientKey().privateKey);
    for (const id_token_hint of ['nonsense', forged]) expect(await errorOf({ id_token_hint })).toBe('invalid_request');
  });

  it('Core 3.1.2.2: where another user signs in than id_token_hint names, no code is given', async () => {
    const { query } = readRedirect(await signInAs(administrator, { id_token_hint: idToken }));
    expect(query.error).toBe('login_required');
    expect(query).not.toHaveProperty('code');
  });

  it('Core 3.1.2.2: where sub is asked for with a value, no other user is answered for', async () => {
    const claims = JSON.stringify({ id_token: { sub: { value: userId } } });
    const { query } = readRedirect(await signInAs(administrator, { claims }));
    expect(query.error).toBe('login_required');
    expect(readRedirect(await signInAs(plainUser, { claims })).query.code).toEqual(expect.any(String));
    const somebodyElse = JSON.stringify({ id_token: { sub: { value: 'somebody else' } } });
    expect(await errorOf({ claims: somebodyElse, prompt: 'none' })).toBe('login_required');
  });

  it('Core 3.1.2.3: prompt=none without a session shows nothing and says login_required', async () => {
    expect(await errorOf({ prompt: 'none' }, createTestBrowser())).toBe('login_required');
  });

  it('Core 3.1.2.6: a session of a third-party client without consent is consent_required', async () => {
    const [clientId] = await register(gatehouse, { require_consent: true });
    const { parameters } = codeRequest(clientId, { prompt: 'none' });
    expect(readRedirect(await open(gatehouse, parameters, browser)).query.error).toBe('consent_required');
  });

  it('Core 3.1.2.4: a third-party client gets a code when the user allowed it, and access_denied when not', async () => {
    const [clientId] = await register(gatehouse, { require_consent: true });
    const { parameters } = codeRequest(clientId);
    for (const [decision, expected] of [
      ['deny', { error: 'access_denied', state: 'the-state' }],
      ['allow', { code: expect.any(String), state: 'the-state' }],
    ] as const) {
      const page = await open(gatehouse, parameters, browser);
      expect(page.text).toContain('action="consent"');
      const answer = await browser.submit(page, `${gatehouse.authUrl}/oauth/authorize`, { decision });
      expect(readRedirect(answer).query).toMatchObject(expected);
    }
  });

  it('Core 3.1.3.3: the token answer has an ID token and is not cached', async () => {
    const { parameters, verifier } = codeRequest(app[0]);
    const { code = '' } = readRedirect(await open(gatehouse, parameters, browser)).query;
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const { headers, json } = await postToken(gatehouse, { basic: app, form });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(json()).toMatchObject({ id_token: expect.any(String), token_type: 'Bearer' });
  });

  it('Core 3.1.2.1: without scope openid there is no ID token', async () => {
    expect(await obtainTokens(gatehouse, app, { scope: 'profile' })).not.toHaveProperty('id_token');
  });

  it('Core 3.1.3.6: at_hash is the left half of the hash of the access token', async () => {
    const { id_token = '', access_token } = await obtainTokens(gatehouse, app);
    expect(readClaims(id_token).at_hash).toBe(halfHash(access_token));
  });

  it('Core 3.2.2.1: without a nonce an implicit request for an ID token is refused', async () => {
    const answer = await open(gatehouse, implicitRequest(implicit[0], { nonce: undefined }));
    expect(readRedirect(answer).fragment.error).toBe('invalid_request');
  });

  it('Core 3.2.2.5: id_token token is answered with both, in the fragment', async () => {
    const { query, fragment } = readRedirect(await open(gatehouse, implicitRequest(implicit[0]), browser));
    expect(query).toEqual({});
    expect(fragment).toMatchObject({
      access_token: expect.any(String),
      token_type: 'Bearer',
      id_token: expect.any(String),
      expires_in: '1800',
      state: 'the-state',
    });
    const claims = await verify(fragment.id_token ?? '', implicit[0]);
    expect(claims).toMatchObject({ nonce: 'the-nonce', at_hash: halfHash(fragment.access_token ?? ''), sub: userId });
  });

  it('Core 3.2.2.5: id_token alone is answered without an access token', async () => {
    const request = implicitRequest(implicit[0], { response_type: 'id_token' });
    const { fragment } = readRedirect(await open(gatehouse, request, browser));
    expect(fragment).not.toHaveProperty('access_token');
    expect(fragment).not.toHaveProperty('token_type');
    expect(await verify(fragment.id_token ?? '', implicit[0])).toMatchObject({ nonce: 'the-nonce' });
  });

  describe('the hybrid flow', () => {
    const askHybrid = async (changes: Changes = {}) => {
      const asked = { response_type: 'code id_token token', nonce: 'the-nonce', code_challenge: undefined };
      const request = codeRequest(hybrid[0], { ...asked, code_challenge_method: undefined, ...changes });
      return readRedirect(await open(gatehouse, request.parameters, browser));
    };
    const redeemHybrid = (code = '') =>
      postToken(gatehouse, {
        basic: hybrid,
        form: { grant_type: 'authorization_code', code, redirect_uri: redirectUri },
      });

    it('Core 3.3.2.5: is answered with a code and tokens, in the fragment', async () => {
      const { query, fragment } = await askHybrid();
      expect(query).toEqual({});
      expect(Object.keys(fragment).sort()).toEqual(
        ['access_token', 'code', 'expires_in', 'id_token', 'iss', 'scope', 'state', 'token_type'].sort(),
      );
    });

    it('Core 3.3.2.11: its ID token has the hashes of the code and of the token beside it', async () => {
      const { code = '', access_token = '', id_token = '' } = (await askHybrid()).fragment;
      const hashes = { c_hash: halfHash(code), at_hash: halfHash(access_token) };
      expect(await verify(id_token, hybrid[0])).toMatchObject({ nonce: 'the-nonce', ...hashes });
    });

    it('Core 3.3.2.11: needs a nonce with an ID token; a code and a token come without', async () => {
      expect((await askHybrid({ response_type: 'code id_token', nonce: undefined })).fragment.error).toBe(
        'invalid_request',
      );
      expect((await askHybrid({ response_type: 'code token', nonce: undefined })).fragment).toMatchObject({
        code: expect.any(String),
        access_token: expect.any(String),
      });
    });

    it('Core 3.3.3.6: both ID tokens name the same issuer, user and session', async () => {
      const { code, id_token = '' } = (await askHybrid()).fragment;
      const { iss, sub, sid } = await verify(id_token, hybrid[0]);
      const ofCode = (await redeemHybrid(code)).json();
      expect(await verify(String(ofCode.id_token), hybrid[0])).toMatchObject({ iss, sub, sid });
    });

    it('RFC 6749 4.1.2: the token beside a code ends when the code comes twice', async () => {
      const { code, access_token = '' } = (await askHybrid()).fragment;
      expect(await userinfoOf(access_token)).toMatchObject({ sub: userId });
      expect((await redeemHybrid(code)).status).toBe(200);
      expect((await redeemHybrid(code)).status).toBe(400);
      expect((await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer: access_token })).status).toBe(401);
    });
  });

  it('Core 3.2.2.5: an answer with a token never goes into the query', async () => {
    const answer = await open(gatehouse, implicitRequest(implicit[0], { response_mode: 'query' }), browser);
    const { query, fragment } = readRedirect(answer);
    expect({ query, error: fragment.error }).toEqual({ query: {}, error: 'invalid_request' });
  });

  it('Core 5.3.1: userinfo answers GET and POST', async () => {
    const { access_token: bearer } = await obtainTokens(gatehouse, app);
    const url = `${gatehouse.authUrl}/oauth/userinfo`;
    expect((await call(url, { bearer })).status).toBe(200);
    expect((await call(url, { bearer, method: 'POST' })).status).toBe(200);
  });

  it('Core 5.3.2: userinfo is JSON with the sub of the ID token', async () => {
    const { id_token = '', access_token: bearer } = await obtainTokens(gatehouse, app);
    const answer = await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json().sub).toBe(readClaims(id_token).sub);
  });

  it('Core 5.3.3: userinfo answers errors as RFC 6750 wants them', async () => {
    const answer = await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer: 'nonsense' });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  it('Core 5.4: each scope opens its claims, and no others', async () => {
    const { access_token: openidOnly } = await obtainTokens(gatehouse, app, { scope: 'openid' });
    expect(await userinfoOf(openidOnly)).toEqual({ sub: userId });
    const { access_token: withEmail } = await obtainTokens(gatehouse, app, { scope: 'openid email' });
    expect(await userinfoOf(withEmail)).toEqual({ sub: userId, email: plainUser[0], email_verified: true });
    const { access_token: withProfile } = await obtainTokens(gatehouse, app, { scope: 'openid profile' });
    expect(await userinfoOf(withProfile)).toMatchObject({ name: 'Ursula User', updated_at: expect.any(Number) });
  });

  it('Core 5.4: where no access token is issued the claims stand in the ID token', async () => {
    const request = implicitRequest(implicit[0], { response_type: 'id_token', scope: 'openid email' });
    const { fragment } = readRedirect(await open(gatehouse, request, browser));
    expect(readClaims(fragment.id_token ?? '').email).toBe(plainUser[0]);
  });

  it('Core 5.5: claims asked for by name come where they were asked for', async () => {
    const claims = JSON.stringify({
      id_token: { email: null, auth_time: { essential: true } },
      userinfo: { given_name: { essential: true } },
    });
    const { id_token = '', access_token } = await obtainTokens(gatehouse, app, { scope: 'openid', claims });
    expect(readClaims(id_token)).toMatchObject({ email: plainUser[0], auth_time: expect.any(Number) });
    expect(readClaims(id_token)).not.toHaveProperty('given_name');
    expect(await userinfoOf(access_token)).toEqual({ sub: userId, given_name: 'Ursula' });
  });

  it('Core 5.5: claims that are not known or not for this client are left out without an error', async () => {
    const client = await register(gatehouse, { scope: ['openid'] });
    const claims = JSON.stringify({ userinfo: { email: { essential: true }, shoe_size: null } });
    const { access_token } = await obtainTokens(gatehouse, client, { claims });
    expect(await userinfoOf(access_token)).toEqual({ sub: userId });
  });

  it('Core 5.5: a claims parameter that is no JSON object is invalid_request', async () => {
    for (const claims of ['nonsense', '[]', '"x"']) expect(await errorOf({ claims })).toBe('invalid_request');
  });

  it('Core 5.5.1.1: an essential acr that cannot be met fails the authentication', async () => {
    const asking = (acr: object) => JSON.stringify({ id_token: { acr: { essential: true, ...acr } } });
    const claims = asking({ values: ['urn:example:hardware-key'] });
    expect(await errorOf({ claims, prompt: 'none' })).toBe('unmet_authentication_requirements');
    const met = asking({ values: ['urn:example:hardware-key', 'urn:gatehouse:acr:password'] });
    expect(await errorOf({ claims: met, prompt: 'none' })).toBeUndefined();
    const voluntary = JSON.stringify({ id_token: { acr: { values: ['urn:example:hardware-key'] } } });
    expect(await errorOf({ claims: voluntary, prompt: 'none' })).toBeUndefined();
  });

  it('Core 6: an unsigned request, request_uri and registration are refused, each by its own error', async () => {
    expect(await errorOf({ request: 'e30.e30.' })).toBe('invalid_request_object');
    expect(await errorOf({ request_uri: 'https://app.example.com/request' })).toBe('invalid_request_uri');
    expect(await errorOf({ registration: '{}' })).toBe('registration_not_supported');
  });

  it('Core 10.1: the kid of an ID token is in the key set, for signing', async () => {
    const { keys } = (await call(`${gatehouse.authUrl}/oauth/jwks`)).json<{ keys: object[] }>();
    const { kid } = readHeader(idToken);
    expect(keys).toContainEqual(expect.objectContaining({ kid, kty: 'RSA', use: 'sig', alg: 'RS256' }));
  });

  it('Core 11: without the code flow offline_access gives no refresh token', async () => {
    const [clientId] = await register(gatehouse, { ...implicitKind, scope: ['openid', 'offline_access'] });
    const request = implicitRequest(clientId, { scope: 'openid offline_access' });
    const { fragment } = readRedirect(await open(gatehouse, request, browser));
    expect(fragment.access_token).toEqual(expect.any(String));
    expect(fragment).not.toHaveProperty('refresh_token');
  });

  it('Core 11: offline access outlives the session, other refresh tokens end with it', async () => {
    const client = await register(gatehouse, { scope: ['openid', 'offline_access'] });
    const own = createTestBrowser();
    const online = await obtainTokens(gatehouse, client, { scope: 'openid' }, own);
    const { parameters, verifier } = codeRequest(client[0], { scope: 'openid offline_access' });
    const { code = '' } = readRedirect(await open(gatehouse, parameters, own)).query;
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const offline = (await redeem(gatehouse, client, form)).json();
    await own.get(`${gatehouse.authUrl}/oauth/logout?id_token_hint=${online.id_token}`);
    const refresh = async (token: unknown) =>
      (await redeem(gatehouse, client, { grant_type: 'refresh_token', refresh_token: String(token) })).status;
    expect([await refresh(online.refresh_token), await refresh(offline.refresh_token)]).toEqual([400, 200]);
  });

  it('Core 12.2: a refreshed ID token is of the same issuer, user, client and sign-in', async () => {
    const first = await obtainTokens(gatehouse, app, { nonce: 'the-nonce' });
    const refresh_token = first.refresh_token ?? '';
    const second = await getTokens(gatehouse, app, { grant_type: 'refresh_token', refresh_token });
    const [before, after] = [first, second].map(({ id_token = '' }) => readClaims(id_token));
    const { iss, sub, aud, auth_time } = before ?? {};
    expect(after).toMatchObject({ iss, sub, aud, auth_time, iat: expect.any(Number) });
    expect([undefined, 'the-nonce']).toContain(after?.nonce);
  });

  it('Form Post 2: the answer is a page that posts its fields to the redirect URI, and is not cached', async () => {
    const { parameters } = codeRequest(app[0], { response_mode: 'form_post', state: '"><script>' });
    const page = await open(gatehouse, parameters, browser);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.headers['cache-control']).toBe('no-store');
    const { action, fields } = readFormPost(page);
    expect(action).toBe(redirectUri);
    expect(fields).toMatchObject({ code: expect.any(String), state: '&quot;&gt;&lt;script&gt;' });
  });

  it('Form Post 2: tokens of the implicit flow may be posted as well', async () => {
    const page = await open(gatehouse, implicitRequest(implicit[0], { response_mode: 'form_post' }), browser);
    expect(readFormPost(page).fields).toMatchObject({ id_token: expect.any(String), state: 'the-state' });
  });

  it('Multiple Response Types 2.1: a code goes into the fragment where the client asks for that', async () => {
    const { parameters } = codeRequest(app[0], { response_mode: 'fragment' });
    const { query, fragment } = readRedirect(await open(gatehouse, parameters, browser));
    expect({ query, code: fragment.code }).toEqual({ query: {}, code: expect.any(String) });
  });

  it('Multiple Response Types 2.1: an unknown response_mode is an error in the default mode', async () => {
    expect(await errorOf({ response_mode: 'nonsense' })).toBe('invalid_request');
  });
});
