import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { callback, type Realm, readClaims, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const client = {
  ...webClient,
  client_id: 'carried',
  authorized_grant_types: ['authorization_code', 'refresh_token', 'implicit'],
  ...{ id_token_scope_claims: true },
};
const asker = { ...client, client_id: 'asker', authorized_grant_types: ['authorization_code', 'refresh_token'] };

describe.each(testDialects)('a client with id_token_scope_claims, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register(webClient);
    await realm.register(client);
    await realm.register({ ...asker, ...{ require_consent: true } });
  });
  afterAll(() => realm.close());

  const requestOf = (client_id: string, scope: string) => ({ ...codeRequest, client_id, scope, nonce: 'n' });
  const redeem = (client_id: string, code = '') =>
    realm.tokens({ ...client, client_id }, { grant_type: 'authorization_code', code, redirect_uri: callback });
  const obtain = async (client_id: string, scope: string) => {
    const answer = await signIn(realm, requestOf(client_id, scope));
    return redeem(client_id, readRedirect(answer).parameters.code);
  };

  it('gets the claims of the granted scopes in the ID token of the code flow', async () => {
    const { id_token = '', access_token, refresh_token = '' } = await obtain('carried', 'openid profile email roles');
    const claims = readClaims(id_token);
    const userinfo = (await realm.send('/oauth/userinfo', { bearer: access_token })).json<Record<string, unknown>>();
    expect(claims).toMatchObject(userinfo);
    expect(userinfo).toMatchObject({ email: 'user@example.com', given_name: 'Ursula', roles: [] });
    expect(claims).toMatchObject({ nonce: 'n', at_hash: expect.any(String), sid: expect.any(String) });
    const refreshed = await realm.tokens(client, { grant_type: 'refresh_token', refresh_token });
    expect(readClaims(refreshed.id_token ?? '')).toMatchObject(userinfo);
  });

  it('gets no claim of a scope that was not granted', async () => {
    const claims = readClaims((await obtain('carried', 'openid email')).id_token ?? '');
    expect(claims).toMatchObject({ email: 'user@example.com', email_verified: expect.any(Boolean) });
    for (const name of ['name', 'given_name', 'preferred_username', 'locale', 'roles']) {
      expect(claims).not.toHaveProperty(name);
    }
  });

  it('is alone in that: for others, and in the implicit flow, userinfo has them', async () => {
    const other = readClaims((await obtain('web', 'openid profile email')).id_token ?? '');
    expect(other).not.toHaveProperty('email');
    const request = { ...requestOf('carried', 'openid profile email'), response_type: 'id_token token' };
    const implicit = readRedirect(await signIn(realm, request)).parameters;
    expect(readClaims(implicit.id_token ?? '')).not.toHaveProperty('email');
  });

  it('gets no more than the user allows, where it asks for consent', async () => {
    const browser = createTestBrowser();
    const allow = async (scope: string) => {
      const url = realm.url + authorizePath(requestOf('asker', scope));
      const page = await signIn(realm, requestOf('asker', `${scope}`), { browser });
      return readRedirect(await browser.submit(page, url, { decision: 'allow' })).parameters.code;
    };
    const { id_token = '', refresh_token = '' } = await redeem('asker', await allow('openid email offline_access'));
    expect(readClaims(id_token)).toMatchObject({ email: 'user@example.com' });
    expect(readClaims(id_token)).not.toHaveProperty('name');
    const consents = `${realm.url}/oauth/consents`;
    await browser.submit(await browser.get(consents), consents);
    const refused = await realm.tokenRequest(
      { ...client, client_id: 'asker' },
      { grant_type: 'refresh_token', refresh_token },
    );
    expect(refused.status).toBe(400);
  });
});
