import {
  type Answer,
  assertionType,
  type ClientKey,
  createClientKey,
  createTestBrowser,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPkce, readRedirect, signIn } from '../support/browser.ts';
import { administrator, callback, type Realm, readClaims, type TokenAnswer } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

type Form = Record<string, string>;

describe.each(testDialects)('the code flow of a client with the profile fapi2, on %s', (dialect) => {
  let realm: Realm;
  const key = createClientKey();
  let registered = 0;
  let nonce = '';
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
  });
  afterAll(() => realm.close());

  const register = async (fields: object = { profile: 'fapi2' }) => {
    registered += 1;
    const client_id = `client-${registered}`;
    await realm.register({
      client_id,
      ...{ scope: ['openid', 'profile'], authorized_grant_types: ['authorization_code', 'refresh_token'] },
      ...{ redirect_uri: callback, jwks: { keys: [key.jwk] } },
      ...fields,
    });
    return client_id;
  };
  const patch = async (clientId: string, json: object) => {
    const answer = await realm.send(`/clients/${clientId}`, { basic: administrator, method: 'PATCH', json });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  };
  const now = () => Math.floor(realm.clock() / 1000);
  const post = async (path: string, clientId: string, form: Form, proofKey?: ClientKey): Promise<Answer> => {
    const send = () => {
      const assertion = key.assertion(clientId, realm.authUrl, { exp: now() + 60 });
      const claims = { htm: 'POST', htu: realm.authUrl + path, nonce, iat: now() };
      const headers: Form = proofKey === undefined ? {} : { dpop: proofKey.proof(claims) };
      const credentials = { client_assertion: assertion, client_assertion_type: assertionType };
      return realm.send(path, { form: { ...form, ...credentials }, headers });
    };
    const first = await send();
    nonce = String(first.headers['dpop-nonce'] ?? nonce);
    return first.text.includes('use_dpop_nonce') ? send() : first;
  };
  const push = (clientId: string, form: Form) =>
    post('/oauth/par', clientId, { response_type: 'code', scope: 'openid', ...form });
  const obtainCode = async (clientId: string) => {
    const { verifier, parameters } = createPkce();
    const pushed = await push(clientId, { redirect_uri: callback, ...parameters });
    expect([pushed.status, pushed.text]).toEqual([201, expect.any(String)]);
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const answer = await signIn(realm, { client_id: clientId, request_uri }, { browser: createTestBrowser() });
    const { code = '' } = readRedirect(answer).parameters;
    return { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  };
  const token = (clientId: string, form: Form, proofKey: ClientKey | undefined = key) =>
    post('/oauth/token', clientId, form, proofKey);
  const obtain = async (clientId: string, proofKey?: ClientKey) => {
    const answer = await post('/oauth/token', clientId, await obtainCode(clientId), proofKey);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json<TokenAnswer>();
  };
  const refresh = (clientId: string, { refresh_token = '' }: TokenAnswer, proofKey: ClientKey | undefined = key) =>
    token(clientId, { grant_type: 'refresh_token', refresh_token }, proofKey);
  const isActive = async (clientId: string, text = '') =>
    (await post('/oauth/introspect', clientId, { token: text })).json().active;
  const outcomeOf = ({ status, json }: Answer) => [status, json().error ?? json().refresh_token];

  it('gives tokens that are bound, an ID token by ES256, and at each refresh the same refresh token', async () => {
    const clientId = await register();
    const tokens = await obtain(clientId, key);
    expect(tokens.token_type).toBe('DPoP');
    const [header = ''] = (tokens.id_token ?? '').split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: 'ES256' });
    const other = createClientKey();
    for (const proofKey of [key, other]) {
      const answer = await refresh(clientId, tokens, proofKey);
      expect(outcomeOf(answer)).toEqual([200, tokens.refresh_token]);
    }
  });

  it('demands a proof, redirect_uri and PKCE', async () => {
    const clientId = await register();
    const { parameters } = createPkce();
    const scope = 'profile';
    expect(outcomeOf(await push(clientId, { scope, redirect_uri: callback }))).toEqual([400, 'invalid_request']);
    expect(outcomeOf(await push(clientId, { scope, ...parameters }))).toEqual([400, 'invalid_request']);
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    expect(outcomeOf(await post('/oauth/token', clientId, form))).toEqual([400, 'invalid_dpop_proof']);
  });

  it('ends a code after 60 seconds (FAPI 2.0 5.3.2.1, 11)', async () => {
    const clientId = await register();
    const [late, good] = [await obtainCode(clientId), await obtainCode(clientId)];
    realm.advance(58_000);
    expect((await token(clientId, good)).status).toBe(200);
    realm.advance(2_000);
    expect(outcomeOf(await token(clientId, late))).toEqual([400, 'invalid_grant']);
  });

  describe('that the client got by PATCH', () => {
    const lax = { token_endpoint_auth_method: 'private_key_jwt' };

    it('ends the codes, refresh tokens and access tokens from before, and nothing from afterwards', async () => {
      const clientId = await register(lax);
      const tokens = await obtain(clientId);
      const code = await obtainCode(clientId);
      await patch(clientId, { profile: 'fapi2' });
      for (const text of [tokens.access_token, tokens.refresh_token])
        expect(await isActive(clientId, text)).toBe(false);
      expect(outcomeOf(await refresh(clientId, tokens))).toEqual([400, 'invalid_grant']);
      expect(outcomeOf(await token(clientId, code))).toEqual([400, 'invalid_grant']);

      const later = await obtain(clientId, key);
      expect(readClaims<{ client_generation: number }>(later.access_token).client_generation).toBe(1);
      await patch(clientId, { profile: 'fapi2', client_name: 'The App' });
      for (const text of [later.access_token, later.refresh_token]) expect(await isActive(clientId, text)).toBe(true);
      expect(outcomeOf(await refresh(clientId, later))).toEqual([200, later.refresh_token]);
    });

    it('ends no code and no refresh token where the access tokens end for another reason, or the profile goes', async () => {
      const clientId = await register();
      const tokens = await obtain(clientId, key);
      const code = await obtainCode(clientId);
      await patch(clientId, { profile: null, scope: ['openid'] });
      expect(await isActive(clientId, tokens.access_token)).toBe(true);
      await patch(clientId, { require_consent: true });
      expect(await isActive(clientId, tokens.access_token)).toBe(false);
      await patch(clientId, { require_consent: false });
      expect((await token(clientId, code)).status).toBe(200);
      expect(outcomeOf(await refresh(clientId, tokens))).toEqual([200, tokens.refresh_token]);
    });
  });

  it('leaves a public client its rotation, until it has a key of its own', async () => {
    const clientId = await register({ jwks: undefined, dpop_bound_access_tokens: true });
    const { verifier, parameters } = createPkce();
    const asked = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      scope: 'openid',
      ...parameters,
    };
    const { code = '' } = readRedirect(await signIn(realm, asked)).parameters;
    const send = async (form: Form, proofKey = key) => {
      const claims = { htm: 'POST', htu: `${realm.authUrl}/oauth/token`, nonce, iat: now() };
      return realm.send('/oauth/token', {
        form: { client_id: clientId, ...form },
        headers: { dpop: proofKey.proof(claims) },
      });
    };
    const redemption = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
    const first = (await send(redemption)).json<TokenAnswer>();
    const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' };
    expect(outcomeOf(await send(form, createClientKey()))).toEqual([400, 'invalid_dpop_proof']);
    const second = (await send(form)).json<TokenAnswer>();
    expect(second.refresh_token).not.toBe(first.refresh_token);

    await patch(clientId, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } });
    expect(outcomeOf(await refresh(clientId, second, createClientKey()))).toEqual([200, second.refresh_token]);
  });
});
