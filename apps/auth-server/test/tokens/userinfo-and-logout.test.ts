import { callWithProof, createClientKey, createTestBrowser, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { interruptNext } from '../support/interruption.ts';
import { callback, encodeForm, passwordOf, type Realm, readClaims, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const afterwards = 'https://app.example.com/signed-out';

describe.each(testDialects)('what the user sees of itself, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register({ ...webClient, post_logout_redirect_uris: [afterwards, `${afterwards}?from=here`] });
    const robot = {
      scope: ['openid'],
      authorized_grant_types: ['service_account'],
      srvc_ac_user_name: 'robot@example.com',
    };
    await realm.register({ client_id: 'robot', client_secret: 'robot-secret', ...robot });
    await realm.register({
      ...webClient,
      client_id: 'machine',
      authorized_grant_types: ['client_credentials', 'implicit'],
    });
  });
  afterAll(() => realm.close());

  describe('/oauth/userinfo (OpenID Connect Core 5.3)', () => {
    const path = '/oauth/userinfo';
    const tokenFor = async (scope: string) =>
      (await realm.tokens(webClient, { ...passwordOf('admin'), scope })).access_token;

    it.each([
      ['openid', []],
      ['openid email', ['email', 'email_verified']],
      ['openid roles', ['roles']],
      [
        'openid profile',
        ['family_name', 'given_name', 'locale', 'name', 'preferred_username', 'updated_at', 'zoneinfo'],
      ],
    ])('opens with scope %s the claims %j (Core 5.4)', async (scope, claims) => {
      const bearer = await tokenFor(scope);
      const answer = await realm.send(path, { bearer });
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(Object.keys(answer.json()).sort()).toEqual([...claims, 'sub'].sort());
      expect(answer.json().sub).toBe(readClaims(bearer).sub);
    });

    it('tells who the user is', async () => {
      const answer = await realm.send(path, { bearer: await tokenFor('openid profile email roles') });
      expect(answer.json()).toMatchObject({
        name: 'Ada Admin',
        given_name: 'Ada',
        preferred_username: 'admin@example.com',
        email: 'admin@example.com',
        roles: ['SystemAdministrator'],
        updated_at: expect.any(Number),
      });
    });

    it('takes the token in the header or in a posted form, not in both, and not in the query (RFC 6750 2)', async () => {
      const access_token = await tokenFor('openid');
      expect((await realm.send(path, { method: 'POST', bearer: access_token })).status).toBe(200);
      expect((await realm.send(path, { form: { access_token } })).status).toBe(200);
      const both = await realm.send(path, { bearer: access_token, form: { access_token } });
      expect([both.status, both.json().error]).toEqual([400, 'invalid_request']);
      expect((await realm.send(`${path}?access_token=${access_token}`)).status).toBe(401);
    });

    it('answers 401 without an error code where there is no token (RFC 6750 3.1)', async () => {
      const answer = await realm.send(path);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        expect.stringMatching(/^Bearer(?!.*error)/),
      ]);
      expect(answer.headers).not.toHaveProperty('retry-after');
    });

    it('answers 500 without a challenge where it fails itself', async () => {
      const bearer = await tokenFor('openid');
      const isMet = interruptNext(realm.deps.database, /FROM status_revocations/, {
        before: () => Promise.reject(new Error('out of order')),
      });
      const answer = await realm.send(path, { bearer });
      expect([isMet(), answer.status, answer.json().error]).toEqual([true, 500, 'server_error']);
      expect(answer.headers).not.toHaveProperty('www-authenticate');
    });

    it('answers 401 invalid_token to one that is not in force for a user', async () => {
      const machine = await realm.tokens(
        { client_id: 'machine', client_secret: 'web-secret' },
        { grant_type: 'client_credentials' },
      );
      const { id_token = '' } = await realm.tokens(webClient, passwordOf('user'));
      for (const bearer of [machine.access_token, id_token, 'nonsense', 'a b']) {
        const answer = await realm.send(path, { bearer });
        expect([answer.status, answer.json().error]).toEqual([401, 'invalid_token']);
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/);
      }
    });

    it('answers 403 insufficient_scope without scope openid (RFC 6750 3.1)', async () => {
      const answer = await realm.send(path, { bearer: await tokenFor('profile email') });
      expect([answer.status, answer.json().error]).toEqual([403, 'insufficient_scope']);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="insufficient_scope"/);
    });

    it('answers for a Robot as well', async () => {
      const { access_token } = await realm.tokens(
        { client_id: 'robot', client_secret: 'robot-secret' },
        { grant_type: 'client_credentials' },
      );
      expect((await realm.send(path, { bearer: access_token })).json()).toEqual({ sub: readClaims(access_token).sub });
    });

    it('wants the proof of the key that the token is bound to, with a nonce of its own (RFC 9449 7.1)', async () => {
      const [key, other] = [createClientKey(), createClientKey()];
      const [basic, form] = [[webClient.client_id, webClient.client_secret], passwordOf('user')] as const;
      const issued = await callWithProof(`${realm.url}/oauth/token`, key, { basic: [...basic], form });
      const { access_token: accessToken } = issued.json<{ access_token: string }>();
      const url = `${realm.url}${path}`;
      expect((await callWithProof(url, key, { accessToken })).status).toBe(200);

      const claims = { htm: 'GET', htu: url, accessToken };
      const show = (dpop: string) =>
        realm.send(path, { headers: { authorization: `DPoP ${accessToken}`, dpop, 'x-request-id': 'request-1' } });
      const unnonced = await show(key.proof(claims));
      expect([unnonced.status, unnonced.json().error]).toEqual([401, 'use_dpop_nonce']);
      expect(unnonced.headers['www-authenticate']).toMatch(/^DPoP algs="[^"]+", error="use_dpop_nonce", /);
      const nonce = unnonced.headers['dpop-nonce'];
      for (const proof of [
        other.proof({ ...claims, nonce }),
        key.proof({ ...claims, nonce, htm: 'POST' }),
        key.proof({ htm: 'GET', htu: url, nonce }),
        key.proof({ ...claims, nonce, accessToken: 'another' }),
      ]) {
        const refused = await show(proof);
        expect([refused.status, refused.json().error]).toEqual([401, 'invalid_dpop_proof']);
        expect(refused.headers['www-authenticate']).toMatch(/^DPoP algs="[^"]+", error="invalid_dpop_proof", /);
      }
      expect((await realm.send(path, { bearer: accessToken })).status).toBe(401);
    });

    it('describes an error in the characters of RFC 6750 3', async () => {
      const answer = await realm.send(path, {
        form: [
          ['access_token', 'a'],
          ['access_token', 'b'],
        ],
      });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request']);
      expect(answer.json().error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    });
  });

  describe('/oauth/logout (RP-Initiated Logout 1.0)', () => {
    const url = (query = '') => `${realm.url}/oauth/logout${query}`;
    const isSignedIn = async (browser: TestBrowser) =>
      readRedirect(await browser.get(realm.url + authorizePath({ ...codeRequest, prompt: 'none' }))).parameters.code !==
      undefined;
    const start = async (scope = 'openid') => {
      const browser = createTestBrowser();
      const { code = '' } = readRedirect(await signIn(realm, { ...codeRequest, scope }, { browser })).parameters;
      const tokens = await realm.tokens(webClient, { grant_type: 'authorization_code', code, redirect_uri: callback });
      expect(await isSignedIn(browser)).toBe(true);
      return { browser, tokens };
    };
    const refresh = async (refresh_token = '') =>
      (await realm.tokenRequest(webClient, { grant_type: 'refresh_token', refresh_token })).status;

    it('ends the session at once with an id_token_hint of it, by GET and by POST', async () => {
      for (const send of ['get', 'post'] as const) {
        const { browser, tokens } = await start();
        const id_token_hint = tokens.id_token ?? '';
        const answer =
          send === 'get'
            ? await browser.get(url(`?id_token_hint=${id_token_hint}`))
            : await browser.post(url(), { id_token_hint });
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
        expect(answer.text).not.toContain('<form');
        expect(browser.cookies()).not.toHaveProperty('gatehouse-session');
        expect(await isSignedIn(browser)).toBe(false);
      }
    });

    it('names the user whom it asks, and asks also where the organization does not answer', async () => {
      const { browser } = await start();
      expect((await browser.get(url())).text).toContain('You are signed in as user@example.com.');
      await realm.stopOrganization();
      try {
        const question = await browser.get(url());
        expect(question.text).not.toContain('You are signed in as');
        expect((await browser.submit(question, url())).text).toContain('You are signed out');
        expect(browser.cookies()).not.toHaveProperty('gatehouse-session');
      } finally {
        await realm.startOrganization();
      }
    });

    it('takes an id_token_hint that has expired for what it was: of this session at once, of another after the question', async () => {
      const [own, other] = [await start(), await start()];
      realm.advance(2 * 3_600_000);
      expect((await own.browser.get(url(`?id_token_hint=${other.tokens.id_token}`))).text).toContain(
        '<form method="post"',
      );
      expect(await isSignedIn(own.browser)).toBe(true);
      await own.browser.get(url(`?id_token_hint=${own.tokens.id_token}`));
      expect(await isSignedIn(own.browser)).toBe(false);
    });

    it('ends it at once with the hint of a refresh with offline access, whose sid goes with the session', async () => {
      const { browser, tokens } = await start('openid offline_access');
      const refreshNow = async (refresh_token = '') => {
        const answer = await realm.tokens(webClient, { grant_type: 'refresh_token', refresh_token });
        return { ...answer, sid: readClaims<{ sid?: string }>(answer.id_token ?? '').sid };
      };
      const { sid } = readClaims<{ sid?: string }>(tokens.id_token ?? '');
      const first = await refreshNow(tokens.refresh_token);
      const second = await refreshNow(first.refresh_token);
      expect([first.sid, second.sid]).toEqual([sid, sid]);
      const answer = await browser.get(url(`?id_token_hint=${second.id_token}`));
      expect(answer.text).not.toContain('<form');
      expect(await isSignedIn(browser)).toBe(false);
      expect((await refreshNow(second.refresh_token)).sid).toBeUndefined();
    });

    it('a refresh gives no sid of a session that has expired', async () => {
      const { tokens } = await start('openid offline_access');
      realm.advance(12 * 3_600_000);
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
      const { id_token = '' } = await realm.tokens(webClient, form);
      expect(readClaims(id_token)).not.toHaveProperty('sid');
    });

    it('ends it in the database, so that a copied cookie is worth nothing', async () => {
      const { browser, tokens } = await start();
      const cookie = `gatehouse-session=${browser.cookies()['gatehouse-session']}`;
      await browser.get(url(`?id_token_hint=${tokens.id_token}`));
      const answer = await realm.send(authorizePath({ ...codeRequest, prompt: 'none' }), { headers: { cookie } });
      expect(readRedirect(answer).parameters.error).toBe('login_required');
    });

    it('ends the refresh tokens of the session, and not those of offline access (Core 11)', async () => {
      const online = await start('openid');
      const offline = await start('openid offline_access');
      for (const { browser, tokens } of [online, offline]) await browser.get(url(`?id_token_hint=${tokens.id_token}`));
      expect(await refresh(online.tokens.refresh_token)).toBe(400);
      expect(await refresh(offline.tokens.refresh_token)).toBe(200);
    });

    it('asks first where nothing proves that the user means it, and ends the session when the form comes back', async () => {
      const { browser } = await start();
      const others = await realm.tokens(webClient, passwordOf('admin'));
      const withoutSid = await realm.tokens(webClient, passwordOf('user'));
      const { tokens: ofAnotherSession } = await start();
      const hints = [others, withoutSid, ofAnotherSession].map(({ id_token }) => `?id_token_hint=${id_token}`);
      for (const query of ['', '?client_id=web&state=s', ...hints]) {
        const answer = await browser.get(url(query));
        expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('<form method="post"')]);
        expect(await isSignedIn(browser)).toBe(true);
      }
      await browser.submit(await browser.get(url()), url());
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('shows what is wrong, and ends nothing, with a hint that is none of this server or of another client', async () => {
      const { browser, tokens } = await start();
      const queries = [
        '?id_token_hint=nonsense',
        `?id_token_hint=${tokens.access_token}`,
        `?id_token_hint=${tokens.id_token}&client_id=machine`,
      ];
      for (const query of queries) {
        const answer = await browser.get(url(query));
        expect([answer.status, answer.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
        expect(answer.text).toContain('id_token_hint');
        expect(await isSignedIn(browser)).toBe(true);
      }
    });

    it('is not done by a forged post', async () => {
      const { browser } = await start();
      const attacker = createTestBrowser();
      const { browser: theirs } = await start();
      const page = await theirs.get(url());
      const form_token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
      expect(form_token).not.toBe('');
      const forged: Record<string, string>[] = [{}, { form_token: 'x' }, { form_token }];
      for (const form of forged) {
        await browser.post(url(), form);
        expect(await isSignedIn(browser)).toBe(true);
      }
      expect((await attacker.post(url(), { form_token })).status).toBe(200);
    });

    it('has the browser come again by GET where a post from elsewhere brought no cookie', async () => {
      const { browser, tokens } = await start();
      const form = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: afterwards, state: 'a b' };
      const posted = await realm.send('/oauth/logout', { form });
      expect([posted.status, posted.headers['cache-control']]).toEqual([303, 'no-store']);
      const location = String(posted.headers.location);
      expect(location).toBe(`logout?${encodeForm(form)}`);
      const answer = await browser.get(new URL(location, url()).href);
      expect([answer.status, answer.headers.location]).toEqual([303, `${afterwards}?state=a+b`]);
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('says that the user is signed out where nobody is signed in', async () => {
      const answer = await createTestBrowser().get(url());
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('signed out');
    });

    it.each([
      'post_logout_redirect_uri=https://evil.example.com/&state=x',
      'client_id=web&post_logout_redirect_uri=https://evil.example.com/',
      `client_id=web&post_logout_redirect_uri=${afterwards}/`,
      `client_id=nobody&post_logout_redirect_uri=${afterwards}`,
      `client_id=machine&post_logout_redirect_uri=${afterwards}`,
      `post_logout_redirect_uri=${afterwards}`,
    ])('redirects to nowhere that the client did not register: %s', async (query) => {
      const { browser } = await start();
      for (const visitor of [browser, createTestBrowser()]) {
        const answer = await visitor.get(url(`?${query}`));
        expect(answer.status).toBe(400);
        expect(answer.headers).not.toHaveProperty('location');
        expect(answer.text).not.toContain('evil');
      }
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('goes back to a post_logout_redirect_uri that was registered, with state, once the user is signed out', async () => {
      const { browser, tokens } = await start();
      const request = { post_logout_redirect_uri: afterwards, state: 's &=' };
      const hinted = encodeForm({ ...request, id_token_hint: tokens.id_token ?? '' });
      const answer = await browser.get(url(`?${hinted}`));
      expect([answer.status, answer.headers.location]).toEqual([303, `${afterwards}?state=s+%26%3D`]);
      expect(await isSignedIn(browser)).toBe(false);
      const again = await browser.get(url(`?${encodeForm({ ...request, client_id: 'web' })}`));
      expect([again.status, again.headers.location]).toEqual([303, `${afterwards}?state=s+%26%3D`]);
    });

    it('adds state to the query that a post_logout_redirect_uri has', async () => {
      const query = encodeForm({ client_id: 'web', post_logout_redirect_uri: `${afterwards}?from=here`, state: 's' });
      const answer = await createTestBrowser().get(url(`?${query}`));
      expect([answer.status, answer.headers.location]).toEqual([303, `${afterwards}?from=here&state=s`]);
    });

    it('takes the client_id of an id_token_hint beside it', async () => {
      const { browser, tokens } = await start();
      expect((await browser.get(url(`?client_id=web&id_token_hint=${tokens.id_token}`))).status).toBe(200);
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('says that the user is signed out to a browser whose session ended before', async () => {
      const { browser, tokens } = await start();
      const cookie = `gatehouse-session=${browser.cookies()['gatehouse-session']}`;
      await browser.get(url(`?id_token_hint=${tokens.id_token}`));
      const answer = await realm.send('/oauth/logout', { headers: { cookie } });
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('You are signed out')]);
    });

    it('says nothing of a sign-out where the request cannot be checked', async () => {
      const isMet = interruptNext(realm.deps.database, /FROM clients WHERE client_id IN .*"unread"/, {
        before: () => Promise.reject(new Error('out of reach')),
      });
      const query = encodeForm({ client_id: 'unread', post_logout_redirect_uri: afterwards });
      const answer = await createTestBrowser().get(url(`?${query}`));
      expect([isMet(), answer.status]).toEqual([true, 500]);
      expect(answer.text).not.toContain('signed out');
    });

    it('goes back after the question as well, and the form fits the request it was asked for alone', async () => {
      const { browser } = await start();
      const query = encodeForm({ client_id: 'web', post_logout_redirect_uri: afterwards });
      const page = await browser.get(url(`?${query}`));
      expect(page.text).toContain('<form method="post"');
      const form_token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
      await browser.post(url(), { form_token, request: 'client_id=web' });
      expect(await isSignedIn(browser)).toBe(true);
      const answer = await browser.submit(page, url());
      expect([answer.status, answer.headers.location]).toEqual([303, afterwards]);
      expect(await isSignedIn(browser)).toBe(false);
    });
  });
});
