import { randomBytes } from 'node:crypto';
import { createTestBrowser, showCode, showEarlierCode, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { authorizePath, codeRequest, createPkce, readRedirect } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { administrator, callback, type Realm, readClaims, type TokenAnswer } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const [password, mfa] = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa'];
describe.each(testDialects)('the second step of a sign-in on %s', (dialect) => {
  let realm: Realm;
  let devices: ReturnType<typeof useDevices>;
  let client: { client_id: string; client_secret: string };
  let user: { username: string; password: string };

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    devices = useDevices(realm);
    client = await realm.register({
      client_id: `client-${randomBytes(6).toString('hex')}`,
      client_secret: 'a secret of the client',
      scope: ['openid'],
      authorized_grant_types: ['authorization_code', 'password', deviceGrant],
      redirect_uri: callback,
    });
  });
  afterAll(() => realm.close());
  beforeEach(async () => {
    user = { username: `${randomBytes(6).toString('hex')}@example.com`, password: 'a long enough password' };
    const [username = '', secret = ''] = administrator;
    const form = { grant_type: 'password', username, password: secret };
    const json = { ...user, userType: 'Person', roles: ['IdpAdministrator'] };
    const { access_token } = await realm.tokens(tool, form);
    const answer = await fetch(`${realm.orgUrl}/organization/api/organization/user`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)]);
  });
  const tool = { client_id: 'second-step-tool', client_secret: 'a secret of the tool' };
  beforeAll(async () => {
    await realm.register({ ...tool, authorized_grant_types: ['password'], scope: ['openid'] } as never);
    await realm.send(`/clients/${tool.client_id}`, { method: 'PATCH', basic: administrator, json: { trusted: true } });
  });

  const pathOf = (parameters: Record<string, string> = {}) =>
    realm.url + authorizePath({ ...codeRequest, client_id: client.client_id, ...parameters });
  const signIn = async (browser: TestBrowser, parameters: Record<string, string> = {}) =>
    browser.submit(await browser.get(pathOf(parameters)), pathOf(), user);
  const submit = (browser: TestBrowser, page: Parameters<TestBrowser['submit']>[0], fields: Record<string, string>) =>
    browser.submit(page, pathOf(), fields);
  const secretOf = (page: string) => /name="secret" value="([A-Z2-7]{32})"/.exec(page)?.[1] ?? '';
  /** Sets a code app up by a sign-in that requires it, with the code of the step before. */
  const setUp = async (browser = createTestBrowser()) => {
    const page = await signIn(browser, {
      claims: JSON.stringify({ id_token: { acr: { essential: true, value: mfa } } }),
    });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.setUp.required)]);
    const secret = secretOf(page.text);
    const shown = await submit(browser, page, { code: await showEarlierCode(secret) });
    const recoveryCodes = [...shown.text.matchAll(/<code>((?:[0-9A-Z]{4}-){3}[0-9A-Z]{4})<\/code>/g)].map(
      ([, code]) => code as string,
    );
    return { browser, secret, shown, recoveryCodes };
  };
  const claimsOf = async (answer: Parameters<typeof readRedirect>[0], verifier?: string) => {
    const { code = '' } = readRedirect(answer).parameters;
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const { id_token = '' } = await realm.tokens(client, { ...form, ...(verifier && { code_verifier: verifier }) });
    const { acr, amr } = readClaims<{ acr: string; amr: string[] }>(id_token);
    return { acr, amr };
  };

  it('is set up where a level requires it: picture, key, code, ten recovery codes, and on', async () => {
    const { browser, shown, recoveryCodes } = await setUp();
    expect([shown.status, recoveryCodes.length]).toEqual([200, 10]);
    expect(await claimsOf(await submit(browser, shown, { kept: 'yes' }))).toEqual({
      acr: mfa,
      amr: ['pwd', 'otp', 'mfa'],
    });
  });

  it('follows the password from then on, and no session exists before it is done', async () => {
    const { secret } = await setUp();
    const browser = createTestBrowser();
    const page = await signIn(browser);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.secondStep.prompt)]);
    expect((await browser.get(pathOf())).text).toContain('name="password"');
    const done = await submit(browser, page, { code: showCode(secret) });
    expect(await claimsOf(done)).toEqual({ acr: mfa, amr: ['pwd', 'otp', 'mfa'] });
    expect((await browser.get(pathOf())).status).toBe(302);
  });

  it('takes a recovery code, once', async () => {
    const [code = ''] = (await setUp()).recoveryCodes;
    const browser = createTestBrowser();
    expect((await submit(browser, await signIn(browser), { code: code.toLowerCase() })).status).toBe(303);
    const another = createTestBrowser();
    expect((await submit(another, await signIn(another), { code })).status).toBe(400);
  });

  it('says the same of every wrong code, keeps the sign-in open, and takes the right one', async () => {
    const { secret } = await setUp();
    const browser = createTestBrowser();
    let page = await signIn(browser);
    for (const code of ['000000', 'nonsense', '0000-0000-0000-0000', '']) {
      page = await submit(browser, page, { code });
      expect([page.status, page.text]).toEqual([400, expect.stringContaining(en.secondStep.wrong)]);
    }
    expect((await submit(browser, page, { code: showCode(secret) })).status).toBe(303);
  });

  it('is refused after too many wrong codes: 429, and when to try again', async () => {
    const { secret } = await setUp();
    const browser = createTestBrowser();
    let page = await signIn(browser);
    for (let wrong = 0; wrong < 5; wrong += 1) page = await submit(browser, page, { code: '000000' });
    page = await submit(browser, page, { code: showCode(secret) });
    expect([page.status, page.headers['retry-after']]).toEqual([429, expect.any(String)]);
    expect(page.text).toContain('Too many wrong codes');
  });

  it('is of one browser, one request, and ten minutes', async () => {
    const { secret } = await setUp();
    const browser = createTestBrowser();
    const page = await signIn(browser);
    const stranger = createTestBrowser();
    await stranger.get(pathOf());
    const foreign = await submit(stranger, page, { code: showCode(secret) });
    expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining(en.signIn.stale)]);
    const elsewhere = new URL(pathOf({ state: 'another' })).search.slice(1);
    expect((await submit(browser, page, { code: showCode(secret), request: elsewhere })).status).toBe(403);
    realm.advance(600_001);
    expect((await submit(browser, page, { code: showCode(secret) })).status).toBe(403);
  });

  it('can be cancelled, and the application is told', async () => {
    await setUp();
    const browser = createTestBrowser();
    const answer = await submit(browser, await signIn(browser), { decision: 'cancel' });
    expect(readRedirect(answer).parameters).toMatchObject({ error: 'access_denied' });
  });

  it('is asked of a session at a lower level, without the password again', async () => {
    const before = createTestBrowser();
    expect((await signIn(before)).status).toBe(303);
    const { secret } = await setUp();
    const page = await before.get(pathOf({ acr_values: mfa as string }));
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.secondStep.prompt)]);
    expect(
      readRedirect(await before.get(pathOf({ acr_values: mfa as string, prompt: 'none' }))).parameters,
    ).toHaveProperty('code');
    expect(await claimsOf(await submit(before, page, { code: showCode(secret) }))).toEqual({
      acr: mfa,
      amr: ['pwd', 'otp', 'mfa'],
    });
  });

  it('keeps no session alive: it ends twelve hours after the sign-in all the same', async () => {
    const hour = 3_600_000;
    const browser = createTestBrowser();
    await signIn(browser);
    const { secret } = await setUp();
    realm.advance(11 * hour);
    const page = await browser.get(pathOf({ acr_values: mfa as string }));
    expect((await submit(browser, page, { code: showCode(secret) })).status).toBe(303);
    expect((await browser.get(pathOf())).status).toBe(302);
    realm.advance(hour);
    expect((await browser.get(pathOf())).text).toContain('name="password"');
  });

  it('is offered where a level is asked for: the user goes on without, or sets it up later', async () => {
    const browser = createTestBrowser();
    const page = await signIn(browser, { acr_values: mfa as string });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.setUp.offered)]);
    expect(await claimsOf(await submit(browser, page, { decision: 'skip' }))).toEqual({ acr: password, amr: ['pwd'] });
  });

  it('that is required is not skipped, and can be cancelled', async () => {
    const browser = createTestBrowser();
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value: mfa } } });
    const page = await signIn(browser, { claims });
    expect((await submit(browser, page, { decision: 'skip' })).text).toContain(en.setUp.required);
    expect(readRedirect(await submit(browser, page, { decision: 'cancel' })).parameters).toMatchObject({
      error: 'unmet_authentication_requirements',
    });
  });

  it('is set up with the secret of the page alone, and the same page comes after a wrong code', async () => {
    const browser = createTestBrowser();
    const page = await signIn(browser, { acr_values: mfa as string });
    const secret = secretOf(page.text);
    const own = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    expect((await submit(browser, page, { secret: own, code: showCode(own) })).status).toBe(403);
    const again = await submit(browser, page, { code: '000000' });
    expect([again.status, secretOf(again.text)]).toEqual([400, secret]);
    expect(again.text).toContain(en.setUp.wrong);
    expect((await submit(browser, again, { code: showCode(secret) })).text).toContain(en.setUp.codesTitle);
  });

  it('is added by nobody who knows the password alone, once there is one', async () => {
    const stranger = createTestBrowser();
    const page = await signIn(stranger, { acr_values: mfa as string });
    const { secret } = await setUp();
    const own = await submit(stranger, page, { code: showCode(secretOf(page.text)) });
    expect([own.status, own.text]).toEqual([403, expect.stringContaining(en.signIn.stale)]);
    const higher = JSON.stringify({ id_token: { acr: { essential: true, value: 'phr' } } });
    const asked = await stranger.get(pathOf({ claims: higher }));
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining(en.secondStep.prompt)]);
    const proven = await submit(stranger, asked, { code: showCode(secret) });
    expect(proven.text).toContain(en.passkey.create);
  });

  it('is no part of the password grant and of Basic, which say so after the right password only', async () => {
    await setUp();
    const text = 'this user signs in with a second step; use authorization_code or a device code';
    const grant = (typed: string) =>
      realm.tokenRequest(client, { grant_type: 'password', username: user.username, password: typed });
    const refused = await grant(user.password);
    expect([refused.status, refused.json()]).toEqual([400, { error: 'invalid_grant', error_description: text }]);
    expect((await grant('wrong')).text).not.toContain('second step');
    const basic = (typed: string) => realm.send('/clients', { basic: [user.username, typed] });
    const listed = await basic(user.password);
    expect([listed.status, listed.text]).toEqual([401, expect.stringContaining(text)]);
    expect((await basic('wrong')).text).not.toContain('second step');
  });

  it('is asked at the page for devices and at the list of applications too', async () => {
    const { secret } = await setUp();
    const browser = createTestBrowser();
    const started = await devices.start(client as never);
    const page = await browser.submit(await browser.get(devices.page), devices.page, user);
    expect(page.text).toContain(en.secondStep.prompt);
    const codePage = await browser.submit(page, devices.page, { code: showCode(secret) });
    expect(codePage.text).toContain(en.device.prompt);
    const decision = await devices.open(browser, started.user_code);
    await browser.submit(decision, devices.page, { decision: 'allow' });
    const tokens = (await devices.poll(client as never, started)).json<TokenAnswer>();
    expect(readClaims<{ acr: string }>(tokens.access_token).acr).toBe(mfa);
    const another = createTestBrowser();
    const consents = `${realm.url}/oauth/consents-sign-in`;
    const second = await another.submit(await another.get(consents), consents, user);
    expect(second.text).toContain(en.secondStep.prompt);
    const done = await another.submit(second, consents, { code: showCode(secret, 1) });
    expect([done.status, String(done.headers.location)]).toEqual([303, expect.stringMatching(/^consents/)]);
  });

  it('keeps the sid of a session that steps up, and gives it another cookie', async () => {
    const browser = createTestBrowser();
    await signIn(browser);
    const { secret } = await setUp();
    const cookieOf = () => Object.entries(browser.cookies()).find(([name]) => name.endsWith('gatehouse-session'))?.[1];
    const sidOf = async () => {
      const { verifier, parameters } = createPkce();
      const { code = '' } = readRedirect(await browser.get(pathOf(parameters))).parameters;
      const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
      return readClaims<{ sid: string }>((await realm.tokens(client, form)).id_token ?? '').sid;
    };
    const [cookie, sid] = [cookieOf(), await sidOf()];
    await submit(browser, await browser.get(pathOf({ acr_values: mfa as string })), { code: showCode(secret) });
    expect(cookieOf()).not.toBe(cookie);
    expect(await sidOf()).toBe(sid);
  });
});
