import { createHash } from 'node:crypto';
import { createTestBrowser, readHiddenFields, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, createPkce, type Parameters, readRedirect, signIn } from '../support/browser.ts';
import { createExchanges } from '../support/exchanges.ts';
import { callback, type Realm, readClaims, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const hybrid = {
  ...webClient,
  client_id: 'hybrid',
  authorized_grant_types: ['authorization_code', 'refresh_token', 'implicit'],
};
const request = {
  ...codeRequest,
  client_id: hybrid.client_id,
  response_type: 'code id_token token',
  scope: 'openid email',
  nonce: 'n',
};

const halfHash = (value: string) => createHash('sha256').update(value).digest().subarray(0, 16).toString('base64url');

describe.each(testDialects)('the hybrid flow (OpenID Connect Core 3.3), on %s', (dialect) => {
  let realm: Realm;
  let exchanges: ReturnType<typeof createExchanges>;
  let signedIn: TestBrowser;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    exchanges = createExchanges(realm);
    await realm.register(hybrid);
    await realm.register(webClient);
    await realm.register({ ...hybrid, client_id: 'implicit-alone', authorized_grant_types: ['implicit'] });
    await realm.register({ ...hybrid, client_id: 'public', client_secret: undefined });
    signedIn = createTestBrowser();
    await signIn(realm, codeRequest, { browser: signedIn });
  });
  afterAll(() => realm?.close());

  const ask = async (changes: Record<string, string> = {}, browser = signedIn) => {
    const answer = await browser.get(realm.url + authorizePath({ ...request, ...changes }));
    const { inFragment, parameters } = readRedirect(answer);
    expect(inFragment).toBe(true);
    return parameters;
  };
  const redeem = (code = '', form: Record<string, string> = {}) =>
    realm.tokenRequest(hybrid, { grant_type: 'authorization_code', code, redirect_uri: callback, ...form });
  /** At this server, and in the status list that everybody else reads. */
  const stateOf = async (token = '') => {
    const isInForce = (await realm.send('/oauth/userinfo', { bearer: token })).status === 200;
    const isRevoked = await exchanges.isRevokedInList(token);
    return isInForce && !isRevoked ? 'alive' : isInForce || !isRevoked ? 'half dead' : 'dead';
  };

  const ofToken = ['access_token', 'expires_in', 'scope', 'token_type'];
  it.each([
    ['code id_token', ['id_token']],
    ['code token', ofToken],
    ['code id_token token', ['id_token', ...ofToken]],
    ['token code id_token', ['id_token', ...ofToken]],
  ])('answers %s in the fragment', async (response_type, members) => {
    const answered = await ask({ response_type, state: 's' });
    expect(Object.keys(answered).sort()).toEqual(['code', 'iss', 'state', ...members].sort());
    expect((await redeem(answered.code)).status).toBe(200);
  });

  it('answers by a form where that is asked for', async () => {
    const answer = await signedIn.get(realm.url + authorizePath({ ...request, response_mode: 'form_post' }));
    expect(answer.status).toBe(200);
    const names = ['access_token', 'code', 'expires_in', 'id_token', 'iss', 'scope', 'token_type'];
    expect(Object.keys(readHiddenFields(answer.text)).sort()).toEqual(names);
  });

  it('ties the ID token to the code and the token beside it, without claims of the scopes', async () => {
    const { code = '', access_token = '', id_token = '' } = await ask();
    const claims = readClaims(id_token);
    expect(claims).toMatchObject({ aud: hybrid.client_id, nonce: 'n' });
    expect([claims.c_hash, claims.at_hash]).toEqual([halfHash(code), halfHash(access_token)]);
    expect(claims).not.toHaveProperty('email');
    const beside = await ask({ response_type: 'code id_token' });
    const alone = readClaims(beside.id_token ?? '');
    expect(alone.c_hash).toBe(halfHash(beside.code ?? ''));
    for (const name of ['at_hash', 'email']) expect(alone).not.toHaveProperty(name);
  });

  it('says the same of the sign-in in both ID tokens (Core 3.3.3.6)', async () => {
    const { code, id_token = '' } = await ask();
    const [front, back] = [
      readClaims(id_token),
      readClaims((await redeem(code)).json<{ id_token: string }>().id_token),
    ];
    for (const name of ['iss', 'sub', 'sid', 'aud', 'nonce', 'auth_time', 'acr', 'amr']) {
      expect(front[name]).toEqual(back[name]);
      expect(front[name]).toBeDefined();
    }
    expect(back).not.toHaveProperty('c_hash');
  });

  it('needs a nonce with an ID token, and with a token alone none', async () => {
    for (const response_type of ['code id_token', 'code id_token token']) {
      expect(await ask({ response_type, nonce: '' })).toMatchObject({ error: 'invalid_request' });
    }
    const { access_token } = await ask({ response_type: 'code token', nonce: '' });
    expect(await stateOf(access_token)).toBe('alive');
  });

  it.each<[string, Record<string, string>, string]>([
    ['a client without implicit', { client_id: 'web' }, 'unauthorized_client'],
    ['a client without authorization_code', { client_id: 'implicit-alone' }, 'unauthorized_client'],
    ['the query', { response_mode: 'query' }, 'invalid_request'],
    ['no openid, with an ID token', { scope: 'profile' }, 'invalid_scope'],
    ['a thumbprint, with a token', { dpop_jkt: 'x'.repeat(43) }, 'invalid_request'],
    ['a public client without PKCE', { client_id: 'public' }, 'invalid_request'],
    ['a word twice', { response_type: 'code code token' }, 'unsupported_response_type'],
  ])('refuses %s, in the fragment', async (_what, changes, error) => {
    const answered = await ask({ ...changes, state: 's' });
    expect(answered).toEqual({ error, error_description: expect.any(String), state: 's', iss: realm.authUrl });
  });

  it('redeems the code with its verifier alone (RFC 7636)', async () => {
    const { verifier, parameters } = createPkce();
    const { code } = await ask(parameters);
    expect((await redeem(code)).json()).toMatchObject({ error: 'invalid_grant' });
    expect((await redeem(code, { code_verifier: verifier })).status).toBe(200);
  });

  it('binds the code to a key where no token comes beside it (RFC 9449 10)', async () => {
    const { code } = await ask({ response_type: 'code id_token', dpop_jkt: 'x'.repeat(43) });
    expect((await redeem(code)).json()).toMatchObject({ error: 'invalid_dpop_proof' });
  });

  describe('gives a token that', () => {
    const start = async (browser?: TestBrowser) => {
      const { code, access_token } = await ask({}, browser);
      expect(await stateOf(access_token)).toBe('alive');
      return { code, front: access_token };
    };

    it('ends where the code comes twice, as that of the code does; others stay', async () => {
      const [{ code, front }, other] = [await start(), await start()];
      const { access_token } = (await redeem(code)).json<{ access_token: string }>();
      expect([await stateOf(front), await stateOf(access_token)]).toEqual(['alive', 'alive']);
      expect((await redeem(code)).json()).toMatchObject({ error: 'invalid_grant' });
      expect([await stateOf(front), await stateOf(access_token)]).toEqual(['dead', 'dead']);
      expect(await stateOf(other.front)).toBe('alive');
    });

    it('ends with the refresh token of the code', async () => {
      const { code, front } = await start();
      const { refresh_token } = (await redeem(code)).json<{ refresh_token: string }>();
      expect((await exchanges.revoke(hybrid, refresh_token)).status).toBe(200);
      expect(await stateOf(front)).toBe('dead');
    });

    it('ends with the session, also where nobody redeemed the code', async () => {
      const browser = createTestBrowser();
      await signIn(realm, codeRequest, { browser });
      const { code, front } = await start(browser);
      const { id_token: hint = '' } = await ask({}, browser);
      const logout: Parameters = { id_token_hint: hint };
      await browser.get(`${realm.url}/oauth/logout?${new URLSearchParams(logout)}`);
      expect(await stateOf(front)).toBe('dead');
      expect((await redeem(code)).json()).toMatchObject({ error: 'invalid_grant' });
    });

    it('is revoked alone', async () => {
      const { code, front } = await start();
      expect((await exchanges.revoke(hybrid, front)).status).toBe(200);
      expect(await stateOf(front)).toBe('dead');
      const answer = await redeem(code);
      expect(await stateOf(answer.json<{ access_token: string }>().access_token)).toBe('alive');
    });
  });
});
