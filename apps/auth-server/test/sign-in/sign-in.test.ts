import { randomBytes } from 'node:crypto';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import { type Answer, createTestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { en } from '../../src/pages/messages/en.ts';
import { createPageFrame } from '../../src/pages/page-frame.ts';
import { createBrowserCookies } from '../../src/sessions/browser-cookies.ts';
import { createSignInPlaceMaker } from '../../src/sign-in/sign-in-endpoint.ts';
import type { Attempts } from '../../src/upstreams/attempts.ts';
import { authorizePath, codeRequest, readRedirect, signIn, userForm } from '../support/browser.ts';
import { callback, encodeForm, type Realm, readClaims, startRealm, webClient } from '../support/realm.ts';

const cookieLines = (answer: Answer) => [answer.headers['set-cookie'] ?? []].flat();
const hidden = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';

/** The hidden fields of the form on a page, as a browser sends them back. */
const hiddenFields = (page: Answer) => ({
  form_token: hidden(page.text, 'form_token'),
  request: hidden(page.text, 'request').replaceAll('&amp;', '&'),
});

describe('sign-in page', () => {
  let realm: Realm;

  beforeAll(async () => {
    realm = await startRealm({ REALM: 'staff' });
    await realm.register(webClient);
  });
  afterAll(() => realm.close());

  const url = (extra: Record<string, string> = {}) =>
    realm.url + authorizePath({ ...codeRequest, state: 's', ...extra });
  const expectNotSignedIn = (answer: Answer, status: number) => {
    expect(answer.status).toBe(status);
    expect(answer.headers).not.toHaveProperty('location');
    expect(cookieLines(answer).join('\n')).not.toContain('session');
    expect(answer.text).toContain('name="password"');
    expect(answer.text).not.toContain('user-password');
  };

  it('is HTML of its own: one form, two fields, buttons to sign in, by a passkey too, to cancel, and to show the password', async () => {
    const { text, status } = await createTestBrowser().get(url());
    expect(status).toBe(200);
    expect(text.match(/<form/g)).toHaveLength(1);
    expect(text).toContain('method="post"');
    expect([...text.matchAll(/<button ([^>]*)>/g)].map(([, attributes = '']) => attributes)).toEqual([
      expect.stringMatching(/^type="button" .*\bhidden$/),
      'type="submit"',
      'type="button" id="passkey" class="second" hidden',
      'type="submit" name="decision" value="cancel" class="plain" formnovalidate',
    ]);
    expect(text).toMatch(/<input id="username" name="username" type="text"/);
    expect(text).toMatch(/<input id="password" name="password" type="password"/);
    expect(text.match(/<label for="(username|password)"/g)).toHaveLength(2);
    expect(text.match(/<script>/g)).toHaveLength(1);
    expect(text.match(/<script /g)).toEqual(['<script ']);
    expect(text).toContain('<script type="application/json" id="webauthn">{');
    expect(text).not.toMatch(/onload=|http:\/\/|https:\/\//);
    expect(text).toContain('staff');
    expect(text).toMatch(/<html lang="en">/);
  });

  it('takes the user on to the redirect_uri with 303, so that the password is not posted on (RFC 9700 4.12)', async () => {
    const answer = await signIn(realm, { ...codeRequest, state: 's' });
    expect(answer.status).toBe(303);
    const { target, parameters } = readRedirect(answer);
    expect(target).toBe(callback);
    expect(parameters).toEqual({ code: expect.any(String), state: 's', iss: realm.authUrl });
  });

  it('sets a session cookie that is HttpOnly, SameSite=Lax, for the whole host, and on http neither Secure nor prefixed', async () => {
    const [line = '', known = '', ...more] = cookieLines(await signIn(realm, codeRequest));
    expect(more).toEqual([]);
    expect(known).toMatch(
      /^gatehouse-known-browser=[\w-]+\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const [pair = '', ...attributes] = line.split('; ');
    expect(pair).toMatch(/^gatehouse-session=[\w-]{43}$/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax']);
  });

  it('starts a new session at each sign-in, and the former one ends', async () => {
    const browser = createTestBrowser();
    await signIn(realm, codeRequest, { browser });
    const first = browser.cookies()['gatehouse-session'];
    await signIn(realm, { ...codeRequest, prompt: 'login' }, { browser });
    const second = browser.cookies()['gatehouse-session'];
    expect(second).not.toBe(first);
    const withCookie = (session: string | undefined) =>
      realm.send(authorizePath(codeRequest), { headers: { cookie: `gatehouse-session=${session}` } });
    expect((await withCookie(first)).text).toContain('name="password"');
    expect((await withCookie(second)).status).toBe(302);
  });

  it('ignores a session cookie that it did not make, and never keeps its value', async () => {
    const planted = 'A'.repeat(43);
    const browser = createTestBrowser();
    const page = await browser.get(url());
    const cookie = `gatehouse-session=${planted}; gatehouse-browser=${browser.cookies()['gatehouse-browser']}`;
    const form = { ...userForm, ...hiddenFields(page) };
    const answer = await realm.send('/oauth/sign-in', { form, headers: { cookie } });
    expect(answer.status).toBe(303);
    expect(cookieLines(answer).join()).not.toContain(planted);
    expect((await realm.send(authorizePath(codeRequest), { headers: { cookie: 'gatehouse-session=' } })).status).toBe(
      200,
    );
  });

  it.each<[string, Record<string, string>]>([
    ['a wrong password', { ...userForm, password: 'wrong' }],
    ['an unknown user', { username: 'nobody@example.com', password: 'wrong' }],
    ['no password', { username: 'user@example.com', password: '' }],
    ['nothing', { username: '', password: '' }],
    ['a Robot', { username: 'robot@example.com', password: 'x' }],
  ])('says the same, and stays, with %s', async (_case, user) => {
    const answer = await signIn(realm, codeRequest, { user });
    expectNotSignedIn(answer, 400);
    expect(answer.text).toMatch(/role="alert"[^>]*>The username or the password is not right/);
    expect(answer.text).toContain(`value="${user.username}"`);
  });

  it('can be tried again after a wrong password, on the page that came', async () => {
    const browser = createTestBrowser();
    const wrong = await signIn(
      realm,
      { ...codeRequest, state: 's' },
      { browser, user: { ...userForm, password: 'wrong' } },
    );
    const answer = await browser.submit(wrong, `${realm.url}/oauth/sign-in`, userForm);
    expect(readRedirect(answer).parameters).toMatchObject({ state: 's', code: expect.any(String) });
  });

  describe('refuses with 403 a post that is forged', () => {
    const request = encodeForm({ ...codeRequest, state: 's' });
    const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
      realm.send('/oauth/sign-in', { form: { ...userForm, request, ...form }, headers });

    it('without a form token, or without the cookie it goes with', async () => {
      const browser = createTestBrowser();
      const page = await browser.get(url());
      const { form_token } = hiddenFields(page);
      expect(hiddenFields(page).request).toBe(request);
      const cookie = `gatehouse-browser=${browser.cookies()['gatehouse-browser']}`;
      expectNotSignedIn(await post({}), 403);
      expectNotSignedIn(await post({}, { cookie }), 403);
      expectNotSignedIn(await post({ form_token }), 403);
      expectNotSignedIn(await post({ form_token: `${form_token.slice(1)}A` }, { cookie }), 403);
      expectNotSignedIn(await post({ form_token }, { cookie: 'gatehouse-browser=short' }), 403);
      expect((await post({ form_token }, { cookie })).status).toBe(303);
    });

    it('with the token of another request of the same browser', async () => {
      const browser = createTestBrowser();
      const { form_token } = hiddenFields(await browser.get(url({ state: 'another' })));
      const cookie = `gatehouse-browser=${browser.cookies()['gatehouse-browser']}`;
      expectNotSignedIn(await post({ form_token }, { cookie }), 403);
      expectNotSignedIn(await post({ form_token, request: `${request}&nonce=another` }, { cookie }), 403);
    });

    it("with another browser's token", async () => {
      const [mine, theirs] = [createTestBrowser(), createTestBrowser()];
      const form_token = hidden((await mine.get(url())).text, 'form_token');
      await theirs.get(url());
      const cookie = `gatehouse-browser=${theirs.cookies()['gatehouse-browser']}`;
      expectNotSignedIn(await post({ form_token }, { cookie }), 403);
    });
  });

  it.each([
    '',
    'client_id=web',
    'client_id=nobody',
    `client_id=web&redirect_uri=https://evil.example.com/&scope=openid`,
  ])('does not go on with a request it would not have been shown for: %j', async (request) => {
    const browser = createTestBrowser();
    const page = await browser.get(url());
    const answer = await browser.post(`${realm.url}/oauth/sign-in`, {
      ...userForm,
      form_token: hidden(page.text, 'form_token'),
      request,
    });
    expect(String(answer.headers.location ?? '')).not.toContain('evil');
    expect(String(answer.headers.location ?? '')).not.toContain('code=');
    expect(browser.cookies()).not.toHaveProperty('gatehouse-session');
  });

  it.each([
    '"><script>alert(1)</script>',
    "' onfocus=alert(1) x='",
    '&lt;b&gt;',
    '</form><form action=//evil>',
    '\u202e🔑',
  ])('shows login_hint %j as text in the username field', async (login_hint) => {
    const { text } = await createTestBrowser().get(url({ login_hint, state: login_hint }));
    const escaped = login_hint
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;');
    expect(text).toContain(`value="${escaped}">`);
    expect(text.match(/<form/g)).toHaveLength(1);
    // The page's own, with its options, and no other.
    expect(text.match(/<script/g)).toHaveLength(2);
  });

  it('shows a username that was typed as text when the sign-in fails', async () => {
    const username = '"><img src=x onerror=alert(1)>';
    const { text } = await signIn(realm, codeRequest, { user: { username, password: 'x' } });
    expect(text).not.toContain('<img');
    expect(text).toContain('value="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"');
  });

  it('is not misled by two parameters of a form', async () => {
    const answer = await realm.send('/oauth/sign-in', {
      form: [
        ['username', 'a'],
        ['username', 'b'],
        ['request', encodeForm(codeRequest)],
      ],
    });
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect(answer.text).toContain('username');
  });
});

describe('sign-in page on https', () => {
  it('has cookies that are Secure and bound to the host by their prefix (RFC 6265bis 4.1.3)', async () => {
    const realm = await startRealm({ AUTH_URL: 'https://auth.example.com' });
    try {
      await realm.register(webClient);
      const browser = createTestBrowser();
      const page = await browser.get(realm.url + authorizePath(codeRequest));
      const answer = await browser.submit(page, realm.url + authorizePath(codeRequest), userForm);
      for (const line of [...cookieLines(page), ...cookieLines(answer)]) {
        const [pair = '', ...attributes] = line.split('; ');
        expect(pair).toMatch(/^__Host-gatehouse-(session=|browser=|known-browser=[\w-]+\.)[\w-]{43}$/);
        const isKept = pair.startsWith('__Host-gatehouse-known-browser');
        const lifetime = isKept ? ['Max-Age=15552000'] : [];
        expect(attributes.sort()).toEqual(['HttpOnly', ...lifetime, 'Path=/', 'SameSite=Lax', 'Secure']);
      }
      expect(Object.keys(browser.cookies()).sort()).toEqual([
        '__Host-gatehouse-browser',
        '__Host-gatehouse-known-browser',
        '__Host-gatehouse-session',
      ]);
      const { parameters } = readRedirect(answer);
      expect(parameters.iss).toBe('https://auth.example.com');
      const form = { grant_type: 'authorization_code', code: parameters.code ?? '', redirect_uri: callback };
      const { access_token } = await realm.tokens(webClient, form);
      expect(readClaims(access_token).iss).toBe('https://auth.example.com');
    } finally {
      await realm.close();
    }
  });
});

describe('the form of the sign-in page', () => {
  it('names no time to wait where the password could not be checked for a reason that nobody foresaw', async () => {
    const createSignInPlace = createSignInPlaceMaker({
      config: { realm: 'main', displayName: undefined, requireMfa: [] },
      upstreamAttempts: { listUsable: async () => [], findUsable: async () => undefined } as unknown as Attempts,
      upstreamBudget: { spend: async () => undefined },
      signInByUpstream: {
        signIn: async () => ({ outcome: 'refused' }),
        link: async () => ({ outcome: 'void' }),
      },
      log: { warn: () => {} },
      settings: { glance: async () => undefined },
      findSignedIn: async () => undefined,
      signInByPassword: async () => ({ outcome: 'unchecked', error: new Error('hush') }),
      signInByPasskey: async () => ({ outcome: 'refused' }),
      secondSteps: {
        byCode: async () => ({ outcome: 'void' }),
        byPasskey: async () => ({ outcome: 'void' }),
        setUp: async () => ({ outcome: 'void' }),
      },
      rememberedBrowsers: { days: 0, remember: async () => '' },
      setUpLinks: { areNeeded: async () => false, request: async () => ({ outcome: 'changed' }) },
      passkeys: {
        isForAll: true,
        mayBeMade: async () => false,
        mayBeUsed: async () => false,
        askForAny: async () => undefined,
        askForOneOf: async () => undefined,
        askForNew: async () => undefined,
        read: async () => undefined,
      },
      clock: Date.now,
      browserCookies: createBrowserCookies({ authUrl: 'http://auth.example.com', formKey: randomBytes(32) }),
    });
    const place = createSignInPlace({ belong: () => ({ carried: '' }), describe: () => ({}), returnTo: () => '/' });
    const frame = {
      authUrl: 'http://auth.example.com',
      ...{ displayName: undefined, logo: undefined, logoDark: undefined, accentColours: undefined },
      ...{ helpUrl: undefined, privacyUrl: undefined, termsUrl: undefined },
      favicon: { mediaType: 'image/svg+xml' as const, bytes: Buffer.from('<svg/>') },
    };
    const app = Fastify().decorate('pageFrame', createPageFrame(frame));
    await app.register(cookie);
    await app.register(formbody, { parser: (encoded) => ({ encoded }) });
    place.register(app, { read: () => '', goOn: ({ reply }) => reply.send('signed in') });
    app.get('/', (request, reply) => place.show({ request, reply }, ''));
    const page = await app.inject('/');
    const answer = await app.inject({
      method: 'POST',
      url: '/oauth/sign-in',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `form_token=${hidden(page.payload, 'form_token')}`,
      cookies: Object.fromEntries(page.cookies.map(({ name, value }) => [name, value])),
    });
    expect(answer.statusCode).toBe(500);
    expect(answer.payload).toContain(en.signIn.unavailable);
    expect(answer.headers).not.toHaveProperty('retry-after');
    await app.close();
  });
});
