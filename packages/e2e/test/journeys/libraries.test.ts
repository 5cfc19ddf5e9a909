import { call, callWithProof, createClientKey, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { buildAuthorizeUrl, createPkce, getLocation, obtainCode, signIn } from '../support/authorization.ts';
import { type Credentials, passwordKind, redirectUri, serviceAccountKind } from '../support/clients.ts';
import { decideDevice, deviceKind } from '../support/device.ts';
import { plainUser } from '../support/people.ts';
import { describeSharedGatehouse } from '../support/suite.ts';
import { postToken, readClaims, readHeader } from '../support/tokens.ts';
import { getUserDetails, userDetailsUrl } from '../support/users.ts';
import { authorize, completeFlow, createLibraryKey, discover, watch } from './support/openid-flow.ts';
import { registerPublic, registerWith } from './support/registration.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

type LibraryKey = Awaited<ReturnType<typeof createLibraryKey>>;

/** Registers a client that authenticates by its key. */
async function registerByKey(gatehouse: Gatehouse, key: LibraryKey, metadata: Record<string, unknown> = {}) {
  const method = { token_endpoint_auth_method: 'private_key_jwt', jwks: key.jwks, client_secret: undefined };
  const [clientId] = await registerWith(gatehouse, { ...method, ...metadata });
  return clientId;
}

describeSharedGatehouse('openid-client, unmodified', (getGatehouse) => {
  let gatehouse: Gatehouse;
  beforeAll(() => {
    gatehouse = getGatehouse();
  });

  const discoverBySecret = async (metadata: Record<string, unknown> = {}, own: Partial<openid.ClientMetadata> = {}) => {
    const client = await registerWith(gatehouse, metadata);
    return { client, config: await discover(gatehouse, client[0], openid.ClientSecretBasic(client[1]), own) };
  };
  const readOwnDetails = async (accessToken: string) =>
    (await getUserDetails(gatehouse, plainUser[0], accessToken)).status;

  describe.each(['ES256', 'RS256', 'PS256', 'EdDSA'])('authenticated by private_key_jwt (%s)', (alg) => {
    let key: LibraryKey;
    let clientId: string;
    beforeAll(async () => {
      key = await createLibraryKey(alg);
      clientId = await registerByKey(gatehouse, key);
    });
    type Change = (header: Record<string, unknown>, payload: Record<string, unknown>) => void;
    const discoverByKey = (privateKey = key.privateKey, change: Change = () => {}) =>
      discover(
        gatehouse,
        clientId,
        openid.PrivateKeyJwt({ key: privateKey, kid: key.kid }, { [openid.modifyAssertion]: change }),
      );
    const passwordGrant = (config: openid.Configuration) =>
      openid.genericGrantRequest(config, 'password', { username: plainUser[0], password: plainUser[1] });

    test('runs the code flow, refreshes, introspects and revokes', async () => {
      const config = await discoverByKey();
      const tokens = await completeFlow({ config, push: true });
      expect(await readOwnDetails(tokens.access_token)).toBe(200);
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect((await openid.tokenIntrospection(config, refreshed.access_token)).active).toBe(true);
      await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
      expect(await openid.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false });
    });

    test('is refused with the same assertion a second time', async () => {
      const config = await discoverByKey();
      const exchanges = watch(config);
      await passwordGrant(config);
      const [sent] = exchanges;
      expect([sent?.status, sent?.form.get('client_assertion_type')]).toEqual([
        200,
        'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      ]);
      const again = await postToken(gatehouse, { form: [...(sent?.form ?? [])] });
      expect([again.status, again.json().error]).toEqual([401, 'invalid_client']);
    });

    const changes: [string, Change][] = [
      ['aud of another server', (_header, payload) => Object.assign(payload, { aud: 'https://elsewhere.example.com' })],
      ['exp that has passed', (_header, payload) => Object.assign(payload, { exp: Number(payload.iat) - 60 })],
      ['exp a day ahead', (_header, payload) => Object.assign(payload, { exp: Number(payload.iat) + 86_400 })],
      ['no exp', (_header, payload) => void delete payload.exp],
      ['no jti', (_header, payload) => void delete payload.jti],
      ['iss of another client', (_header, payload) => Object.assign(payload, { iss: 'somebody-else' })],
      ['nbf ahead', (_header, payload) => Object.assign(payload, { nbf: Number(payload.iat) + 60 })],
    ];
    test.each(changes)('is refused with %s', async (_title, change) => {
      await expect(passwordGrant(await discoverByKey(key.privateKey, change))).rejects.toMatchObject({ status: 401 });
    });

    test('is refused with a key that is not the client’s', async () => {
      const { privateKey } = await oauth.generateKeyPair(alg);
      await expect(passwordGrant(await discoverByKey(privateKey))).rejects.toMatchObject({ status: 401 });
    });

    test('is refused without an assertion, and with a made-up secret', async () => {
      const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1], client_id: clientId };
      expect((await postToken(gatehouse, { form })).status).toBe(401);
      expect((await postToken(gatehouse, { form: { ...form, client_secret: 'made-up' } })).status).toBe(401);
    });
  });

  test('signs in from a device (RFC 8628), and reads what its user allowed', async () => {
    const device = await registerWith(gatehouse, {}, deviceKind());
    const config = await discover(gatehouse, device[0], openid.ClientSecretBasic(device[1]));
    const started = await openid.initiateDeviceAuthorization(config, { scope: 'openid profile' });
    const polling = openid.pollDeviceAuthorizationGrant(config, started);
    await decideDevice({ verification_uri_complete: started.verification_uri_complete ?? '' });
    const tokens = await polling;
    const claims = tokens.claims();
    expect(claims).not.toHaveProperty('sid');
    const userinfo = await openid.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
    expect(userinfo.preferred_username).toBe(plainUser[0]);
    expect(await readOwnDetails(tokens.access_token)).toBe(200);

    const refused = await openid.initiateDeviceAuthorization(config, { scope: 'openid' });
    const waiting = openid.pollDeviceAuthorizationGrant(config, refused);
    await decideDevice({ verification_uri_complete: refused.verification_uri_complete ?? '' }, 'deny');
    await expect(waiting).rejects.toMatchObject({ error: 'access_denied' });
  });

  test('a client that registered client_secret_post is refused by Basic, and the other way round', async () => {
    const [post] = [await registerWith(gatehouse, { token_endpoint_auth_method: 'client_secret_post' })];
    const grant = async (authenticate: openid.ClientAuth, [clientId]: Credentials) =>
      openid.genericGrantRequest(await discover(gatehouse, clientId, authenticate), 'password', {
        username: plainUser[0],
        password: plainUser[1],
      });
    await expect(grant(openid.ClientSecretBasic(post[1]), post)).rejects.toMatchObject({ status: 401 });
    expect((await grant(openid.ClientSecretPost(post[1]), post)).access_token).toEqual(expect.any(String));
    const basic = await registerWith(gatehouse, { token_endpoint_auth_method: 'client_secret_basic' });
    await expect(grant(openid.ClientSecretPost(basic[1]), basic)).rejects.toMatchObject({ status: 401 });
    expect((await grant(openid.ClientSecretBasic(basic[1]), basic)).access_token).toEqual(expect.any(String));
  });

  test('a client of the service-account kind obtains tokens by its key', async () => {
    const key = await createLibraryKey('ES256');
    const { client_secret: _none, ...fields } = serviceAccountKind();
    const metadata = { token_endpoint_auth_method: 'private_key_jwt', jwks: key.jwks };
    const [clientId] = await registerWith(gatehouse, metadata, fields);
    const config = await discover(gatehouse, clientId, openid.PrivateKeyJwt(key.privateKey));
    const tokens = await openid.clientCredentialsGrant(config, { scope: 'roles' });
    expect(readClaims(tokens.access_token)).toMatchObject({ username: 'robot@example.com', client_id: clientId });
  });

  describe('pushed authorization requests (RFC 9126)', () => {
    test('go through the code flow; the browser sees client_id and request_uri alone', async () => {
      const { config } = await discoverBySecret();
      const { url, callback, checks } = await authorize({ config, push: true });
      expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
      const tokens = await openid.authorizationCodeGrant(config, callback, checks);
      expect(await readOwnDetails(tokens.access_token)).toBe(200);
    });

    test('are used once, and by their client alone', async () => {
      const { config } = await discoverBySecret();
      const { url } = await authorize({ config, push: true });
      const second = await call(url.href);
      expect([second.status, second.headers.location]).toEqual([400, undefined]);

      const other = await discoverBySecret();
      const pushed = await openid.buildAuthorizationUrlWithPAR(config, { redirect_uri: redirectUri, scope: 'openid' });
      const stolen = new URL(pushed);
      stolen.searchParams.set('client_id', other.client[0]);
      const refused = await call(stolen.href);
      expect([refused.status, refused.headers.location]).toEqual([400, undefined]);
      expect((await call(pushed.href)).status).toBe(200);
    });

    test('cannot be changed by what the browser sends beside', async () => {
      const { config } = await discoverBySecret();
      const asked = { redirect_uri: redirectUri, scope: 'openid', state: 'pushed' };
      const pushed = await openid.buildAuthorizationUrlWithPAR(config, asked);
      pushed.searchParams.set('state', 'changed');
      pushed.searchParams.set('scope', 'openid roles');
      pushed.searchParams.set('redirect_uri', 'https://evil.example.com/');
      const back = getLocation(await signIn(pushed.href));
      expect([`${back.origin}${back.pathname}`, back.searchParams.get('state')]).toEqual([redirectUri, 'pushed']);
    });

    test.each([
      [{ redirect_uri: 'https://evil.example.com/' }, 'invalid_request'],
      [{ scope: 'openid admin' }, 'invalid_scope'],
      [{ response_type: 'token' }, 'unauthorized_client'],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request'],
    ])('are checked when they are pushed: %j', async (wrong, error) => {
      const { config } = await discoverBySecret();
      const asked: Record<string, string> = { redirect_uri: redirectUri, scope: 'openid', ...wrong };
      await expect(openid.buildAuthorizationUrlWithPAR(config, asked)).rejects.toMatchObject({ status: 400, error });
    });

    test('are taken from authenticated clients alone', async () => {
      const { client } = await discoverBySecret();
      const stranger = await discover(gatehouse, client[0], openid.ClientSecretBasic('not-it'));
      await expect(
        openid.buildAuthorizationUrlWithPAR(stranger, { redirect_uri: redirectUri, scope: 'openid' }),
      ).rejects.toMatchObject({ status: 401 });
    });

    test('are the only ones from a client with require_pushed_authorization_requests', async () => {
      const { config } = await discoverBySecret({ require_pushed_authorization_requests: true });
      const plain = openid.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope: 'openid', state: 's' });
      const callback = getLocation(await call(plain.href));
      await expect(openid.authorizationCodeGrant(config, callback, { expectedState: 's' })).rejects.toMatchObject({
        error: 'invalid_request',
      });
      const tokens = await completeFlow({ config, push: true });
      expect(await readOwnDetails(tokens.access_token)).toBe(200);
    });
  });

  describe('DPoP (RFC 9449)', () => {
    const createHandle = async (config: openid.Configuration, alg = 'ES256') =>
      openid.getDPoPHandle(config, await openid.randomDPoPKeyPair(alg));

    test.each(['ES256', 'RS256', 'PS256', 'Ed25519'])(
      'by %s: tokens, userinfo and user details, each after the nonce that the server hands out',
      async (alg) => {
        const { config } = await discoverBySecret();
        const exchanges = watch(config);
        const dpop = await createHandle(config, alg);
        const tokens = await completeFlow({ config, dpop });
        expect(exchanges.map(({ status }) => status).slice(0, 2)).toEqual([400, 200]);
        expect([tokens.token_type, readClaims(tokens.access_token).cnf]).toEqual([
          'dpop',
          { jkt: await dpop.calculateThumbprint() },
        ]);

        const userinfo = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '', {
          DPoP: dpop,
        });
        expect(userinfo.preferred_username).toBe(plainUser[0]);

        const url = new URL(userDetailsUrl(gatehouse, plainUser[0]));
        const before = exchanges.length;
        const fetchDetails = () =>
          openid.fetchProtectedResource(config, tokens.access_token, url, 'GET', undefined, undefined, { DPoP: dpop });
        expect((await (await fetchDetails()).json()).username).toBe(plainUser[0]);
        expect((await fetchDetails()).status).toBe(200);
        expect(exchanges.slice(before).map(({ status }) => status)).toEqual([401, 200, 200]);

        expect(await openid.tokenIntrospection(config, tokens.access_token)).toMatchObject({
          active: true,
          token_type: 'DPoP',
          cnf: { jkt: await dpop.calculateThumbprint() },
        });
      },
    );

    test('a stolen token is worth nothing as Bearer, or with another key', async () => {
      const { config } = await discoverBySecret();
      const tokens = await completeFlow({ config, dpop: await createHandle(config) });
      const userinfo = `${gatehouse.authUrl}/oauth/userinfo`;
      for (const url of [userinfo, userDetailsUrl(gatehouse, plainUser[0])]) {
        const asBearer = await call(url, { bearer: tokens.access_token });
        expect([url, asBearer.status]).toEqual([url, 401]);
        expect(asBearer.headers['www-authenticate']).toMatch(/error="invalid_token"/);
        const answer = await callWithProof(url, createClientKey(), { accessToken: tokens.access_token });
        expect([url, answer.status, answer.headers['www-authenticate']]).toEqual([
          url,
          401,
          expect.stringMatching(/^DPoP .*error="invalid_dpop_proof"/),
        ]);
        const unproven = await call(url, { headers: { authorization: `DPoP ${tokens.access_token}` } });
        expect([unproven.status, unproven.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^DPoP /)]);
      }
      const posted = await call(userinfo, { form: { access_token: tokens.access_token } });
      expect(posted.status).toBe(401);
    });

    test('a token without a key is worth nothing by the DPoP scheme', async () => {
      const { config } = await discoverBySecret();
      const { access_token: token } = await completeFlow({ config });
      for (const url of [`${gatehouse.authUrl}/oauth/userinfo`, userDetailsUrl(gatehouse, plainUser[0])]) {
        const answer = await callWithProof(url, createClientKey(), { accessToken: token });
        expect([url, answer.status]).toEqual([url, 401]);
      }
    });

    test('a proof that comes again is refused at every endpoint', async () => {
      const client = await registerWith(gatehouse, {});
      const key = createClientKey();
      const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
      const tokenUrl = `${gatehouse.authUrl}/oauth/token`;
      const first = await callWithProof(tokenUrl, key, { basic: client, form });
      expect(first.status).toBe(200);
      const again = await call(tokenUrl, { basic: client, form, headers: { dpop: first.proof } });
      expect([again.status, again.json().error]).toEqual([400, 'invalid_dpop_proof']);

      const token = String(first.json().access_token);
      for (const url of [`${gatehouse.authUrl}/oauth/userinfo`, userDetailsUrl(gatehouse, plainUser[0])]) {
        const taken = await callWithProof(url, key, { accessToken: token });
        expect([url, taken.status]).toEqual([url, 200]);
        const replayed = await call(url, { headers: { authorization: `DPoP ${token}`, dpop: taken.proof } });
        expect([url, replayed.status]).toEqual([url, 401]);
      }
    });

    test('a proof for one endpoint, method or token is worth nothing for another', async () => {
      const client = await registerWith(gatehouse, {});
      const key = createClientKey();
      const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
      const answer = await callWithProof(`${gatehouse.authUrl}/oauth/token`, key, { basic: client, form });
      const token = String(answer.json().access_token);
      const url = userDetailsUrl(gatehouse, plainUser[0]);
      const { proof } = await callWithProof(url, key, { accessToken: token });
      const nonce = String(
        (await call(url, { headers: { authorization: `DPoP ${token}`, dpop: proof } })).headers['dpop-nonce'],
      );
      const right = { htm: 'GET', htu: url, nonce, accessToken: token };
      const wrong = [
        { ...right, htm: 'POST' },
        { ...right, htu: userDetailsUrl(gatehouse, 'robot@example.com') },
        { ...right, accessToken: `${token}x` },
      ];
      const statuses = [];
      for (const request of [...wrong, right]) {
        const headers = { authorization: `DPoP ${token}`, dpop: key.proof(request) };
        statuses.push((await call(url, { headers })).status);
      }
      expect(statuses).toEqual([401, 401, 401, 200]);
    });

    test('a code bound by dpop_jkt is redeemed with that key alone', async () => {
      const { config } = await discoverBySecret();
      const [own, other] = [await createHandle(config), await createHandle(config)];
      const { callback, checks } = await authorize({
        config,
        parameters: { dpop_jkt: await own.calculateThumbprint() },
      });
      const redeem = (options: { DPoP?: openid.DPoPHandle }) =>
        openid.authorizationCodeGrant(config, callback, checks, undefined, options);
      await expect(redeem({})).rejects.toMatchObject({ status: 400 });
      await expect(redeem({ DPoP: other })).rejects.toMatchObject({ status: 400 });
      expect((await redeem({ DPoP: own })).token_type).toBe('dpop');
    });

    test('a proof at the pushed request binds the code to its key (section 10.1)', async () => {
      const { config } = await discoverBySecret();
      const [own, other] = [await createHandle(config), await createHandle(config)];
      const { callback, checks } = await authorize({ config, push: true, dpop: own });
      const redeem = (options: { DPoP?: openid.DPoPHandle }) =>
        openid.authorizationCodeGrant(config, callback, checks, undefined, options);
      await expect(redeem({})).rejects.toMatchObject({ status: 400 });
      await expect(redeem({ DPoP: other })).rejects.toMatchObject({ status: 400 });
      expect((await redeem({ DPoP: own })).token_type).toBe('dpop');
    });

    test('a pushed request whose dpop_jkt is not the key of its proof is refused (section 10.1)', async () => {
      const { config } = await discoverBySecret();
      const [own, other] = [await createHandle(config), await createHandle(config)];
      const asked = { redirect_uri: redirectUri, scope: 'openid', dpop_jkt: await other.calculateThumbprint() };
      await expect(openid.buildAuthorizationUrlWithPAR(config, asked, { DPoP: own })).rejects.toMatchObject({
        status: 400,
      });
    });

    test('the refresh token of a public client is bound to the key', async () => {
      const config = await discover(gatehouse, await registerPublic(gatehouse), openid.None());
      const [own, other] = [await createHandle(config), await createHandle(config)];
      const tokens = await completeFlow({ config, dpop: own });
      const refresh = (options: { DPoP?: openid.DPoPHandle }) =>
        openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, options);
      await expect(refresh({})).rejects.toMatchObject({ status: 400 });
      await expect(refresh({ DPoP: other })).rejects.toMatchObject({ status: 400 });
      const refreshed = await refresh({ DPoP: own });
      expect(readClaims(refreshed.access_token).cnf).toEqual({ jkt: await own.calculateThumbprint() });
    });

    test('the refresh token of a confidential client is not: it may change its key', async () => {
      const { config } = await discoverBySecret();
      const tokens = await completeFlow({ config, dpop: await createHandle(config) });
      const other = await createHandle(config);
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP: other });
      expect(readClaims(refreshed.access_token).cnf).toEqual({ jkt: await other.calculateThumbprint() });
    });

    test('a client with dpop_bound_access_tokens gets nothing without a proof', async () => {
      const { config, client } = await discoverBySecret({ dpop_bound_access_tokens: true });
      const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
      const refused = await postToken(gatehouse, { basic: client, form });
      expect([refused.status, refused.json().error]).toEqual([400, 'invalid_dpop_proof']);
      const tokens = await completeFlow({ config, dpop: await createHandle(config) });
      expect(tokens.token_type).toBe('dpop');
    });
  });

  describe('introspection', () => {
    test('is answered as plain JSON, and as a signed JWT for this client (RFC 9701)', async () => {
      const client = await registerWith(gatehouse, {});
      const plain = await discover(gatehouse, client[0], openid.ClientSecretBasic(client[1]));
      const signed = await discover(gatehouse, client[0], openid.ClientSecretBasic(client[1]), {
        introspection_signed_response_alg: 'RS256',
      });
      const { access_token: token } = await completeFlow({ config: plain });
      const asJson = await openid.tokenIntrospection(plain, token);
      expect(asJson).toMatchObject({
        active: true,
        username: plainUser[0],
        client_id: client[0],
        token_type: 'Bearer',
      });
      expect(await openid.tokenIntrospection(signed, token)).toEqual(asJson);
      await openid.tokenRevocation(plain, token);
      expect(await openid.tokenIntrospection(signed, token)).toEqual({ active: false });

      const headers = { accept: 'application/token-introspection+jwt' };
      const answer = await call(`${gatehouse.authUrl}/oauth/introspect`, { basic: client, form: { token }, headers });
      expect(answer.headers['content-type']).toBe('application/token-introspection+jwt');
      expect(readHeader(answer.text)).toMatchObject({ alg: 'RS256', typ: 'token-introspection+jwt' });
      const claims = readClaims(answer.text);
      expect(claims).toMatchObject({ iss: gatehouse.authUrl, aud: client[0], token_introspection: { active: false } });
      // RFC 9701 5: no `sub` and no `exp`, so that it is taken for no other kind of token.
      expect([claims.sub, claims.exp]).toEqual([undefined, undefined]);
    });

    test('is refused to public clients, and about refresh tokens of others', async () => {
      const publicConfig = await discover(gatehouse, await registerPublic(gatehouse), openid.None());
      const { config } = await discoverBySecret();
      const { config: other } = await discoverBySecret();
      const tokens = await completeFlow({ config });
      await expect(openid.tokenIntrospection(publicConfig, tokens.access_token)).rejects.toMatchObject({ status: 401 });
      expect(await openid.tokenIntrospection(other, tokens.refresh_token ?? '')).toEqual({ active: false });
      expect((await openid.tokenIntrospection(config, tokens.refresh_token ?? '')).active).toBe(true);
    });
  });

  test('revocation ends a token of the client, and none of another', async () => {
    const { config } = await discoverBySecret();
    const { config: other } = await discoverBySecret();
    const tokens = await completeFlow({ config });
    await openid.tokenRevocation(other, tokens.access_token).catch(() => {});
    await openid.tokenRevocation(other, tokens.refresh_token ?? '').catch(() => {});
    expect((await openid.tokenIntrospection(config, tokens.access_token)).active).toBe(true);
    await openid.tokenRevocation(config, 'no-token-at-all');
    await openid.tokenRevocation(config, tokens.access_token, { token_type_hint: 'refresh_token' });
    expect(await openid.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await openid.tokenIntrospection(config, refreshed.access_token)).active).toBe(true);
  });

  test('a public client revokes its tokens', async () => {
    const config = await discover(gatehouse, await registerPublic(gatehouse), openid.None());
    const tokens = await completeFlow({ config });
    await openid.tokenRevocation(config, tokens.refresh_token ?? '');
    await expect(openid.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  describe('RP-initiated logout', () => {
    const postLogout = 'https://app.example.com/signed-out?from=gatehouse';

    test('ends the session and comes back with the state', async () => {
      const { config } = await discoverBySecret({ post_logout_redirect_uris: [postLogout] });
      const browser = createTestBrowser();
      const tokens = await completeFlow({ config, browser });
      const url = openid.buildEndSessionUrl(config, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: postLogout,
        state: 'a&b',
      });
      const answer = await browser.get(url.href);
      expect([answer.status, answer.headers.location]).toEqual([303, `${postLogout}&state=a%26b`]);
      const next = openid.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope: 'openid', prompt: 'none' });
      expect(getLocation(await browser.get(next.href)).searchParams.get('error')).toBe('login_required');
      await expect(openid.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    });

    test('asks the user where nothing proves that the session is meant', async () => {
      const { config } = await discoverBySecret({ post_logout_redirect_uris: [postLogout] });
      const browser = createTestBrowser();
      await completeFlow({ config, browser });
      const url = openid.buildEndSessionUrl(config, { post_logout_redirect_uri: postLogout, state: 's' });
      const page = await browser.get(url.href);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('Sign out?')]);
      const answer = await browser.submit(page, url.href);
      expect([answer.status, answer.headers.location]).toEqual([303, `${postLogout}&state=s`]);
    });

    test('goes nowhere that the client did not register', async () => {
      const { config } = await discoverBySecret({ post_logout_redirect_uris: [postLogout] });
      const browser = createTestBrowser();
      const tokens = await completeFlow({ config, browser });
      for (const wrong of ['https://evil.example.com/', `${postLogout}&more`, redirectUri]) {
        const url = openid.buildEndSessionUrl(config, {
          id_token_hint: tokens.id_token ?? '',
          post_logout_redirect_uri: wrong,
        });
        const answer = await browser.get(url.href);
        expect([wrong, answer.status, answer.headers.location]).toEqual([wrong, 400, undefined]);
      }
    });
  });

  test('ID tokens are signed ES256 where the client says so', async () => {
    const { config, client } = await discoverBySecret(
      { id_token_signed_response_alg: 'ES256' },
      { id_token_signed_response_alg: 'ES256' },
    );
    const tokens = await completeFlow({ config });
    expect(readHeader(tokens.id_token ?? '')).toMatchObject({ alg: 'ES256', kid: expect.any(String) });
    expect(tokens.claims()?.aud).toBe(client[0]);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(readHeader(refreshed.id_token ?? '').alg).toBe('ES256');
  });

  test('further redirect_uris are as good as the first, and no other is', async () => {
    const further = ['https://app.example.com/second', 'http://127.0.0.1/third', 'com.example.app:/fourth'];
    const { config } = await discoverBySecret({ redirect_uris: further });
    for (const uri of [redirectUri, ...further]) {
      const tokens = await completeFlow({ config, parameters: { redirect_uri: uri } });
      expect([uri, await readOwnDetails(tokens.access_token)]).toEqual([uri, 200]);
    }
    for (const uri of [`${redirectUri}/`, 'https://app.example.com/third', 'https://app.example.com/Second']) {
      const answer = await call(openid.buildAuthorizationUrl(config, { redirect_uri: uri, scope: 'openid' }).href);
      expect([uri, answer.status, answer.headers.location]).toEqual([uri, 400, undefined]);
    }
  });

  test('a code for one redirect_uri is not redeemed with another of the same client', async () => {
    const second = 'https://app.example.com/second';
    const client = await registerWith(gatehouse, { redirect_uris: [second] });
    const { redemption } = await obtainCode(gatehouse, client, { redirect_uri: second });
    const wrong = await postToken(gatehouse, { basic: client, form: redemption });
    expect([wrong.status, wrong.json().error]).toEqual([400, 'invalid_grant']);
    const form = { ...redemption, redirect_uri: second };
    expect((await postToken(gatehouse, { basic: client, form })).status).toBe(200);
  });

  describe('the claims parameter', () => {
    const claims = JSON.stringify({
      userinfo: { email: null, unheard_of: null },
      id_token: { given_name: { essential: true } },
    });

    test('gives claims one by one, each where it was asked for', async () => {
      const { config } = await discoverBySecret();
      const tokens = await completeFlow({ config, parameters: { scope: 'openid', claims } });
      expect(tokens.claims()).toMatchObject({ given_name: 'Ursula' });
      expect(tokens.claims()).not.toHaveProperty('email');
      const subject = tokens.claims()?.sub ?? '';
      const userinfo = await openid.fetchUserInfo(config, tokens.access_token, subject);
      expect(userinfo).toEqual({ sub: subject, email: 'user@example.com' });
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      const again = await openid.fetchUserInfo(config, refreshed.access_token, subject);
      expect(again).toEqual({ sub: subject, email: 'user@example.com' });
    });

    test('gives nothing that the client’s scopes do not open', async () => {
      const { config } = await discoverBySecret({ scope: ['openid'] });
      const tokens = await completeFlow({ config, parameters: { scope: 'openid', claims } });
      const subject = tokens.claims()?.sub ?? '';
      expect(tokens.claims()).not.toHaveProperty('given_name');
      expect(await openid.fetchUserInfo(config, tokens.access_token, subject)).toEqual({ sub: subject });
    });

    test.each(['no-json', '[]', '"text"', 'null'])('is refused as %s', async (value) => {
      const { config } = await discoverBySecret();
      const url = openid.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope: 'openid', claims: value });
      expect(getLocation(await call(url.href)).searchParams.get('error')).toBe('invalid_request');
    });
  });
});

