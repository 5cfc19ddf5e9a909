import { randomBytes } from 'node:crypto';
import {
  type Altered,
  createAuthenticator,
  createTestBrowser,
  plainUser,
  type TestBrowser,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { nameBrowser } from '../../src/sessions/browser-name.ts';
import { authorizePath, codeRequest, readRedirect } from '../support/browser.ts';
import { administrator, callback, type Realm, readClaims } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const [mfa, phr] = ['urn:gatehouse:acr:mfa', 'phr'];
type Authenticator = ReturnType<typeof createAuthenticator>;
type Page = Awaited<ReturnType<TestBrowser['get']>>;

interface Options {
  get?: { challenge: string; rpId: string; userVerification: string; allowCredentials?: { id: string }[] };
  create?: { challenge: string; rp: object; user: { id: string; name: string }; excludeCredentials: { id: string }[] };
  autofill?: boolean;
  hidden?: boolean;
  unknown?: object;
}

/** The options that a page gives its script. */
function optionsOf({ text }: Pick<Page, 'text'>): Options {
  return JSON.parse(
    /<script type="application\/json" id="webauthn">(.*?)<\/script>/.exec(text)?.[1] ?? '{}',
  ) as Options;
}

describe.each(testDialects)('a sign-in by a passkey on %s', (dialect) => {
  let realm: Realm;
  let client: { client_id: string; client_secret: string };
  let user: { username: string; password: string };
  const tool = { client_id: 'passkey-tool', client_secret: 'a secret of the tool' };

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    client = await realm.register({
      client_id: `client-${randomBytes(6).toString('hex')}`,
      client_secret: 'a secret of the client',
      scope: ['openid'],
      authorized_grant_types: ['authorization_code', 'password'],
      redirect_uri: callback,
    });
    await realm.register({ ...tool, authorized_grant_types: ['password'], scope: ['openid'] } as never);
    await realm.send(`/clients/${tool.client_id}`, { method: 'PATCH', basic: administrator, json: { trusted: true } });
  });
  afterAll(() => realm.close());
  beforeEach(async () => {
    user = { username: `${randomBytes(6).toString('hex')}@example.com`, password: 'a long enough password' };
    expect(await administer('POST', '', { ...user, userType: 'Person', roles: ['IdpAdministrator'] })).toBe(201);
  });

  const administer = async (method: string, path: string, json?: object) => {
    const [username = '', password = ''] = administrator;
    const { access_token } = await realm.tokens(tool, { grant_type: 'password', username, password });
    const answer = await fetch(`${realm.orgUrl}/organization/api/organization/user${path}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, ...(json && { 'content-type': 'application/json' }) },
      ...(json && { body: JSON.stringify(json) }),
    });
    await answer.text();
    return answer.status;
  };
  const pathOf = (parameters: Record<string, string> = {}) =>
    realm.url + authorizePath({ ...codeRequest, client_id: client.client_id, ...parameters });
  const submit = (browser: TestBrowser, page: Page, fields: Record<string, string>) =>
    browser.submit(page, pathOf(), fields);
  const signIn = async (browser: TestBrowser, parameters: Record<string, string> = {}) =>
    submit(browser, await browser.get(pathOf(parameters)), user);
  const create = (options: object = {}) => {
    const { hostname, origin } = new URL(realm.authUrl);
    return createAuthenticator({ rpId: hostname, origin, ...options });
  };
  /** Makes a passkey by a sign-in that asks for one, and goes on to the application. */
  const setUp = async (authenticator = create(), browser = createTestBrowser()) => {
    const page = await signIn(browser, { acr_values: phr });
    const { challenge = '', user: account } = optionsOf(page).create ?? {};
    const credential = authenticator.create({ challenge, userHandle: account?.id ?? '' });
    const shown = await submit(browser, page, { credential });
    return { authenticator, browser, page, shown };
  };
  const answer = (authenticator: Authenticator, page: Page, altered?: Altered) =>
    authenticator.get({ challenge: optionsOf(page).get?.challenge ?? '' }, altered);
  const claimsOf = async (page: Page) => {
    const { code = '' } = readRedirect(page).parameters;
    const { id_token = '' } = await realm.tokens(client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
    });
    const { acr, amr } = readClaims<{ acr: string; amr: string[] }>(id_token);
    return { acr, amr };
  };

  it('is offered to nobody in particular, with a verified user, in the field of the username too', async () => {
    const page = await createTestBrowser().get(pathOf());
    expect(page.text).toContain('autocomplete="username webauthn"');
    const { get, ...others } = optionsOf(page);
    expect(others).toEqual({ autofill: true, hidden: false });
    expect(get).toEqual({
      challenge: expect.stringMatching(/^[\w-]{86}$/),
      timeout: 300_000,
      rpId: new URL(realm.authUrl).hostname,
      userVerification: 'required',
    });
  });

  it('is set up where a level asks for it, with recovery codes, and reaches the highest level', async () => {
    const { browser, page, shown } = await setUp();
    const { create: asked } = optionsOf(page);
    expect(asked).toMatchObject({
      rp: { id: new URL(realm.authUrl).hostname, name: expect.any(String) },
      user: { name: user.username },
      excludeCredentials: [],
    });
    expect(shown.text.match(/<code>(?:[0-9A-Z]{4}-){3}/g)).toHaveLength(10);
    const done = await submit(browser, shown, { kept: 'yes' });
    // Where the passkey is newer by a second, it makes the level alone.
    expect(await claimsOf(done)).toEqual({ acr: phr, amr: expect.arrayContaining(['pop', 'user', 'mfa']) });
  });

  it('starts a session without a password', async () => {
    const { authenticator } = await setUp();
    const browser = createTestBrowser();
    const page = await browser.get(pathOf());
    const done = await submit(browser, page, {
      credential: answer(authenticator, page),
      username: 'nobody',
      password: '',
    });
    expect(await claimsOf(done)).toEqual({ acr: phr, amr: ['pop', 'user', 'mfa'] });
    expect((await browser.get(pathOf())).status).toBe(302);
    expect((await browser.get(pathOf({ acr_values: `${phr} ${mfa}`, prompt: 'none' }))).status).toBe(302);
  });

  it('follows a password: with the passkeys of the user, or a recovery code', async () => {
    const { authenticator, shown } = await setUp();
    const browser = createTestBrowser();
    const page = await signIn(browser);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('name="code"')]);
    expect(optionsOf(page).get).toMatchObject({
      userVerification: 'preferred',
      allowCredentials: [{ type: 'public-key', id: authenticator.credentialId, transports: ['internal'] }],
    });
    const done = await submit(browser, page, { credential: answer(authenticator, page) });
    expect(await claimsOf(done)).toEqual({ acr: phr, amr: expect.arrayContaining(['pop', 'user', 'mfa']) });
    const another = createTestBrowser();
    const [, code = ''] = /<code>((?:[0-9A-Z]{4}-){3}[0-9A-Z]{4})<\/code>/.exec(shown.text) ?? [];
    expect(await claimsOf(await submit(another, await signIn(another), { code }))).toEqual({
      acr: mfa,
      amr: ['pwd', 'otp', 'mfa'],
    });
  });

  it('raises a session that a code began, where the level of a passkey is required', async () => {
    const { authenticator, shown } = await setUp();
    const browser = createTestBrowser();
    const [, code = ''] = /<code>((?:[0-9A-Z]{4}-){3}[0-9A-Z]{4})<\/code>/.exec(shown.text) ?? [];
    await submit(browser, await signIn(browser), { code });
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value: phr } } });
    const page = await browser.get(pathOf({ claims }));
    expect(page.text).toContain(en.secondStep.title);
    const done = await submit(browser, page, { credential: answer(authenticator, page) });
    expect((await claimsOf(done)).acr).toBe(phr);
  });

  it('works once: the same answer again is refused, in the same browser and another', async () => {
    const { authenticator } = await setUp();
    const browser = createTestBrowser();
    const page = await browser.get(pathOf());
    const credential = answer(authenticator, page);
    expect((await submit(browser, page, { credential })).status).toBe(303);
    const again = await submit(browser, page, { credential });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining(en.passkey.wrong)]);
    const another = createTestBrowser();
    const foreign = await submit(another, await another.get(pathOf()), { credential });
    expect(foreign.status).toBe(400);
  });

  it('of eight with one answer at the same moment signs in once', async () => {
    const { authenticator } = await setUp();
    const browser = createTestBrowser();
    const page = await browser.get(pathOf());
    const credential = answer(authenticator, page);
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(browser, page, { credential })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 7 }, () => 400)]);
  });

  it('takes the challenge of its own form alone: not of another request, browser or purpose', async () => {
    const { authenticator } = await setUp();
    const browser = createTestBrowser();
    const page = await browser.get(pathOf());
    const other = await browser.get(pathOf({ state: 'another' }));
    expect((await submit(browser, page, { credential: answer(authenticator, other) })).status).toBe(400);
    const stranger = await createTestBrowser().get(pathOf());
    expect((await submit(browser, page, { credential: answer(authenticator, stranger) })).status).toBe(400);
    const second = await signIn(browser);
    expect((await submit(browser, page, { credential: answer(authenticator, second) })).status).toBe(400);
    expect((await submit(browser, second, { credential: answer(authenticator, page) })).status).toBe(400);
    expect((await submit(browser, page, { credential: answer(authenticator, page) })).status).toBe(303);
  });

  it('takes a challenge as the page has it: not other texts of the same bytes, however long', async () => {
    const { authenticator } = await setUp();
    const browser = createTestBrowser();
    const page = await browser.get(pathOf());
    const { challenge = '' } = optionsOf(page).get ?? {};
    for (const same of [
      challenge + '!'.repeat(300),
      challenge.split('').join('\n'),
      `${challenge}==`,
      ` ${challenge}`,
    ]) {
      const refused = await submit(browser, page, { credential: authenticator.get({ challenge: same }) });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(en.passkey.wrong)]);
    }
    expect((await submit(browser, page, { credential: answer(authenticator, page) })).status).toBe(303);
  });

  it.each([
    'nonsense',
    '{}',
    '{"response":{"clientDataJSON":"bm9uZQ"}}',
    `{"response":{"clientDataJSON":"${'A'.repeat(20_000)}"}}`,
  ])('says the same of what is no answer', async (credential) => {
    const browser = createTestBrowser();
    const page = await submit(browser, await browser.get(pathOf()), { credential });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(en.passkey.wrong)]);
  });

  it('says the same of a disabled user', async () => {
    const { authenticator } = await setUp();
    const path = `/userId/${encodeURIComponent(user.username)}`;
    expect(await administer('PATCH', path, { enabled: false })).toBe(200);
    const browser = createTestBrowser();
    const page = await browser.get(pathOf());
    const refused = await submit(browser, page, { credential: answer(authenticator, page) });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(en.passkey.wrong)]);
  });

  it('tells the browser of a passkey that was removed, and of no other', async () => {
    const { authenticator } = await setUp();
    const path = `/userId/${encodeURIComponent(user.username)}`;
    const browser = createTestBrowser();
    const strange = await browser.get(pathOf());
    const refused = await submit(browser, strange, { credential: answer(create(), strange) });
    expect(optionsOf(refused)).not.toHaveProperty('unknown');
    expect(await administer('DELETE', path)).toBe(204);
    const page = await browser.get(pathOf());
    const removed = await submit(browser, page, { credential: answer(authenticator, page) });
    const credentialId = authenticator.credentialId;
    expect(optionsOf(removed).unknown).toEqual({ rpId: new URL(realm.authUrl).hostname, credentialId });
  });

  it('that is made is refused with the answer of another page, and the same page comes again', async () => {
    const browser = createTestBrowser();
    const page = await signIn(browser, { acr_values: phr });
    const { challenge = '' } = optionsOf(await browser.get(pathOf())).get ?? {};
    const credential = create().create({ challenge, userHandle: '' });
    const again = await submit(browser, page, { credential });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining(en.passkey.wrong)]);
    expect((await submit(browser, again, { decision: 'skip' })).status).toBe(303);
  });
});

describe('passkeys that do not sign in alone', () => {
  const start = async (PASSKEYS: string) => {
    const realm = await startRealmOn('sqlite', { PASSKEYS });
    const client = await realm.register({
      client_id: 'passkey-client',
      client_secret: 'a secret of the client',
      scope: ['openid'],
      authorized_grant_types: ['authorization_code'],
      redirect_uri: callback,
    });
    const [username, password] = plainUser;
    const pathOf = (parameters: Record<string, string> = {}) =>
      realm.url + authorizePath({ ...codeRequest, client_id: client.client_id, ...parameters });
    const signIn = async (browser: TestBrowser, parameters: Record<string, string> = {}) =>
      browser.submit(await browser.get(pathOf(parameters)), pathOf(), { username, password });
    return { realm, pathOf, signIn };
  };

  it('follow a password: `second_step` shows no button on the sign-in page, and refuses who has a password', async () => {
    const { realm, pathOf, signIn } = await start('second_step');
    try {
      const { hostname, origin } = new URL(realm.authUrl);
      const authenticator = createAuthenticator({ rpId: hostname, origin });
      const browser = createTestBrowser();
      const page = await signIn(browser, { acr_values: phr });
      const { challenge = '', user } = optionsOf(page).create ?? {};
      const credential = authenticator.create({ challenge, userHandle: user?.id ?? '' });
      expect((await browser.submit(page, pathOf(), { credential })).text).toContain(en.setUp.codesTitle);
      const another = createTestBrowser();
      const first = await another.get(pathOf());
      expect(optionsOf(first)).toMatchObject({ autofill: true, hidden: true });
      const alone = { credential: authenticator.get({ challenge: optionsOf(first).get?.challenge ?? '' }) };
      expect((await another.submit(first, pathOf(), alone)).status).toBe(400);
      const second = await signIn(another);
      const answer = { credential: authenticator.get({ challenge: optionsOf(second).get?.challenge ?? '' }) };
      expect((await another.submit(second, pathOf(), answer)).status).toBe(303);
    } finally {
      await realm.close();
    }
  });

  it('and none is made: `off` offers a code app alone, and the level of a passkey cannot be reached', async () => {
    const { realm, pathOf, signIn } = await start('off');
    try {
      const page = await signIn(createTestBrowser(), { acr_values: mfa });
      expect([page.text.includes(en.setUp.scan), page.text.includes(en.passkey.create)]).toEqual([true, false]);
      const browser = createTestBrowser();
      expect((await signIn(browser, { acr_values: phr })).status).toBe(303);
      const claims = JSON.stringify({ id_token: { acr: { essential: true, value: phr } } });
      expect(readRedirect(await browser.get(pathOf({ claims }))).parameters).toMatchObject({
        error: 'unmet_authentication_requirements',
      });
    } finally {
      await realm.close();
    }
  });
});

describe('the name of a passkey', () => {
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  it.each([
    [`${mac} Version/18.0 Safari/605.1.15`, 'Safari on macOS'],
    [`${mac} Chrome/131.0.0.0 Safari/537.36`, 'Chrome on macOS'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Edg/131.0',
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox on Linux'],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36', 'Chrome on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 CriOS/131.0 Mobile Safari/604.1',
      'Chrome on iOS',
    ],
    ['curl/8.5', 'Browser on another system'],
    [undefined, 'Browser on another system'],
  ])('of %j is %s', (userAgent, name) => {
    expect(nameBrowser(userAgent)).toBe(name);
  });
});
