import { type Answer, createTestBrowser, type TestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, createPkce, type Parameters, readRedirect, signIn } from '../support/browser.ts';
import { callback, passwordOf, type Realm, readClaims, startRealm, webClient } from '../support/realm.ts';

const spa = {
  ...webClient,
  client_id: 'spa',
  client_secret: undefined,
  authorized_grant_types: ['authorization_code', 'implicit'],
  redirect_uri: 'https://spa.example.com/cb?tenant=a%20b',
};

describe('GET /oauth/authorize', () => {
  let realm: Realm;
  let signedIn: TestBrowser;

  beforeAll(async () => {
    realm = await startRealm();
    await realm.register(webClient);
    await realm.register(spa);
    await realm.register({ ...webClient, client_id: 'careful', ...{ require_pkce: true } });
    await realm.register({
      ...webClient,
      client_id: 'headless',
      redirect_uri: undefined as never,
      authorized_grant_types: ['password'],
    });
    signedIn = createTestBrowser();
    await signIn(realm, codeRequest, { browser: signedIn });
  });
  afterAll(() => realm.close());

  const ask = (parameters: Parameters) => realm.send(authorizePath(parameters));
  const askSignedIn = (parameters: Parameters) => signedIn.get(realm.url + authorizePath(parameters));
  const expectPage = (answer: Answer, status: number) => {
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['x-frame-options']).toBe('DENY');
    expect(answer.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(answer.headers).not.toHaveProperty('location');
  };
  const expectShown = (answer: Answer) => {
    expectPage(answer, 400);
    expect(answer.text).toContain('role="alert"');
    expect(answer.text).not.toContain('<form');
    // The one link goes to the start page of this server.
    expect(answer.text.match(/<a [^>]*>/g)).toEqual(['<a href="/">']);
  };

  describe('shows to the user, and never redirects (RFC 6749 4.1.2.1)', () => {
    it.each<[string, Parameters]>([
      ['no client_id', { ...codeRequest, client_id: '' }],
      ['an unknown client_id', { ...codeRequest, client_id: 'nobody' }],
      ['a client_id in another case', { ...codeRequest, client_id: 'Web' }],
      ['a client_id sent twice', [...Object.entries(codeRequest), ['client_id', 'web']]],
      ['a redirect_uri sent twice', [...Object.entries(codeRequest), ['redirect_uri', callback]]],
      ['a redirect_uri sent twice, one empty', [['redirect_uri', ''], ...Object.entries(codeRequest)]],
      ['a client without redirect_uri', { ...codeRequest, client_id: 'headless' }],
      ['no redirect_uri with scope openid (Core 3.1.2.1)', { ...codeRequest, redirect_uri: '' }],
    ])('%s', async (_case, parameters) => {
      expectShown(await ask(parameters));
    });

    it.each<[string, Parameters, RegExp, [name: string, value: string][]]>([
      ['that client_id is missing', { ...codeRequest, client_id: '' }, /client_id is missing/, []],
      [
        'the client_id that is unknown',
        { ...codeRequest, client_id: 'nobody' },
        /No application is registered here under this client_id/,
        [['client_id', 'nobody']],
      ],
      [
        'the application that has no address',
        { ...codeRequest, client_id: 'headless' },
        /it registered no redirect_uri/,
        [['client_id', 'headless']],
      ],
      [
        'the address that is not the one of the application',
        { ...codeRequest, redirect_uri: 'https://elsewhere.example.com/' },
        /is not the one this application registered/,
        [
          ['redirect_uri', 'https://elsewhere.example.com/'],
          ['client_id', 'web'],
        ],
      ],
    ])('%s', async (_what, parameters, fault, came) => {
      const { text } = await ask(parameters);
      expect(text).toMatch(fault);
      const details = [...text.matchAll(/<dt>(\w+)<\/dt><dd><code>([^<]*)</g)];
      expect(details.map(([, name, value]) => [name, value])).toEqual(came);
    });

    it('which parameter came twice', async () => {
      for (const name of ['client_id', 'redirect_uri']) {
        const { text } = await ask([...Object.entries(codeRequest), [name, 'x']]);
        expect(text).toContain(`The application sent ${name} more than once.`);
      }
    });

    it.each([
      `${callback}/`,
      `${callback}?`,
      `${callback}?x=1`,
      `${callback}#`,
      `${callback}#x`,
      `${callback}/../callback`,
      `${callback}%2F`,
      'https://app.example.com/Callback',
      'https://APP.example.com/callback',
      'HTTPS://app.example.com/callback',
      'http://app.example.com/callback',
      'https://app.example.com:443/callback',
      'https://app.example.com:8443/callback',
      'https://app.example.com/%63allback',
      'https://user@app.example.com/callback',
      'https://app.example.com@evil.example.com/callback',
      'https://app.example.com.evil.example.com/callback',
      'https://evil.example.com/?https://app.example.com/callback',
      '//app.example.com/callback',
      '/callback',
      'javascript:alert(1)',
      ` ${callback}`,
      `${callback} `,
      `${callback}\n`,
      `${callback}\0`,
    ])('the redirect_uri %j, which is not the very string that is registered (RFC 9700 2.1)', async (redirect_uri) => {
      expectShown(await ask({ ...codeRequest, redirect_uri }));
      expectShown(await askSignedIn({ ...codeRequest, redirect_uri, prompt: 'none', response_mode: 'form_post' }));
    });
  });

  describe('sends back to the redirect_uri, with state and iss (RFC 6749 4.1.2.1, RFC 9207)', () => {
    const pkce = createPkce().parameters;
    it.each<[string, Record<string, string>, string]>([
      ['no response_type', { response_type: '' }, 'invalid_request'],
      ['an unknown response_type', { response_type: 'magic' }, 'unsupported_response_type'],
      [
        'a hybrid response_type of a client without implicit',
        { response_type: 'code id_token' },
        'unauthorized_client',
      ],
      ['a response_type of a grant the client lacks', { response_type: 'token' }, 'unauthorized_client'],
      ['a scope beyond the client', { scope: 'openid admin' }, 'invalid_scope'],
      ['an unknown response_mode', { response_mode: 'smoke' }, 'invalid_request'],
      ['PKCE by plain (RFC 9700 2.1.1)', { ...pkce, code_challenge_method: 'plain' }, 'invalid_request'],
      ['PKCE without a method, which would be plain', { code_challenge: pkce.code_challenge }, 'invalid_request'],
      ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
      ['a challenge that is none', { ...pkce, code_challenge: 'short' }, 'invalid_request'],
      ['an unknown prompt', { prompt: 'maybe' }, 'invalid_request'],
      ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
      ['prompt=none without a session (Core 3.1.2.6)', { prompt: 'none' }, 'login_required'],
      ['a max_age that is no number', { max_age: '-1' }, 'invalid_request'],
      ['an id_token_hint that is none', { id_token_hint: 'nonsense' }, 'invalid_request'],
      [
        'an essential acr that the server does not have (Core 5.5.1.1)',
        { claims: '{"id_token":{"acr":{"essential":true,"value":"urn:example:acr"}}}' },
        'unmet_authentication_requirements',
      ],
      ['a thumbprint that is none (RFC 9449 10)', { dpop_jkt: 'short' }, 'invalid_request'],
      ['a nonce that is too long', { nonce: 'n'.repeat(513) }, 'invalid_request'],
      ['a registration', { registration: '{}' }, 'registration_not_supported'],
    ])('%s', async (_case, changes, error) => {
      const state = 'a b&c=d#é"<>';
      const answer = await ask({ ...codeRequest, ...changes, state });
      expect(answer.status).toBe(302);
      const { target, parameters, inFragment } = readRedirect(answer);
      const isToken = changes.response_type === 'token';
      const isHybrid = changes.response_type === 'code id_token';
      expect([target, inFragment]).toEqual([callback, isToken || isHybrid]);
      expect(parameters).toEqual({
        error,
        error_description: expect.stringMatching(/^[\x20-\x7e]+$/),
        state,
        iss: realm.authUrl,
      });
    });

    it('a thumbprint for tokens that no key is proven for (RFC 9449 10)', async () => {
      const dpop_jkt = 'x'.repeat(43);
      const request = { ...codeRequest, client_id: 'spa', redirect_uri: spa.redirect_uri, nonce: 'n', dpop_jkt };
      const { location } = readRedirect(await ask({ ...request, response_type: 'id_token' }));
      const answered = new URLSearchParams(location.split('#')[1]);
      expect(answered.get('error_description')).toBe('dpop_jkt is for response_type code only');
    });

    it('a parameter sent twice; of a repeated state, none', async () => {
      const twice = await ask([...Object.entries({ ...codeRequest, state: 's' }), ['scope', 'openid']]);
      expect(readRedirect(twice).parameters).toMatchObject({ error: 'invalid_request', state: 's' });
      const states = await ask([...Object.entries(codeRequest), ['state', 'one'], ['state', 'two']]);
      expect(readRedirect(states).parameters).toMatchObject({ error: 'invalid_request' });
      expect(readRedirect(states).parameters).not.toHaveProperty('state');
      // RFC 6749 4.1.2.1: printable ASCII without quotation mark and backslash.
      for (const name of ['scope', 'größe', 'a"b\\c']) {
        const { parameters } = readRedirect(await ask([...Object.entries(codeRequest), [name, '1'], [name, '2']]));
        expect(parameters.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      }
    });

    it('a response_mode sent twice, in the mode of a request that names none', async () => {
      const modes: [string, string][] = ['fragment', 'form_post'].map((mode) => ['response_mode', mode]);
      const { parameters, inFragment } = readRedirect(await ask([...Object.entries(codeRequest), ...modes]));
      expect([parameters.error, inFragment]).toEqual(['invalid_request', false]);
    });

    it('the lack of PKCE in the request of a public client (RFC 9700 2.1.1)', async () => {
      const answer = await ask({ ...codeRequest, client_id: 'spa', redirect_uri: spa.redirect_uri });
      expect(readRedirect(answer).location).toMatch(
        /^https:\/\/spa\.example\.com\/cb\?tenant=a%20b&error=invalid_request&/,
      );
      expect(readRedirect(answer).location).toContain('a+public+client+must+send+code_challenge');
    });

    it('the lack of PKCE in the request of a client that is registered so', async () => {
      const answer = await ask({ ...codeRequest, client_id: 'careful' });
      expect(readRedirect(answer).parameters).toMatchObject({
        error: 'invalid_request',
        error_description: 'this client must send code_challenge (PKCE, S256)',
      });
    });

    it('an error of form_post as a form, with every value escaped', async () => {
      const state = '"><script>alert(1)</script>';
      const answer = await ask({ ...codeRequest, response_mode: 'form_post', prompt: 'none', state });
      expectPage(answer, 200);
      expect(answer.text).toContain(`<form method="post" action="${callback}">`);
      expect(answer.text).toContain('name="error" value="login_required"');
      expect(answer.text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
      expect(answer.text).not.toContain('<script>alert');
    });
  });

  describe('answers a user who is signed in', () => {
    it('with a code, state and iss in the query, without asking again', async () => {
      const answer = await askSignedIn({ ...codeRequest, state: 'ünï+ &' });
      expect([answer.status, answer.headers['cache-control']]).toEqual([302, 'no-store']);
      const { target, inFragment, parameters } = readRedirect(answer);
      expect([target, inFragment]).toEqual([callback, false]);
      expect(parameters).toEqual({ code: expect.stringMatching(/^[\w-]{43}$/), state: 'ünï+ &', iss: realm.authUrl });
    });

    it('with a nonce and ui_locales of up to 512 characters', async () => {
      const answer = await askSignedIn({ ...codeRequest, nonce: 'n'.repeat(512), ui_locales: 'x'.repeat(512) });
      expect(readRedirect(answer).parameters).toHaveProperty('code');
      const refused = await askSignedIn({ ...codeRequest, ui_locales: 'x'.repeat(513) });
      expect(readRedirect(refused).parameters.error).toBe('invalid_request');
    });

    it('in the fragment or by form_post where that is asked (Multiple Response Types 2.1)', async () => {
      expect(readRedirect(await askSignedIn({ ...codeRequest, response_mode: 'fragment' })).inFragment).toBe(true);
      const { inFragment, parameters } = readRedirect(await askSignedIn({ ...codeRequest, response_mode: 'query' }));
      expect([inFragment, parameters]).toEqual([false, expect.objectContaining({ code: expect.any(String) })]);
      const posted = await askSignedIn({ ...codeRequest, response_mode: 'form_post', state: 's' });
      expectPage(posted, 200);
      expect(posted.text).toMatch(/name="code" value="[\w-]{43}"/);
      expect(posted.text).toContain('<button type="submit">');
    });

    it('with prompt=none, and not with prompt=login or select_account', async () => {
      expect(readRedirect(await askSignedIn({ ...codeRequest, prompt: 'none' })).parameters).toHaveProperty('code');
      for (const prompt of ['login', 'select_account', 'login consent']) {
        const answer = await askSignedIn({ ...codeRequest, prompt });
        expectPage(answer, 200);
        expect(answer.text).toContain('name="password"');
      }
    });

    it('only while the sign-in is recent enough for max_age (Core 3.1.2.1)', async () => {
      realm.advance(30_000);
      expect(readRedirect(await askSignedIn({ ...codeRequest, max_age: '600' })).parameters).toHaveProperty('code');
      expect((await askSignedIn({ ...codeRequest, max_age: '10' })).text).toContain('name="password"');
      const none = await askSignedIn({ ...codeRequest, max_age: '10', prompt: 'none' });
      expect(readRedirect(none).parameters.error).toBe('login_required');
    });

    it('only where it is the user of id_token_hint (Core 3.1.2.2)', async () => {
      const hintOf = async (name: 'user' | 'admin') => (await realm.tokens(webClient, passwordOf(name))).id_token ?? '';
      const [own, other] = [await hintOf('user'), await hintOf('admin')];
      expect(readRedirect(await askSignedIn({ ...codeRequest, id_token_hint: own })).parameters).toHaveProperty('code');
      const none = await askSignedIn({ ...codeRequest, id_token_hint: other, prompt: 'none' });
      expect(readRedirect(none).parameters.error).toBe('login_required');
      const wrong = await signIn(realm, { ...codeRequest, id_token_hint: other });
      expect(readRedirect(wrong).parameters.error).toBe('login_required');
    });

    it('only where id_token_hint and the sub of the parameter claims name the same user', async () => {
      const { id_token: hint = '' } = await realm.tokens(webClient, passwordOf('user'));
      const askFor = async (sub: string) => {
        const claims = JSON.stringify({ id_token: { sub: { value: sub } } });
        return readRedirect(await askSignedIn({ ...codeRequest, id_token_hint: hint, claims })).parameters;
      };
      expect(await askFor(readClaims<{ sub: string }>(hint).sub)).toHaveProperty('code');
      expect(await askFor('another-user')).toMatchObject({
        error: 'invalid_request',
        error_description: expect.stringContaining('must name the same user'),
      });
    });

    it('without redirect_uri where the client has one and asks for no ID token (RFC 6749 3.1.2.3)', async () => {
      const answer = await askSignedIn({ ...codeRequest, redirect_uri: '', scope: 'profile' });
      expect(readRedirect(answer)).toMatchObject({ target: callback, parameters: { code: expect.any(String) } });
    });

    it('not once the session is over', async () => {
      const browser = createTestBrowser();
      await signIn(realm, codeRequest, { browser });
      realm.advance(12 * 3_600_000);
      expect((await browser.get(realm.url + authorizePath(codeRequest))).text).toContain('name="password"');
      await signIn(realm, codeRequest, { browser: signedIn });
    });
  });

  describe('implicit (RFC 6749 4.2, OpenID Connect Core 3.2)', () => {
    const request = {
      response_type: 'token',
      client_id: 'spa',
      redirect_uri: spa.redirect_uri,
      scope: 'openid profile',
      nonce: 'n',
    };

    it.each([
      ['token', ['access_token', 'expires_in', 'iss', 'scope', 'state', 'token_type']],
      ['id_token', ['id_token', 'iss', 'state']],
      ['id_token token', ['access_token', 'expires_in', 'id_token', 'iss', 'scope', 'state', 'token_type']],
      ['token id_token', ['access_token', 'expires_in', 'id_token', 'iss', 'scope', 'state', 'token_type']],
    ])('answers %s in the fragment', async (response_type, members) => {
      const { location, parameters } = readRedirect(await askSignedIn({ ...request, response_type, state: 's' }));
      expect(location).toMatch(/^https:\/\/spa\.example\.com\/cb\?tenant=a%20b#/);
      const inFragment = Object.fromEntries(new URLSearchParams(location.split('#')[1]));
      expect(Object.keys(inFragment).sort()).toEqual(members);
      expect(parameters).not.toHaveProperty('access_token');
      if (inFragment.id_token === undefined) return;
      const claims = readClaims(inFragment.id_token);
      expect(claims).toMatchObject({ aud: 'spa', nonce: 'n' });
      expect('at_hash' in claims).toBe(inFragment.access_token !== undefined);
    });

    it('answers by response_mode fragment or form_post where that is asked for', async () => {
      const { location } = readRedirect(await askSignedIn({ ...request, response_mode: 'fragment' }));
      expect(location.split('#')).toEqual([
        expect.not.stringContaining('access_token'),
        expect.stringContaining('access_token='),
      ]);
      const posted = await askSignedIn({ ...request, response_mode: 'form_post' });
      expect([posted.status, posted.headers.location]).toEqual([200, undefined]);
      expect(posted.text).toContain('name="access_token"');
    });

    it('gives no refresh token, and an access token that works', async () => {
      const { location } = readRedirect(await askSignedIn(request));
      const token = new URLSearchParams(location.split('#')[1]).get('access_token') ?? '';
      expect((await realm.send('/oauth/userinfo', { bearer: token })).json()).toMatchObject({
        preferred_username: 'user@example.com',
      });
      expect(location).not.toContain('refresh_token');
    });

    it('gives an access token that ends with the session', async () => {
      const browser = createTestBrowser();
      const asked = { ...request, response_type: 'id_token token' };
      const { location } = readRedirect(await signIn(realm, asked, { browser }));
      const answered = new URLSearchParams(location.split('#')[1]);
      const [hint, bearer] = [answered.get('id_token') ?? '', answered.get('access_token') ?? ''];
      expect((await realm.send('/oauth/userinfo', { bearer })).status).toBe(200);
      const logout = new URLSearchParams({ id_token_hint: hint });
      expect((await browser.get(`${realm.url}/oauth/logout?${logout}`)).text).toContain('You are signed out');
      expect((await realm.send('/oauth/userinfo', { bearer })).status).toBe(401);
    });

    it.each([
      [{ response_mode: 'query' }, 'invalid_request'],
      [{ response_type: 'id_token', nonce: '' }, 'invalid_request'],
      [{ response_type: 'id_token', scope: 'profile' }, 'invalid_scope'],
    ])('refuses %j, and says so in the fragment', async (changes, error) => {
      const { location } = readRedirect(await askSignedIn({ ...request, ...changes }));
      expect(new URLSearchParams(location.split('#')[1]).get('error')).toBe(error);
    });
  });

  describe('by POST (OpenID Connect Core 3.1.2.1)', () => {
    const longest = 12_288;
    const postOf = (length: number) => {
      const start = new URLSearchParams({ ...codeRequest, state: '' }).toString();
      return realm.send('/oauth/authorize', {
        form: { ...codeRequest, state: 's'.repeat(length - start.length) },
      });
    };

    it('has the browser come again by GET, with the same parameters', async () => {
      const { status, headers } = await postOf(longest);
      expect([status, headers['cache-control']]).toEqual([303, 'no-store']);
      const location = String(headers.location);
      expect(location).toMatch(/^authorize\?response_type=code&client_id=web&/);
      expect(location).toHaveLength('authorize?'.length + longest);
    });

    it('is refused where the address would be too long', async () => {
      const answer = await postOf(longest + 1);
      expect(answer.status).toBe(400);
      expect(answer.headers).not.toHaveProperty('location');
      expect(answer.text).toContain('the request is longer than 12288 characters');
    });
  });
});
