import { type ClientKey, call, createClientKey, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { authorize, createLibraryKey, discover } from '../journeys/support/openid-flow.ts';
import { buildAuthorizeUrl, createPkce, getLocation } from '../support/authorization.ts';
import { passwordKind, postClient, redirectUri } from '../support/clients.ts';
import {
  type Changes,
  createFapi2Client,
  createFapi2Key,
  type Fapi2Client,
  registerFapi2Client,
} from '../support/fapi2-client.ts';
import { forge } from '../support/forged-tokens.ts';
import { administrator, plainUser, robotUsername } from '../support/people.ts';
import { readClaims, readHeader } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { userDetailsUrl } from '../support/users.ts';
import { describeStandard } from './realm.ts';

describeStandard('FAPI 2.0 Security Profile, for clients with the profile fapi2', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let client: Fapi2Client;
  let keys: Record<'ES256' | 'RS256' | 'PS256' | 'Ed25519', ClientKey>;
  let userinfo: string;
  /** Of a client whose key set has a key for each algorithm. */
  let ofManyKeys: Fapi2Client;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    userinfo = `${gatehouse.authUrl}/oauth/userinfo`;
    keys = {
      ...{ ES256: createFapi2Key('ES256'), RS256: createFapi2Key('RS256') },
      ...{ PS256: createFapi2Key('PS256'), Ed25519: createFapi2Key('Ed25519') },
    };
    client = await registerFapi2Client(gatehouse, { access_token_validity: 300 });
    const jwks = { keys: Object.values(keys).map(({ jwk }) => jwk) };
    const { clientId } = await registerFapi2Client(gatehouse, { jwks });
    ofManyKeys = createFapi2Client(gatehouse, clientId, keys.ES256);
  });

  const goodRequest = () => ({
    ...{ response_type: 'code', redirect_uri: redirectUri, scope: 'openid', state: 'the-state' },
    ...{ code_challenge: createPkce().challenge, code_challenge_method: 'S256' },
  });
  const push = (changes: Changes = {}) => client.push(goodRequest(), changes);
  const errorOf = async (answering: ReturnType<typeof push>) => {
    const { status, json } = await answering;
    return [status, json().error];
  };
  const refresh = async (changes: Changes = {}, by = client) =>
    by.refresh((await by.obtain()).refresh_token ?? '', changes);

  describe('5.3.2.1, general requirements', () => {
    it('FAPI 2.0 5.3.2.1 (1): the metadata documents name what such a client uses', async () => {
      for (const path of ['openid-configuration', 'oauth-authorization-server']) {
        const metadata = (await call(`${gatehouse.authUrl}/.well-known/${path}`)).json();
        expect(metadata).toMatchObject({
          issuer: gatehouse.authUrl,
          pushed_authorization_request_endpoint: `${gatehouse.authUrl}/oauth/par`,
          authorization_response_iss_parameter_supported: true,
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: expect.arrayContaining(['private_key_jwt']),
          token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256', 'PS256', 'Ed25519']),
          dpop_signing_alg_values_supported: expect.arrayContaining(['ES256', 'PS256', 'Ed25519']),
          id_token_signing_alg_values_supported: expect.arrayContaining(['ES256']),
        });
      }
    });

    it('FAPI 2.0 5.3.2.1 (2): the password grant is refused, at registration and at the token endpoint', async () => {
      const { status, text } = await postClient(gatehouse, {
        ...passwordKind(),
        client_secret: undefined,
        ...{ client_id: uniqueName('fapi2'), profile: 'fapi2', jwks: { keys: [client.key.jwk] } },
      });
      expect([status, text]).toEqual([400, expect.stringContaining('authorized_grant_types')]);
      const [username, password] = plainUser;
      const asked = client.token({ grant_type: 'password', username, password });
      expect(await errorOf(asked)).toEqual([400, 'unauthorized_client']);
    });

    it('FAPI 2.0 5.3.2.1 (3): a client that does not authenticate is refused everywhere', async () => {
      for (const path of ['par', 'token', 'introspect', 'revoke']) {
        const form = { client_id: client.clientId, token: 'x', grant_type: 'refresh_token', refresh_token: 'x' };
        expect([path, (await call(`${gatehouse.authUrl}/oauth/${path}`, { form })).status]).toEqual([path, 401]);
        const guessed = await call(`${gatehouse.authUrl}/oauth/${path}`, { form: { ...form, client_secret: 'x' } });
        expect([path, guessed.status]).toEqual([path, 401]);
      }
    });

    it('FAPI 2.0 5.3.2.1 (4, 5): access tokens are bound to a key, and issued for no request without a proof', async () => {
      const { callback, verifier } = await client.authorize();
      const code = callback.searchParams.get('code') ?? '';
      expect(await errorOf(client.redeem(code, verifier, { proof: false }))).toEqual([400, 'invalid_dpop_proof']);
      const tokens = (await client.redeem(code, verifier)).json();
      expect(tokens).toMatchObject({ token_type: 'DPoP' });
      expect(readClaims(String(tokens.access_token)).cnf).toEqual({ jkt: client.key.jkt });
      const unproven = client.refresh(String(tokens.refresh_token), { proof: false });
      expect(await errorOf(unproven)).toEqual([400, 'invalid_dpop_proof']);
    });

    it('FAPI 2.0 5.3.2.1 (4, 5): a bound token opens userinfo and org-api with its proof, and not as Bearer', async () => {
      const { access_token: token } = await client.obtain();
      for (const url of [userinfo, userDetailsUrl(gatehouse, plainUser[0])]) {
        expect([url, (await client.present(url, token)).status]).toEqual([url, 200]);
        expect([url, (await call(url, { bearer: token })).status]).toEqual([url, 401]);
        const stolen = await client.present(url, token, createClientKey());
        expect([url, stolen.status]).toEqual([url, 401]);
      }
    });

    it('FAPI 2.0 5.3.2.1 (6): a client proves itself by private_key_jwt, also one without users', async () => {
      const machine = await registerFapi2Client(gatehouse, {
        ...{ authorized_grant_types: ['client_credentials'], redirect_uri: undefined, scope: ['profile'] },
      });
      const answer = await machine.token({ grant_type: 'client_credentials' });
      expect([answer.status, readClaims(String(answer.json().access_token)).sub]).toEqual([200, machine.clientId]);
      const robot = await registerFapi2Client(gatehouse, {
        ...{ authorized_grant_types: ['service_account'], redirect_uri: undefined, scope: ['profile'] },
        srvc_ac_user_name: robotUsername,
      });
      for (const grant_type of ['service_account', 'client_credentials']) {
        const tokens = (await robot.token({ grant_type })).json();
        expect(readClaims(String(tokens.access_token)).username).toBe(robotUsername);
      }
    });

    it('FAPI 2.0 5.3.2.1 (7): nothing is redirected on a redirect_uri that is not registered to the letter', async () => {
      for (const redirect_uri of [`${redirectUri}/`, `${redirectUri}?x=1`, 'https://app.example.com/*']) {
        expect(await errorOf(push({ form: { redirect_uri } }))).toEqual([400, 'invalid_request']);
        const url = buildAuthorizeUrl(gatehouse, { ...goodRequest(), client_id: client.clientId, redirect_uri });
        const { status, headers } = await call(url);
        expect([status, headers.location]).toEqual([400, undefined]);
      }
    });

    it('FAPI 2.0 5.3.2.1 (8): the aud of an assertion is the issuer as one string', async () => {
      const { authUrl } = gatehouse;
      const wrong = [[authUrl], [authUrl, 'https://b.example'], `${authUrl}/`, `${authUrl}/oauth/token`];
      for (const aud of [...wrong, `${authUrl}/oauth/par`, authUrl.toUpperCase(), '', undefined]) {
        expect([aud, ...(await errorOf(push({ assertion: { aud } })))]).toEqual([aud, 401, 'invalid_client']);
      }
      const asked = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' };
      for (const path of ['token', 'introspect', 'revoke']) {
        const answer = client.post(`/oauth/${path}`, asked, { assertion: { aud: [authUrl] } });
        expect([path, ...(await errorOf(answer))]).toEqual([path, 401, 'invalid_client']);
      }
      expect((await push()).status).toBe(201);
    });

    it('FAPI 2.0 5.3.2.1 (9): a refresh token is not rotated, and each answer repeats it', async () => {
      const { refresh_token: token = '', access_token: first } = await client.obtain();
      const seen = new Set([first]);
      for (let turn = 0; turn < 3; turn += 1) {
        const answer = await client.refresh(token);
        expect([answer.status, answer.json().refresh_token]).toEqual([200, token]);
        seen.add(String(answer.json().access_token));
      }
      expect(seen.size).toBe(4);
      for (const accessToken of seen) expect(await client.isActive(accessToken)).toBe(true);
    });

    it('FAPI 2.0 5.3.2.1 (10): a proof without the nonce of the server is told the nonce', async () => {
      const proof = { nonce: undefined };
      const answer = await client.token({ grant_type: 'refresh_token', refresh_token: 'x' }, { proof });
      expect([answer.json().error, answer.headers['dpop-nonce']]).toEqual(['use_dpop_nonce', expect.any(String)]);
    });

    it('FAPI 2.0 5.3.2.1 (12): a code is bound to the key of the proof, or dpop_jkt, of the pushed request', async () => {
      const other = createClientKey();
      for (const changes of [{ proof: {} }, { form: { dpop_jkt: client.key.jkt } }]) {
        const { callback, verifier } = await client.authorize(changes);
        const code = callback.searchParams.get('code') ?? '';
        const stolen = client.redeem(code, verifier, { proofKey: other });
        expect(await errorOf(stolen)).toEqual([400, 'invalid_dpop_proof']);
        expect((await client.redeem(code, verifier)).status).toBe(200);
      }
    });

    it('FAPI 2.0 5.3.2.1 (13): iat and nbf lie up to 10 s ahead, and not 60 s', async () => {
      const inSeconds = (ahead: number) => Math.floor(Date.now() / 1000) + ahead;
      const good = inSeconds(10);
      expect((await push({ assertion: { iat: good, nbf: good, exp: good + 60 } })).status).toBe(201);
      expect((await refresh({ proof: { iat: good, nbf: good } })).status).toBe(200);
      for (const claim of ['iat', 'nbf']) {
        const bad = { [claim]: inSeconds(61), exp: inSeconds(120) };
        expect(await errorOf(push({ assertion: bad }))).toEqual([401, 'invalid_client']);
        expect(await errorOf(refresh({ proof: bad }))).toEqual([400, 'invalid_dpop_proof']);
      }
    });

    it('FAPI 2.0 5.3.2.1 (14): a refresh asks for less scope than was granted, and for no more', async () => {
      const answer = await refresh({ form: { scope: 'openid' } });
      expect([answer.status, answer.json().scope]).toEqual([200, 'openid']);
      expect(await errorOf(refresh({ form: { scope: 'openid roles' } }))).toEqual([400, 'invalid_scope']);
    });
  });

  describe('5.3.2.2, authorization code flow', () => {
    it('FAPI 2.0 5.3.2.2 (1): no other response_type than code is taken', async () => {
      for (const response_type of ['token', 'id_token', 'id_token token', 'code id_token', 'none']) {
        const [status] = await errorOf(push({ form: { response_type, nonce: 'n' } }));
        expect([response_type, status]).toEqual([response_type, 400]);
      }
    });

    it('FAPI 2.0 5.3.2.2 (2): a request is pushed by a client that authenticates', async () => {
      expect((await push()).status).toBe(201);
    });

    it('FAPI 2.0 5.3.2.2 (3): a request that was not pushed is refused', async () => {
      const url = buildAuthorizeUrl(gatehouse, { ...goodRequest(), client_id: client.clientId });
      const { origin, pathname, searchParams } = getLocation(await call(url));
      expect([origin + pathname, searchParams.get('error')]).toEqual([redirectUri, 'invalid_request']);
    });

    it('FAPI 2.0 5.3.2.2 (4): a pushed request without client authentication is refused', async () => {
      const form = { client_id: client.clientId };
      expect(await errorOf(push({ assertion: false, form }))).toEqual([401, 'invalid_client']);
      const stranger = createFapi2Key();
      expect(await errorOf(push({ key: stranger }))).toEqual([401, 'invalid_client']);
    });

    it('FAPI 2.0 5.3.2.2 (5): PKCE with S256 is required when the request is pushed', async () => {
      const { challenge } = createPkce();
      const none = { code_challenge: undefined, code_challenge_method: undefined };
      expect(await errorOf(push({ form: none }))).toEqual([400, 'invalid_request']);
      const plain = { code_challenge: challenge, code_challenge_method: 'plain' };
      expect(await errorOf(push({ form: plain }))).toEqual([400, 'invalid_request']);
      const { callback } = await client.authorize();
      const code = callback.searchParams.get('code') ?? '';
      expect(await errorOf(client.redeem(code, createPkce().verifier))).toEqual([400, 'invalid_grant']);
    });

    it('FAPI 2.0 5.3.2.2 (6): redirect_uri is required in the pushed request, with openid and without', async () => {
      for (const scope of ['openid', 'profile']) {
        expect(await errorOf(push({ form: { redirect_uri: undefined, scope } }))).toEqual([400, 'invalid_request']);
      }
    });

    it('FAPI 2.0 5.3.2.2 (7): the answer names the issuer, a refusal too', async () => {
      const { callback } = await client.authorize();
      expect(callback.searchParams.get('iss')).toBe(gatehouse.authUrl);
      const pushed = await push({ form: { prompt: 'none' } });
      const { request_uri } = pushed.json<{ request_uri: string }>();
      const refused = getLocation(
        await call(buildAuthorizeUrl(gatehouse, { client_id: client.clientId, request_uri })),
      );
      expect([refused.searchParams.get('error'), refused.searchParams.get('iss')]).toEqual([
        'login_required',
        gatehouse.authUrl,
      ]);
    });

    it('FAPI 2.0 5.3.2.2 (8): an http redirect URI is registered on a loopback host only', async () => {
      await expect(registerFapi2Client(gatehouse, { redirect_uri: 'http://app.example.com/cb' })).rejects.toThrow(
        'redirect_uri',
      );
      expect(await registerFapi2Client(gatehouse, { redirect_uri: 'http://127.0.0.1:8080/cb' })).toBeDefined();
    });

    it('FAPI 2.0 5.3.2.2 (9): a code that was used is refused, and its tokens end', async () => {
      const { callback, verifier } = await client.authorize();
      const code = callback.searchParams.get('code') ?? '';
      const tokens = (await client.redeem(code, verifier)).json();
      expect(await errorOf(client.redeem(code, verifier))).toEqual([400, 'invalid_grant']);
      expect(await client.isActive(String(tokens.access_token))).toBe(false);
      expect(await errorOf(client.refresh(String(tokens.refresh_token)))).toEqual([400, 'invalid_grant']);
    });

    it('FAPI 2.0 5.3.2.2 (10, 11): after the password was posted the browser is sent on by 303', async () => {
      const { answer } = await client.authorize();
      expect(answer.status).toBe(303);
    });

    it('FAPI 2.0 5.3.2.2 (12): a request_uri lives less than 600 s, serves one sign-in, and its client alone', async () => {
      const pushed = (await push()).json<{ request_uri: string; expires_in: number }>();
      expect(pushed.expires_in).toBeGreaterThan(0);
      expect(pushed.expires_in).toBeLessThan(600);
      const { request_uri } = pushed;
      const open = (clientId: string) => call(buildAuthorizeUrl(gatehouse, { client_id: clientId, request_uri }));
      expect((await open(ofManyKeys.clientId)).status).toBe(400);
      // Note 3: a page that is loaded again uses nothing up.
      const [page, again] = [await open(client.clientId), await open(client.clientId)];
      expect([page.status, again.status]).toEqual([200, 200]);
    });

    it('FAPI 2.0 5.3.2.2 (13): a third-party client’s users see what they allow', async () => {
      const thirdParty = await registerFapi2Client(gatehouse, { require_consent: true, client_name: 'The Bank' });
      const browser = createTestBrowser();
      const pushed = await thirdParty.push({ ...goodRequest(), scope: 'openid email' });
      const { request_uri } = pushed.json<{ request_uri: string }>();
      const url = buildAuthorizeUrl(gatehouse, { client_id: thirdParty.clientId, request_uri });
      const [username, password] = plainUser;
      const page = await browser.submit(await browser.get(url), url, { username, password });
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('The Bank')]);
      expect(page.text).toContain('e-mail address');
    });
  });

  it('FAPI 2.0 5.3.2.3: the ID token says who signed in, signed ES256', async () => {
    const { id_token: idToken = '', access_token: token } = await client.obtain();
    expect(readHeader(idToken)).toMatchObject({ alg: 'ES256' });
    const { sub } = (await client.present(userinfo, token)).json();
    expect(readClaims(idToken)).toMatchObject({ iss: gatehouse.authUrl, aud: client.clientId, sub });
  });

  describe('5.4, cryptography', () => {
    it.each(['ES256', 'PS256', 'Ed25519'] as const)(
      'FAPI 2.0 5.4.1: assertions and proofs by %s are taken',
      async (alg) => {
        const key = keys[alg];
        const answer = await refresh({ key, proofKey: key }, ofManyKeys);
        expect(answer.status).toBe(200);
        const token = String(answer.json().access_token);
        expect((await ofManyKeys.present(userinfo, token, key)).status).toBe(200);
      },
    );

    it('FAPI 2.0 5.4.1: assertions and proofs by RS256 are refused at every endpoint of this server', async () => {
      const { RS256 } = keys;
      for (const path of ['par', 'token', 'introspect', 'revoke']) {
        const asked = { ...goodRequest(), grant_type: 'refresh_token', refresh_token: 'x', token: 'x' };
        const answer = ofManyKeys.post(`/oauth/${path}`, asked, { key: RS256 });
        expect([path, ...(await errorOf(answer))]).toEqual([path, 401, 'invalid_client']);
      }
      const proven = { proof: {}, proofKey: RS256 };
      expect(await errorOf(ofManyKeys.push(goodRequest(), proven))).toEqual([400, 'invalid_dpop_proof']);
      expect(await errorOf(refresh(proven, ofManyKeys))).toEqual([400, 'invalid_dpop_proof']);
    });

    it('FAPI 2.0 5.4.1: a token that is bound to an RSA key takes proofs by PS256 alone, at org-api too', async () => {
      const { PS256 } = keys;
      // The same key signs by both, so the key that a token is bound to does not tell.
      const byRs256 = PS256.signingBy('RS256');
      const token = String((await refresh({ proofKey: PS256 }, ofManyKeys)).json().access_token);
      for (const url of [userinfo, userDetailsUrl(gatehouse, plainUser[0])]) {
        const refused = await ofManyKeys.present(url, token, byRs256);
        expect([url, refused.status, refused.headers['www-authenticate']]).toEqual([
          url,
          401,
          expect.stringContaining('error="invalid_dpop_proof"'),
        ]);
        expect([url, (await ofManyKeys.present(url, token, PS256)).status]).toEqual([url, 200]);
      }
      // A client without the profile may use both.
      const lax = { profile: undefined, token_endpoint_auth_method: 'private_key_jwt', dpop_bound_access_tokens: true };
      const plain = await registerFapi2Client(gatehouse, lax);
      const { access_token: other } = await plain.obtain({}, { proofKey: byRs256 });
      expect((await plain.present(userDetailsUrl(gatehouse, plainUser[0]), other, byRs256)).status).toBe(200);
    });

    it('FAPI 2.0 5.4.1: client administration takes a token of such a client with a proof by PS256 alone', async () => {
      const { PS256 } = keys;
      const { callback, verifier } = await ofManyKeys.authorize({}, createTestBrowser(), administrator);
      const code = callback.searchParams.get('code') ?? '';
      const token = String((await ofManyKeys.redeem(code, verifier, { proofKey: PS256 })).json().access_token);
      const url = `${gatehouse.authUrl}/clients`;
      expect((await ofManyKeys.present(url, token, PS256.signingBy('RS256'))).status).toBe(401);
      expect((await ofManyKeys.present(url, token, PS256)).status).toBe(200);
    });

    it('FAPI 2.0 5.4.1: the algorithm none is refused', async () => {
      const claims = {
        iss: client.clientId,
        sub: client.clientId,
        aud: gatehouse.authUrl,
        jti: 'x',
        exp: 9_999_999_999,
      };
      const form = { client_assertion: forge({ alg: 'none' }, claims) };
      expect(await errorOf(push({ form }))).toEqual([401, 'invalid_client']);
    });

    it('FAPI 2.0 5.4.1: RSA keys have at least 2048 bits', async () => {
      const { jwk } = keys.PS256;
      const jwks = { keys: [{ ...jwk, n: Buffer.alloc(128, 7).toString('base64url') }] };
      await expect(registerFapi2Client(gatehouse, { jwks })).rejects.toThrow('jwks');
    });
  });

  it.each(['ES256', 'PS256', 'Ed25519'])(
    'FAPI 2.0 5.3: openid-client signs in by %s with PAR and DPoP, and refreshes twice',
    async (alg) => {
      const { clientId, key } = await registerLibraryKey(alg);
      const config = await discover(gatehouse, clientId, openid.PrivateKeyJwt(key), {
        id_token_signed_response_alg: 'ES256',
      });
      const dpop = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair(alg));
      const { callback, checks } = await authorize({ config, push: true, dpop });
      const options = { DPoP: dpop };
      const tokens = await openid.authorizationCodeGrant(config, callback, checks, undefined, options);
      const again = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, options);
      const last = await openid.refreshTokenGrant(config, again.refresh_token ?? '', undefined, options);
      expect([again.refresh_token, last.refresh_token]).toEqual([tokens.refresh_token, tokens.refresh_token]);
      const url = new URL(userDetailsUrl(gatehouse, plainUser[0]));
      const answer = await openid.fetchProtectedResource(
        config,
        last.access_token,
        url,
        'GET',
        undefined,
        undefined,
        options,
      );
      expect(answer.status).toBe(200);
    },
  );

  it('FAPI 2.0 5.3: oauth4webapi signs in with PAR and DPoP, and refreshes twice', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const { clientId, key } = await registerLibraryKey('ES256');
    const issuer = new URL(gatehouse.authUrl);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const own: oauth.Client = { client_id: clientId, id_token_signed_response_alg: 'ES256' };
    const authenticate = oauth.PrivateKeyJwt(key);
    const options = { ...insecure, DPoP: oauth.DPoP(own, await oauth.generateKeyPair('ES256')) };
    /** RFC 9449 8: once more with the nonce that the server hands out. */
    const withNonce = async <T>(ask: () => Promise<T>): Promise<T> => {
      try {
        return await ask();
      } catch (error) {
        if (!oauth.isDPoPNonceError(error)) throw error;
        return ask();
      }
    };
    const verifier = oauth.generateRandomCodeVerifier();
    const asked = { ...goodRequest(), code_challenge: await oauth.calculatePKCECodeChallenge(verifier) };
    const pushed = await withNonce(async () =>
      oauth.processPushedAuthorizationResponse(
        server,
        own,
        await oauth.pushedAuthorizationRequest(server, own, authenticate, new URLSearchParams(asked), options),
      ),
    );
    const url = buildAuthorizeUrl(gatehouse, { client_id: clientId, request_uri: pushed.request_uri });
    const browser = createTestBrowser();
    const [username, password] = plainUser;
    const answer = await browser.submit(await browser.get(url), url, { username, password });
    const callback = oauth.validateAuthResponse(server, own, getLocation(answer), 'the-state');
    const tokens = await withNonce(async () =>
      oauth.processAuthorizationCodeResponse(
        server,
        own,
        await oauth.authorizationCodeGrantRequest(server, own, authenticate, callback, redirectUri, verifier, options),
        { requireIdToken: true },
      ),
    );
    let { refresh_token: token = '' } = tokens;
    for (let turn = 0; turn < 2; turn += 1) {
      const refreshed = await withNonce(async () =>
        oauth.processRefreshTokenResponse(
          server,
          own,
          await oauth.refreshTokenGrantRequest(server, own, authenticate, token, options),
        ),
      );
      expect(refreshed.refresh_token).toBe(tokens.refresh_token);
      token = refreshed.refresh_token ?? '';
    }
  });

  /** A client with a key that a library signs by. */
  async function registerLibraryKey(alg: string) {
    const { privateKey, kid, jwks } = await createLibraryKey(alg);
    const { clientId } = await registerFapi2Client(gatehouse, { jwks });
    return { clientId, key: { key: privateKey, kid } };
  }
});
