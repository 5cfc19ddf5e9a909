import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { accessTokenType, tokenExchange } from '../support/exchanges.ts';
import { administrator, passwordOf, type Realm, readClaims } from '../support/realm.ts';
import { buildSignedClient, presentAsToken, refusedEverywhere, verifyAnswer } from '../support/signed-answers.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const scope = 'openid profile email roles';

describe.each(testDialects)('signed userinfo (OpenID Connect Core 5.3.2), on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register(buildSignedClient(realm, { userinfo_signed_response_alg: 'RS256' }));
    await realm.register(buildSignedClient(realm, { client_id: 'by-es256', userinfo_signed_response_alg: 'ES256' }));
    await realm.register(buildSignedClient(realm, { client_id: 'plain' }));
  });
  afterAll(() => realm?.close());

  const tokensOf = (client_id: string) =>
    realm.tokens(buildSignedClient(realm, { client_id }), { ...passwordOf('user'), scope });
  const ask = async (client_id: string, method = 'GET') =>
    realm.send('/oauth/userinfo', { method, bearer: (await tokensOf(client_id)).access_token });

  it.each([
    ['RS256', 'signed'],
    ['ES256', 'by-es256'],
  ])('is a JWT by %s with the claims of the plain answer, for the client of the token', async (alg, clientId) => {
    const plain = (await ask('plain')).json<Record<string, unknown>>();
    expect(plain).toMatchObject({ sub: expect.any(String), email: 'user@example.com' });
    for (const method of ['GET', 'POST']) {
      const { status, headers, text } = await ask(clientId, method);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'application/jwt', 'no-store']);
      const { header, claims } = await verifyAnswer(realm, text, clientId);
      expect(header).toEqual({ alg, kid: expect.any(String) });
      // No exp, no nonce.
      expect(claims).toEqual({ ...plain, iss: realm.authUrl, aud: clientId });
    }
  });

  it('stays JSON where it fails', async () => {
    const { access_token: bearer } = await realm.tokens(buildSignedClient(realm), {
      ...passwordOf('user'),
      scope: 'profile',
    });
    const answer = await realm.send('/oauth/userinfo', { bearer });
    expect([answer.status, answer.json().error]).toEqual([403, 'insufficient_scope']);
  });

  it('begins and ends with the member of the client', async () => {
    const { access_token: bearer } = await tokensOf('plain');
    const typeAfter = async (alg: string | null) => {
      const json = { userinfo_signed_response_alg: alg };
      await realm.send('/clients/plain', { method: 'PATCH', basic: administrator, json });
      return (await realm.send('/oauth/userinfo', { bearer })).headers['content-type'];
    };
    expect(await typeAfter('ES256')).toBe('application/jwt');
    expect(await typeAfter(null)).toBe('application/json; charset=utf-8');
  });

  it('passes for no ID token and no subject token, where those do', async () => {
    const browser = createTestBrowser();
    await signIn(realm, { ...codeRequest, client_id: 'signed' }, { browser });
    const { access_token: token, id_token: hint = '' } = await tokensOf('signed');
    const { text } = await ask('signed');
    expect(readClaims(text)).toMatchObject({ sub: readClaims(hint).sub, aud: readClaims(hint).aud });
    expect(await presentAsToken(realm, browser, text)).toEqual(refusedEverywhere);
    const silent = { ...codeRequest, client_id: 'signed', prompt: 'none', id_token_hint: hint };
    expect(readRedirect(await browser.get(realm.url + authorizePath(silent))).parameters).toHaveProperty('code');
    const form = { grant_type: tokenExchange, subject_token: token, subject_token_type: accessTokenType };
    expect(await realm.tokens(buildSignedClient(realm), form)).toHaveProperty('access_token');
  });

  it('is no access token', async () => {
    const answer = await realm.send('/oauth/userinfo', { bearer: (await ask('signed')).text });
    expect([answer.status, answer.json().error]).toEqual([401, 'invalid_token']);
  });
});
