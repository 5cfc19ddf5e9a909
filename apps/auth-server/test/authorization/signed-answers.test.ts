import { type Answer, createTestBrowser, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, createPkce, readRedirect, signIn } from '../support/browser.ts';
import { openBody, registerDynamically } from '../support/dynamic-clients.ts';
import { administrator, callback, type Realm } from '../support/realm.ts';
import { buildSignedClient, presentAsToken, refusedEverywhere, verifyAnswer } from '../support/signed-answers.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const request = { ...codeRequest, client_id: 'signed', nonce: 'n', state: 's 1' };

describe.each(testDialects)('signed answers of the authorization endpoint (JARM), on %s', (dialect) => {
  let realm: Realm;
  let browser: TestBrowser;
  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'open' });
    await realm.register(buildSignedClient(realm));
    await realm.register(
      buildSignedClient(realm, { client_id: 'by-es256', authorization_signed_response_alg: 'ES256' }),
    );
    browser = createTestBrowser();
    await signIn(realm, request, { browser });
  });
  afterAll(() => realm?.close());

  const ask = (changes: Record<string, string>) => browser.get(realm.url + authorizePath({ ...request, ...changes }));
  /** The answer is one parameter: the JWT. */
  const readSigned = (answer: Answer) => {
    const { target, inFragment, parameters } = readRedirect(answer);
    expect([target, Object.keys(parameters)]).toEqual([callback, ['response']]);
    return { inFragment, jwt: parameters.response ?? '' };
  };
  const verify = (jwt: string, clientId = 'signed') => verifyAnswer(realm, jwt, clientId);
  const inSeconds = () => Math.floor(realm.clock() / 1000);

  it.each([
    ['jwt', 'code', false],
    ['query.jwt', 'code', false],
    ['fragment.jwt', 'code', true],
    ['jwt', 'token', true],
    ['jwt', 'id_token', true],
    ['fragment.jwt', 'id_token token', true],
    ['jwt', 'code id_token', true],
    ['fragment.jwt', 'code token', true],
    ['jwt', 'code id_token token', true],
  ])('by %s go with %s into the query or the fragment', async (response_mode, response_type, isInFragment) => {
    const { inFragment, jwt } = readSigned(await ask({ response_mode, response_type }));
    expect(inFragment).toBe(isInFragment);
    const { claims } = await verify(jwt);
    const words = response_type.split(' ').map((word) => (word === 'token' ? 'access_token' : word));
    for (const word of words) expect(claims).toHaveProperty(word);
  });

  it('hold all of the plain answer, the issuer, the client and ten minutes, and have no typ', async () => {
    const { header, claims } = await verify(readSigned(await ask({ response_mode: 'jwt' })).jwt);
    expect(header).toEqual({ alg: 'RS256', kid: expect.any(String) });
    const { exp = 0, ...others } = claims;
    const code = expect.stringMatching(/^[\w-]{43}$/);
    expect(others).toEqual({ iss: realm.authUrl, aud: 'signed', code, state: 's 1' });
    expect(Math.abs(exp - inSeconds() - 600)).toBeLessThanOrEqual(5);
    const implicit = { response_mode: 'jwt', response_type: 'id_token token' };
    const { claims: tokens } = await verify(readSigned(await ask(implicit)).jwt);
    const names = ['access_token', 'aud', 'exp', 'expires_in', 'id_token', 'iss', 'scope', 'state', 'token_type'];
    expect(Object.keys(tokens).sort()).toEqual(names);
    // As the parameter of the plain answer.
    expect(tokens.expires_in).toBe('900');
  });

  it('have a code that works', async () => {
    const { claims } = await verify(readSigned(await ask({ response_mode: 'jwt' })).jwt);
    const form = { grant_type: 'authorization_code', code: claims.code as string, redirect_uri: callback };
    expect(await realm.tokens(buildSignedClient(realm), form)).toHaveProperty('id_token');
  });

  it('are signed by ES256 for a client with authorization_signed_response_alg ES256', async () => {
    const { jwt } = readSigned(await ask({ response_mode: 'jwt', client_id: 'by-es256' }));
    const { header } = await verify(jwt, 'by-es256');
    expect(header).toEqual({ alg: 'ES256', kid: expect.any(String) });
  });

  it('follow a change of authorization_signed_response_alg', async () => {
    await realm.register(buildSignedClient(realm, { client_id: 'changing' }));
    const algorithmNow = async () => {
      const { jwt } = readSigned(await ask({ response_mode: 'jwt', client_id: 'changing' }));
      return (await verify(jwt, 'changing')).header.alg;
    };
    for (const [alg, expected] of [
      ['ES256', 'ES256'],
      [null, 'RS256'],
    ]) {
      const json = { authorization_signed_response_alg: alg };
      await realm.send('/clients/changing', { method: 'PATCH', basic: administrator, json });
      expect(await algorithmNow()).toBe(expected);
    }
  });

  it('are one field of a form by form_post.jwt', async () => {
    const { status, text } = await ask({ response_mode: 'form_post.jwt' });
    expect([status, text]).toEqual([200, expect.stringContaining(`<form method="post" action="${callback}">`)]);
    const fields = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
    expect(fields.map(([, name]) => name)).toEqual(['response']);
    expect((await verify(fields[0]?.[2] ?? '')).claims).toMatchObject({ code: expect.any(String), state: 's 1' });
  });

  it('are asked for by a pushed request as well', async () => {
    const { client_id, client_secret } = buildSignedClient(realm);
    const basic: [string, string] = [client_id, client_secret];
    const pushed = await realm.send('/oauth/par', { basic, form: { ...request, response_mode: 'jwt' } });
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const answer = await browser.get(realm.url + authorizePath({ client_id, request_uri }));
    expect((await verify(readSigned(answer).jwt)).claims).toMatchObject({ code: expect.any(String), state: 's 1' });
  });

  describe('are errors too', () => {
    it.each<[string, Record<string, string>, string, boolean]>([
      ['an unknown scope', { scope: 'openid nonsense' }, 'invalid_scope', false],
      ['prompt=none with another', { prompt: 'none login' }, 'invalid_request', false],
      ['a token without a nonce', { response_type: 'id_token', nonce: '' }, 'invalid_request', true],
      ['another response type', { response_type: 'saml' }, 'unsupported_response_type', false],
    ])('%s', async (_case, changes, error, isInFragment) => {
      const { inFragment, jwt } = readSigned(await ask({ response_mode: 'jwt', ...changes }));
      const { header, claims } = await verify(jwt);
      expect([inFragment, header.typ]).toEqual([isInFragment, undefined]);
      const { exp: _exp, ...others } = claims;
      expect(others).toEqual({
        ...{ iss: realm.authUrl, aud: 'signed', error, state: 's 1' },
        error_description: expect.any(String),
      });
    });

    it.each([...['token', 'id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token']])(
      'query.jwt with %s, in the fragment',
      async (response_type) => {
        const { inFragment, jwt } = readSigned(await ask({ response_mode: 'query.jwt', response_type }));
        const { claims } = await verify(jwt);
        expect([inFragment, claims.error, claims.error_description]).toEqual([
          ...[true, 'invalid_request'],
          'response_mode query.jwt is for response_type code only: a token never goes into the query',
        ]);
      },
    );

    it('behind the page that asks before a website of open registration', async () => {
      const stranger = await registerDynamically(realm).register(openBody);
      const [redirect_uri = ''] = stranger.redirect_uris;
      const asked = { ...request, client_id: stranger.client_id, redirect_uri, ...createPkce().parameters };
      const { status, text } = await ask({ ...asked, response_mode: 'jwt', scope: 'nonsense' });
      const [, link = ''] = /<a href="([^"]*)">[^<]*agent\.example\.com/.exec(text) ?? [];
      const [target, jwt = ''] = link.split('?response=');
      expect([status, target]).toEqual([400, redirect_uri]);
      const { claims } = await verify(jwt, stranger.client_id);
      expect(claims).toMatchObject({ error: 'invalid_scope', state: 's 1' });
    });
  });

  it.each(['JWT', 'jwt.query', 'query.jwt.jwt', '.jwt'])('are not asked for by response_mode %s', async (mode) => {
    const { parameters } = readRedirect(await ask({ response_mode: mode }));
    expect(parameters).toMatchObject({ error: 'invalid_request', state: 's 1' });
  });

  it('pass for no ID token and no subject token', async () => {
    for (const response_type of ['code', 'id_token']) {
      const { jwt } = readSigned(await ask({ response_mode: 'jwt', response_type }));
      expect(await presentAsToken(realm, browser, jwt)).toEqual(refusedEverywhere);
    }
  });
});