describeSharedGatehouse('oauth4webapi, unmodified', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let server: oauth.AuthorizationServer;
  beforeAll(async () => {
    gatehouse = getGatehouse();
    const issuer = new URL(gatehouse.authUrl);
    server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  });

  /** Asks again with the nonce, as the library's documentation shows. */
  const withNonce = async <T>(send: () => Promise<T>): Promise<{ result: T; retried: boolean }> => {
    try {
      return { result: await send(), retried: false };
    } catch (error) {
      if (!oauth.isDPoPNonceError(error)) throw error;
      return { result: await send(), retried: true };
    }
  };

  test.each(['ES256', 'RS256', 'PS256', 'Ed25519'])(
    'private_key_jwt, PAR, DPoP and ES256 ID tokens together, by %s keys',
    async (alg) => {
      const key = await createLibraryKey(alg);
      const metadata = {
        id_token_signed_response_alg: 'ES256',
        require_pushed_authorization_requests: true,
        dpop_bound_access_tokens: true,
      };
      const client: oauth.Client = {
        client_id: await registerByKey(gatehouse, key, metadata),
        id_token_signed_response_alg: 'ES256',
      };
      const authenticate = oauth.PrivateKeyJwt({ key: key.privateKey, kid: key.kid });
      const dpop = oauth.DPoP(client, await oauth.generateKeyPair(alg));
      const { verifier, challenge } = createPkce();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const parameters = {
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: 'openid profile',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        state,
        nonce,
      };

      const pushed = await withNonce(async () =>
        oauth.processPushedAuthorizationResponse(
          server,
          client,
          await oauth.pushedAuthorizationRequest(server, client, authenticate, parameters, { ...insecure, DPoP: dpop }),
        ),
      );
      const { request_uri: requestUri, expires_in: expiresIn } = pushed.result;
      expect(expiresIn).toBeGreaterThan(5);
      const url = buildAuthorizeUrl(gatehouse, { client_id: client.client_id, request_uri: requestUri });
      const callback = oauth.validateAuthResponse(server, client, getLocation(await signIn(url)), state);

      const { result: tokens } = await withNonce(async () => {
        const answer = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authenticate,
          callback,
          redirectUri,
          verifier,
          { ...insecure, DPoP: dpop },
        );
        const processed = await oauth.processAuthorizationCodeResponse(server, client, answer, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        await oauth.validateApplicationLevelSignature(server, answer, insecure);
        return processed;
      });
      expect(tokens.token_type).toBe('dpop');
      expect(readClaims(tokens.access_token).cnf).toEqual({ jkt: await dpop.calculateThumbprint() });

      const subject = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';
      const { result: userinfo } = await withNonce(async () =>
        oauth.processUserInfoResponse(
          server,
          client,
          subject,
          await oauth.userInfoRequest(server, client, tokens.access_token, { ...insecure, DPoP: dpop }),
        ),
      );
      expect(userinfo.preferred_username).toBe(plainUser[0]);

      const details = new URL(userDetailsUrl(gatehouse, plainUser[0]));
      const { result: answer, retried } = await withNonce(() =>
        oauth.protectedResourceRequest(tokens.access_token, 'GET', details, undefined, undefined, {
          ...insecure,
          DPoP: dpop,
        }),
      );
      expect([answer.status, (await answer.json()).username, retried]).toEqual([200, plainUser[0], true]);

      const { result: refreshed } = await withNonce(async () =>
        oauth.processRefreshTokenResponse(
          server,
          client,
          await oauth.refreshTokenGrantRequest(server, client, authenticate, tokens.refresh_token ?? '', {
            ...insecure,
            DPoP: dpop,
          }),
        ),
      );
      const introspect = async (requestJwtResponse: boolean) => {
        const response = await oauth.introspectionRequest(server, client, authenticate, refreshed.access_token, {
          ...insecure,
          requestJwtResponse,
        });
        const claims = await oauth.processIntrospectionResponse(server, client, response);
        if (requestJwtResponse) await oauth.validateApplicationLevelSignature(server, response, insecure);
        return claims;
      };
      expect(await introspect(false)).toMatchObject({ active: true, token_type: 'DPoP', sub: subject });
      expect(await introspect(true)).toEqual(await introspect(false));

      const revocation = await oauth.revocationRequest(
        server,
        client,
        authenticate,
        refreshed.refresh_token ?? '',
        insecure,
      );
      await oauth.processRevocationResponse(revocation);
      expect([await introspect(true), await introspect(false)]).toEqual([{ active: false }, { active: false }]);
    },
  );

  test('validates DPoP-bound access tokens at a resource server of its own', async () => {
    const basic = await registerWith(gatehouse, {});
    const client: oauth.Client = { client_id: basic[0] };
    const dpop = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const { result: tokens } = await withNonce(async () =>
      oauth.processGenericTokenEndpointResponse(
        server,
        client,
        await oauth.genericTokenEndpointRequest(
          server,
          client,
          oauth.ClientSecretBasic(basic[1]),
          'password',
          { username: plainUser[0], password: plainUser[1] },
          { ...insecure, DPoP: dpop },
        ),
      ),
    );
    const key = createClientKey();
    const url = 'https://resource.example.com/thing';
    const ask = (proof: string) =>
      oauth.validateJwtAccessToken(
        server,
        new Request(url, { headers: { authorization: `DPoP ${tokens.access_token}`, dpop: proof } }),
        gatehouse.baseUrl,
        insecure,
      );
    let proof = '';
    const capture: typeof fetch = async (_url, options) => {
      proof = new Headers(options?.headers).get('dpop') ?? '';
      return new Response(null, { status: 200 });
    };
    await oauth.protectedResourceRequest(tokens.access_token, 'GET', new URL(url), undefined, undefined, {
      DPoP: dpop,
      [oauth.customFetch]: capture as never,
    });
    expect(await ask(proof)).toMatchObject({ client_id: basic[0], cnf: { jkt: await dpop.calculateThumbprint() } });
    await expect(ask(key.proof({ htm: 'GET', htu: url, accessToken: tokens.access_token }))).rejects.toThrow();
  });

  test('obtains tokens of a plain client by client_credentials, bound to a key', async () => {
    const fields = passwordKind({ authorized_grant_types: ['client_credentials'], scope: ['profile'] });
    const { redirect_uri: _none, ...body } = fields;
    const basic = await registerWith(gatehouse, { client_secret: 's:e c+r%41' }, body);
    const client: oauth.Client = { client_id: basic[0] };
    const dpop = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const { result: tokens, retried } = await withNonce(async () =>
      oauth.processClientCredentialsResponse(
        server,
        client,
        await oauth.clientCredentialsGrantRequest(
          server,
          client,
          oauth.ClientSecretPost('s:e c+r%41'),
          {},
          { ...insecure, DPoP: dpop },
        ),
      ),
    );
    expect(retried).toBe(true);
    expect(readClaims(tokens.access_token)).toMatchObject({
      sub: basic[0],
      cnf: { jkt: await dpop.calculateThumbprint() },
    });
  });
});
