import { call, createClientKey, createTestBrowser, showCode, showEarlierCode, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { createPkce, readRedirect } from '../support/browser.ts';
import { withinOneSecond } from '../support/organization.ts';
import { callback, type Realm, readClaims, webClient } from '../support/realm.ts';
import { startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const mfa = 'urn:gatehouse:acr:mfa';

describe.each(testDialects)('sign-in at an upstream on %s', (dialect) => {
  let realm: Realm;
  let server: UpstreamServer;
  let play: UpstreamPlay;
  let username: string;

  beforeAll(async () => {
    [realm, server] = await Promise.all([startRealmOn(dialect), startUpstreamServer()]);
    play = await playUpstream(realm, server);
  });
  afterAll(async () => {
    server.close();
    await realm.close();
  });
  beforeEach(async () => {
    await play.register();
    username = await play.addUser();
  });

  it('is a button of the page, which asks the upstream for one browser and one request', async () => {
    const browser = createTestBrowser();
    const url = play.startPage({ login_hint: 'me@corp.example', ui_locales: 'de', max_age: '600', prompt: 'login' });
    const page = await browser.get(url);
    expect(page.text).toContain('name="upstream" value="corp"');
    expect(page.text).toContain('Corp &lt;SSO&gt;');
    const address = new URL(await play.leave(browser, url));
    const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(address.searchParams);
    expect(address.origin + address.pathname).toBe(`${server.issuer}/authorize`);
    expect(rest).toEqual({
      ...{ client_id: 'gatehouse', response_type: 'code', scope: 'openid profile email' },
      redirect_uri: `${realm.authUrl}/oauth/upstreams/corp/callback`,
      ...{ code_challenge_method: 'S256', login_hint: 'me@corp.example', ui_locales: 'de' },
      ...{ prompt: 'login', max_age: '600' },
    });
    for (const value of [state, nonce, challenge]) expect(value).toMatch(/^[\w-]{43}$/);
    const other = new URL(await play.leave(browser, url));
    expect(other.searchParams.get('state')).not.toBe(state);
    expect(other.searchParams.get('nonce')).not.toBe(nonce);
  });

  it('asks an unknown account for one sign-in as before, then whether it may sign in as that user', async () => {
    const sub = play.account({ email: 'someone@corp.example', email_verified: true, name: 'Some One' });
    const browser = createTestBrowser();
    const page = await play.goThere(browser);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('someone@corp.example')]);
    expect(page.text).toContain('Corp &lt;SSO&gt;');
    const asked = await play.signInHere(browser, page, username);
    expect(asked.text).toContain(en.upstream.linkTitle);
    expect(asked.text).toContain('someone@corp.example');
    expect(asked.text).toContain(username);
    expect(play.codeOf(await play.submit(browser, asked, { decision: 'link' }))).toEqual(expect.any(String));

    const again = createTestBrowser();
    const verifier = createPkce();
    const done = await play.goThere(
      again,
      play.startPage({ code_challenge: verifier.challenge, code_challenge_method: 'S256' }),
    );
    const { id_token = '' } = await realm.tokens(webClient, {
      ...{ grant_type: 'authorization_code', code: play.codeOf(done) ?? '', redirect_uri: callback },
      code_verifier: verifier.verifier,
    });
    expect(readClaims(id_token)).toMatchObject({ acr: 'urn:gatehouse:acr:password', amr: ['fed'] });
    expect(sub).not.toBe('');
  });

  it('links nothing where the user says no, or was signed in already', async () => {
    play.account();
    const browser = createTestBrowser();
    const asked = await play.signInHere(browser, await play.goThere(browser), username);
    expect(play.codeOf(await play.submit(browser, asked, { decision: 'refuse' }))).toEqual(expect.any(String));
    expect((await play.submit(browser, asked, { decision: 'link' })).text).toContain(en.upstream.notLinked);
    // The session that exists answers the request, and is asked nothing.
    play.account({ auth_time: Math.floor(Date.now() / 1000) });
    const page = await play.goThere(browser, play.startPage({ prompt: 'login' }));
    expect(page.text).toContain(en.upstream.ask.slice(-40));
    expect(play.codeOf(await browser.get(play.startPage()))).toEqual(expect.any(String));
  });

  it('gives the same page, whether a user has the address or not', async () => {
    await play.register({ link: 'verified_email', email_domains: ['example.com'] });
    const unverified = await play.addUser({ email: `${play.unique()}@example.com` });
    const administrator = await play.addUser({ roles: ['DirectoryReader'], emailVerified: true });
    const pages: string[] = [];
    for (const email of ['nobody-at-all@example.com', username, unverified, administrator]) {
      const sub = play.account({ email, email_verified: true });
      const page = await play.goThere(createTestBrowser());
      expect(page.status).toBe(200);
      pages.push(
        page.text
          .replaceAll(email, '…')
          .replaceAll(sub, '…')
          .replace(/value="[^"]*"|"challenge":"[^"]*"/g, ''),
      );
    }
    expect(new Set(pages).size).toBe(1);
  });

  it('is once, of one browser and one upstream', async () => {
    play.account();
    const browser = createTestBrowser();
    const back = await play.signInThere(await play.leave(browser));
    expect((await play.comeBack(createTestBrowser(), back)).status).toBe(400);
    await play.register({ alias: 'other' });
    expect((await play.comeBack(browser, back.replace('/corp/', '/other/'))).status).toBe(400);
    await play.administer('DELETE', '/other');
    const fresh = await play.signInThere(await play.leave(browser));
    const [one, two] = await Promise.all([browser.get(fresh), browser.get(fresh)]);
    expect([one.status, two.status].sort()).toEqual([303, 400]);
    expect((await browser.get(fresh)).status).toBe(400);
  });

  it('is once at two replicas, at each of its steps', async () => {
    const replica = await startReplica(realm, {});
    try {
      play.account();
      await play.link(username);
      const browser = createTestBrowser();
      const back = await play.signInThere(await play.leave(browser));
      const bothOf = (path: string) =>
        Promise.all([realm.url, replica.url].map((url) => browser.get(path.replace(realm.url, url))));
      const answers = await bothOf(back);
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
      const [led] = answers.filter(({ status }) => status === 303);
      const results = await bothOf(realm.url + led?.headers.location);
      expect(results.map((answer) => play.codeOf(answer)).filter((code) => code !== undefined)).toHaveLength(1);

      play.account();
      const visitor = createTestBrowser();
      const asked = await play.signInHere(visitor, await play.goThere(visitor), await play.addUser());
      const decided = await Promise.all(
        [realm.url, replica.url].map((url) => visitor.submit(asked, `${url}/oauth/sign-in`, { decision: 'link' })),
      );
      expect(decided.map((answer) => play.codeOf(answer)).filter((code) => code !== undefined)).toHaveLength(1);
      expect(decided.map(({ status }) => status)).toContain(403);
    } finally {
      await replica.close();
    }
  });

  it.each<[string, Partial<UpstreamServer['said']>]>([
    ['another issuer', { idToken: { iss: 'https://evil.example' } }],
    ['another audience', { idToken: { aud: 'another' } }],
    ['another nonce', { idToken: { nonce: 'a nonce of before' } }],
    ['a time that is over', { idToken: { exp: 1 } }],
    ['a key that it did not publish', { key: createClientKey('ES256') }],
    ['an issuer of the answer that is another', { answer: { iss: 'https://evil.example' } }],
    ['no issuer of the answer, which is announced', { answer: { iss: undefined } }],
    ['userinfo of another subject', { userinfo: { sub: 'another subject' } }],
    ['an error', { answer: { code: undefined, error: 'access_denied' } }],
    ['an error of its token endpoint', { statuses: { '/token': 500 } }],
    // At a path of its own: a failure counts for a second, for the tests after this one too.
    ['no keys', { metadata: { jwks_uri: '/no-keys' }, statuses: { '/no-keys': 500 } }],
    ['no userinfo, which is announced', { statuses: { '/userinfo': 500 } }],
  ])('shows the page again, with a fault, for %s', async (_what, said) => {
    const { key } = server.said;
    const sub = play.account();
    Object.assign(server.said, said, said.idToken && { idToken: { sub, ...said.idToken } });
    const browser = createTestBrowser();
    const page = await play.goThere(browser);
    server.said.key = key;
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Corp &lt;SSO&gt;')]);
    expect(page.text).toContain('name="password"');
    expect(page.headers.location).toBeUndefined();
    expect(play.codeOf(await play.signInHere(browser, page, username))).toEqual(expect.any(String));
  });

  it('leaves the way here open while the upstream is down', async () => {
    server.said.statuses = { '/.well-known/openid-configuration': 503 };
    await play.administer('PATCH', '/corp', { display_name: 'Corp SSO' });
    const browser = createTestBrowser();
    const url = play.startPage({ upstream: 'corp' });
    const page = await browser.get(url);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Corp SSO')]);
    expect(play.codeOf(await play.signInHere(browser, page, username))).toEqual(expect.any(String));
  });

  it('goes there at once for the parameter upstream; an unknown or disabled alias shows the page', async () => {
    const answer = await createTestBrowser().get(play.startPage({ upstream: 'corp' }));
    expect(play.locationOf(answer)).toContain(server.issuer);
    expect((await createTestBrowser().get(play.startPage({ upstream: 'nobody' }))).text).toContain('name="password"');
    const none = await createTestBrowser().get(play.startPage({ upstream: 'corp', prompt: 'none' }));
    expect(readRedirect(none).parameters.error).toBe('login_required');
    await play.administer('PATCH', '/corp', { enabled: false });
    const page = await createTestBrowser().get(play.startPage({ upstream: 'corp' }));
    expect(page.text).toContain('name="password"');
    expect(page.text).not.toContain('name="upstream"');
  });

  it('ends open attempts where the upstream is disabled, deleted or made again', async () => {
    play.account();
    const browser = createTestBrowser();
    const back = await play.signInThere(await play.leave(browser));
    await play.administer('PATCH', '/corp', { enabled: false });
    expect((await play.comeBack(browser, back)).status).toBe(400);
    await play.administer('PATCH', '/corp', { enabled: true });
    const later = await play.signInThere(await play.leave(browser));
    await play.register();
    expect((await play.comeBack(browser, later)).status).toBe(400);
  });

  it('refuses unknown accounts where nobody links', async () => {
    play.account({ email: 'x@corp.example' });
    await play.administer('PATCH', '/corp', { link: 'never' });
    const page = await play.goThere(createTestBrowser());
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('x@corp.example')]);
  });

  it('refuses a disabled user, and one whose account was unlinked here', async () => {
    play.account();
    const browser = createTestBrowser();
    await play.link(username, browser);
    await play.organization.change(username, { enabled: false });
    const page = await play.goThere(createTestBrowser());
    expect([page.status, page.headers.location]).toEqual([400, undefined]);
    await play.organization.change(username, { enabled: true });
    await withinOneSecond(async () => {
      expect(play.codeOf(await play.goThere(createTestBrowser()))).toEqual(expect.any(String));
    });
    await play.organization.unlinkAll(username);
    const asked = await play.goThere(createTestBrowser());
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining(en.upstream.ask.slice(-40))]);
  });

  it('goes on in two windows of a browser at the same time, each for its own request', async () => {
    play.account();
    await play.link(username);
    const browser = createTestBrowser();
    const [one, two] = [play.startPage({ state: 'one' }), play.startPage({ state: 'two' })];
    const [first, second] = [await play.leave(browser, one), await play.leave(browser, two)];
    const states: unknown[] = [];
    for (const address of [second, first]) {
      const { parameters } = readRedirect(await play.comeBack(browser, await play.signInThere(address)));
      states.push([parameters.state, parameters.code]);
    }
    expect(states).toEqual([
      ['two', expect.any(String)],
      ['one', expect.any(String)],
    ]);
  });

  it('asks for the second step of the user, and demands it for a link', async () => {
    const essential = JSON.stringify({ id_token: { acr: { essential: true, value: mfa } } });
    const setting = createTestBrowser();
    const page = await play.signInHere(setting, await setting.get(play.startPage({ claims: essential })), username);
    const secret = /name="secret" value="([A-Z2-7]{32})"/.exec(page.text)?.[1] ?? '';
    const shown = await play.submit(setting, page, { code: await showEarlierCode(secret) });
    const [, recoveryCode = ''] = /<code>([0-9A-Z-]{19})<\/code>/.exec(shown.text) ?? [];

    play.account();
    const browser = createTestBrowser();
    const step = await play.signInHere(browser, await play.goThere(browser), username);
    expect(step.text).toContain(en.secondStep.prompt);
    const asked = await play.submit(browser, step, { code: recoveryCode });
    expect(asked.text).toContain(en.upstream.linkTitle);
    expect(play.codeOf(await play.submit(browser, asked, { decision: 'link' }))).toEqual(expect.any(String));

    const again = createTestBrowser();
    const { verifier, parameters } = createPkce();
    const late = await play.goThere(again, play.startPage(parameters));
    await play.administer('PATCH', '/corp', { enabled: false });
    const over = await play.submit(again, late, { code: showCode(secret) });
    expect([over.status, over.headers.location]).toEqual([403, undefined]);
    await play.administer('PATCH', '/corp', { enabled: true });
    const due = await play.goThere(again, play.startPage(parameters));
    expect(due.text).toContain(en.secondStep.prompt);
    expect(readRedirect(await again.get(play.startPage({ prompt: 'none' }))).parameters.error).toBe('login_required');
    const code = play.codeOf(await play.submit(again, due, { code: showCode(secret, 1) })) ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
    const { id_token = '' } = await realm.tokens(webClient, form);
    expect(readClaims(id_token)).toMatchObject({ acr: mfa, amr: ['fed', 'otp', 'mfa'] });
  });

  it('demands the second step for a link in a remembered browser, too', async () => {
    const essential = JSON.stringify({ id_token: { acr: { essential: true, value: mfa } } });
    const browser = createTestBrowser();
    const setUp = await play.signInHere(browser, await browser.get(play.startPage({ claims: essential })), username);
    const secret = /name="secret" value="([A-Z2-7]{32})"/.exec(setUp.text)?.[1] ?? '';
    const shown = await play.submit(browser, setUp, { code: await showEarlierCode(secret) });
    const [, recoveryCode = ''] = /<code>([0-9A-Z-]{19})<\/code>/.exec(shown.text) ?? [];
    const step = await play.signInHere(browser, await browser.get(play.startPage({ prompt: 'login' })), username);
    expect(step.text).toContain('name="remember_browser"');
    const remembered = await play.submit(browser, step, { code: showCode(secret), remember_browser: 'yes' });
    expect(play.codeOf(remembered)).toEqual(expect.any(String));
    const logout = `${realm.url}/oauth/logout`;
    const signOut = async () => browser.submit(await browser.get(logout), logout);
    await signOut();
    const again = await play.signInHere(browser, await browser.get(play.startPage()), username);
    expect(play.codeOf(again)).toEqual(expect.any(String));

    await signOut();
    play.account();
    const page = await play.goThere(browser);
    const asked = await play.signInHere(browser, page, username);
    expect(asked.text).toContain(en.secondStep.prompt);
    expect((await play.submit(browser, asked, { code: recoveryCode })).text).toContain(en.upstream.linkTitle);
  });

  it('works at the account and for a device, and a session ends with the account that was unlinked', async () => {
    play.account();
    await play.link(username);
    const browser = createTestBrowser();
    const account = `${realm.url}/account`;
    const page = await browser.get(account);
    const there = play.locationOf(await browser.submit(page, account, { upstream: 'corp' }));
    const back = await play.comeBack(browser, await play.signInThere(there));
    expect([back.status, back.headers.location]).toEqual([303, '/account']);
    expect((await browser.get(account)).text).toContain(username);

    const device = createTestBrowser();
    const typing = `${realm.url}/oauth/device`;
    const form = await device.get(typing);
    const toDevice = play.locationOf(await device.submit(form, typing, { upstream: 'corp' }));
    expect((await play.comeBack(device, await play.signInThere(toDevice))).text).toContain('user_code');

    await play.organization.unlinkAll(username);
    await withinOneSecond(async () => expect((await browser.get(account)).text).toContain('name="password"'));
    expect((await play.goThere(createTestBrowser())).text).toContain(en.upstream.ask.slice(-40));
  });

  it('ends every session of an unlinked account, also those of two second steps at the same moment', async () => {
    play.account();
    const browser = createTestBrowser();
    await play.link(username);
    await play.goThere(browser);
    const essential = JSON.stringify({ id_token: { acr: { essential: true, value: mfa } } });
    const setting = createTestBrowser();
    const setUp = await play.signInHere(setting, await setting.get(play.startPage({ claims: essential })), username);
    const secret = /name="secret" value="([A-Z2-7]{32})"/.exec(setUp.text)?.[1] ?? '';
    const shown = await play.submit(setting, setUp, { code: await showEarlierCode(secret) });
    const codes = [...shown.text.matchAll(/<code>([0-9A-Z-]{19})<\/code>/g)].map(([, code = '']) => code);

    const step = await browser.get(play.startPage({ claims: essential }));
    const answers = await Promise.all(codes.map((code) => play.submit(browser, step, { code })));
    const cookies = answers
      .filter((answer) => play.codeOf(answer) !== undefined)
      .map(({ headers }) =>
        [headers['set-cookie'] ?? []]
          .flat()
          .map((cookie) => cookie.split(';')[0])
          .join('; '),
      );
    expect(cookies.length).toBeGreaterThan(1);
    const errorOf = async (cookie: string) => {
      const answer = await call(play.startPage({ prompt: 'none' }), { headers: { cookie } });
      return readRedirect(answer).parameters.error;
    };
    await play.organization.unlinkAll(username);
    await withinOneSecond(async () => {
      expect(await Promise.all(cookies.map(errorOf))).toEqual(cookies.map(() => 'login_required'));
    });
  });

  it('sends the client secret by the method that is registered, and never shows what is wrong to anybody', async () => {
    play.account();
    await play.goThere(createTestBrowser());
    const basic = Buffer.from('gatehouse:a+secret+there').toString('base64');
    expect(server.tokenRequests.at(-1)?.authorization).toBe(`Basic ${basic}`);
    await play.administer('PATCH', '/corp', { token_endpoint_auth_method: 'private_key_jwt' });
    await play.goThere(createTestBrowser());
    const assertion = server.tokenRequests.at(-1)?.form.get('client_assertion') ?? '';
    expect(readClaims(assertion)).toMatchObject({ iss: 'gatehouse', sub: 'gatehouse', aud: server.issuer });
  });

  it('is bounded by network', async () => {
    realm.advance(60_000);
    const browser = createTestBrowser();
    const url = play.startPage({ upstream: 'corp' });
    const statuses = new Set<number>();
    // A minute may end meanwhile.
    for (let n = 0; n < 122 && !statuses.has(429); n += 1) statuses.add((await browser.get(url)).status);
    expect([...statuses]).toEqual([303, 429]);
    realm.advance(60_000);
  });
});
