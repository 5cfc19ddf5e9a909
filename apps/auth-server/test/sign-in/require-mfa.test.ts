import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  createTestBrowser,
  showCode,
  showEarlierCode,
  type TestBrowser,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountPaths } from '../../src/account/account-path.ts';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  type Credentials,
  createVisits,
  type Person,
  readContent,
  readForms,
  readPasskeyOptions,
  readRecoveryCodes,
  resultOf,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { authorizePath, codeRequest, readRedirect } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { administrator, callback, type Realm, readClaims, type TokenAnswer } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const [password, mfa] = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa'] as const;
const text = 'this user signs in with a second step; use authorization_code or a device code';
const named = { roles: ['IdpAdministrator'] };
/** Each form of the account, and the page that it stands on. */
const accountForms = [
  ['/account', { nickname: 'Changed' }],
  ['/account/password', { old_password: 'a long enough password', password: 'changed to another' }],
  ['/account/sessions/end', { all: 'every' }],
  ['/account/sessions/forget', { id: 'any' }],
  ['/account/recovery-codes', {}],
  ['/account/code-app/remove', {}],
] as const;
const { setUp, secondStep, methods } = en;

describe.each(testDialects)('REQUIRE_MFA on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  /** Replicas with the policy: for one role, and for everybody. */
  let forRole: Replica;
  let forAll: Replica;
  let client: Credentials;

  beforeAll(async () => {
    realm = await startRealmOn(dialect, {}, { orgEnv: { ACCOUNT_DELETION: 'on' } });
    accounts = await useAccounts(realm);
    [forRole, forAll] = await Promise.all([
      startReplica(realm, { REQUIRE_MFA: 'DirectoryReader IdpAdministrator' }),
      startReplica(realm, { REQUIRE_MFA: 'everybody' }),
    ]);
    client = await accounts.registerClient({
      scope: ['openid', 'offline_access', 'roles'],
      authorized_grant_types: ['authorization_code', 'password', 'refresh_token', deviceGrant],
    });
    await realm.send(`/clients/${client.client_id}`, {
      method: 'PATCH',
      basic: administrator,
      json: { trusted: true },
    });
  });
  afterAll(async () => {
    await Promise.all([forRole.close(), forAll.close()]);
    await realm.close();
  });

  const authorize = (browser: TestBrowser, more: Record<string, string> = {}, { url } = forRole) =>
    browser.get(url + authorizePath({ ...codeRequest, client_id: client.client_id, ...more }));
  const submit = (browser: TestBrowser, page: Answer, fields: Record<string, string>, { url } = forRole) =>
    browser.submit(page, `${url}/oauth/authorize`, fields);
  const tokensOf = (answer: Answer) => {
    const { code } = readRedirect(answer).parameters;
    if (code === undefined) throw new Error(`${answer.status} ${String(answer.headers.location)} ${answer.text}`);
    return realm.tokens(client, { grant_type: 'authorization_code', code, redirect_uri: callback });
  };
  const levelOf = ({ id_token = '' }: TokenAnswer) => {
    const { acr, amr } = readClaims<{ acr: string; amr: string[] }>(id_token);
    return [acr, amr];
  };
  const grant = ({ username, password: typed }: Person, { send } = forRole) =>
    send('/oauth/token', {
      basic: [client.client_id, client.client_secret],
      form: { grant_type: 'password', username, password: typed },
    });
  /** A user whose session began before the policy, by the password. */
  const signInBefore = async (more: object = named) => {
    const before = await accounts.signIn(more);
    return { before, visitor: createVisits(forRole)(before.user, before.browser) };
  };
  const setUpApp = async (visitor: Visitor, page: Answer, place: string) => {
    const secret = readForms(page)[0]?.fields.secret ?? '';
    const shown = await visitor.send(page, place, { code: await showEarlierCode(secret) });
    return { secret, shown, recoveryCodes: readRecoveryCodes(shown) };
  };

  describe('at an application', () => {
    it('has a user without a method set one up: no way around, recovery codes, and then level mfa', async () => {
      const user = await accounts.createPerson(named);
      const browser = createTestBrowser();
      const page = await submit(browser, await authorize(browser), { ...user });
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(setUp.required)]);
      expect(page.text).not.toContain('value="skip"');
      const ways: Record<string, string>[] = [
        { decision: 'skip' },
        { secret: '', kept: 'yes' },
        { decision: 'skip', offered: 'yes' },
      ];
      for (const fields of ways) {
        const again = await submit(browser, page, fields);
        expect([again.headers.location, [200, 403].includes(again.status)]).toEqual([undefined, true]);
      }
      expect((await authorize(browser)).text).toContain(setUp.required);
      expect(readRedirect(await authorize(browser, { prompt: 'none' })).parameters).toHaveProperty(
        'error',
        'login_required',
      );
      const secret = readForms(page)[0]?.fields.secret ?? '';
      const shown = await submit(browser, page, { code: await showEarlierCode(secret) });
      expect(readRecoveryCodes(shown)).toHaveLength(10);
      expect(levelOf(await tokensOf(await submit(browser, shown, { kept: 'yes' })))).toEqual([
        mfa,
        ['pwd', 'otp', 'mfa'],
      ]);
      expect(levelOf(await tokensOf(await authorize(browser, { prompt: 'none' })))[0]).toBe(mfa);
    });

    it('has a passkey do as well, by which the user signs in alone from then on', async () => {
      const user = await accounts.createPerson(named);
      const browser = createTestBrowser();
      const page = await submit(browser, await authorize(browser), { ...user });
      const { challenge = '', user: handle } = readPasskeyOptions(page).create ?? {};
      const authenticator = accounts.createKey();
      const credential = authenticator.create({ challenge, userHandle: handle?.id ?? '' });
      const shown = await submit(browser, page, { credential });
      expect(levelOf(await tokensOf(await submit(browser, shown, { kept: 'yes' })))[0]).toBe('phr');
      const another = createTestBrowser();
      const signIn = await authorize(another);
      const answer = authenticator.get({ challenge: readPasskeyOptions(signIn).get?.challenge ?? '' });
      expect(levelOf(await tokensOf(await submit(another, signIn, { credential: answer })))[0]).toBe('phr');
    });

    it('can be cancelled, and the application is told', async () => {
      const browser = createTestBrowser();
      const user = await accounts.createPerson(named);
      const page = await submit(browser, await authorize(browser), { ...user });
      expect(readRedirect(await submit(browser, page, { decision: 'cancel' })).parameters).toMatchObject({
        error: 'unmet_authentication_requirements',
      });
    });

    it('counts for a session of before at its next authorization', async () => {
      const { before, visitor } = await signInBefore();
      const { browser } = visitor;
      expect(readRedirect(await authorize(browser, { prompt: 'none' })).parameters.error).toBe('login_required');
      expect((await authorize(browser)).text).toContain(setUp.required);
      const { secret } = await accounts.addCodeApp(await accounts.signInAs(before.user));
      const page = await authorize(browser);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(secondStep.prompt)]);
      expect(page.text).not.toContain('name="password"');
      expect(readRedirect(await authorize(browser, { prompt: 'none' })).parameters.error).toBe('login_required');
      const done = await submit(browser, page, { code: showCode(secret, 1) });
      expect(levelOf(await tokensOf(done))[0]).toBe(mfa);
    });

    it('asks for more than the lowest level that a client asks for or requires', async () => {
      const { visitor } = await signInBefore();
      const essential = JSON.stringify({ id_token: { acr: { essential: true, value: password } } });
      const asked: Record<string, string>[] = [{ acr_values: password }, { claims: essential }, { max_age: '86400' }];
      for (const more of asked) {
        expect((await authorize(visitor.browser, more)).text).toContain(setUp.required);
      }
      const page = await authorize(visitor.browser, { acr_values: 'phr urn:gatehouse:acr:password' });
      expect([page.text.includes('name="secret"'), page.text.includes('value="skip"')]).toEqual([true, false]);
    });

    it('leaves users with none of the roles alone, and asks them where everybody is named', async () => {
      const { visitor } = await signInBefore({ roles: ['SystemAdministrator'] });
      expect(levelOf(await tokensOf(await authorize(visitor.browser)))).toEqual([password, ['pwd']]);
      expect((await visitor.get('/account')).text).not.toContain(setUp.required);
      expect((await grant(visitor.user)).status).toBe(200);
      expect((await authorize(visitor.browser, {}, forAll)).text).toContain(setUp.required);
      expect((await createVisits(forAll)(visitor.user, visitor.browser).get('/account')).text).toContain(
        setUp.required,
      );
      expect((await grant(visitor.user, forAll)).json()).toMatchObject({ error_description: text });
    });
  });

  it('is judged at sign-in alone: what was granted before is refreshed', async () => {
    const { visitor } = await signInBefore();
    const { refresh_token = '' } = await accounts.obtainTokens(
      accounts.visit(visitor.user, visitor.browser),
      client,
      'openid offline_access',
    );
    const answer = await forRole.send('/oauth/token', {
      basic: [client.client_id, client.client_secret],
      form: { grant_type: 'refresh_token', refresh_token },
    });
    expect([answer.status, levelOf(answer.json<TokenAnswer>())]).toEqual([200, [password, ['pwd']]]);
  });

  describe('at the grant type password and at Basic', () => {
    it('refuses the right password, says why, and says nothing of the kind after a wrong one', async () => {
      const user = await accounts.createPerson(named);
      const refused = await grant(user);
      expect([refused.status, refused.json()]).toEqual([400, { error: 'invalid_grant', error_description: text }]);
      const wrong = await grant({ ...user, password: 'not the password' });
      expect([wrong.status, wrong.text.includes('second step')]).toEqual([400, false]);
      for (const method of ['GET', 'POST']) {
        const options = { method, ...(method === 'POST' && { json: {} }) };
        const basic = await forRole.send('/clients', { ...options, basic: [user.username, user.password] });
        expect([basic.status, basic.text]).toEqual([401, expect.stringContaining(text)]);
      }
      const wrongly = await forRole.send('/clients', { basic: [user.username, 'not the password'] });
      expect([wrongly.status, wrongly.text.includes('second step')]).toEqual([401, false]);
      expect((await realm.send('/clients', { basic: [user.username, user.password] })).status).toBe(200);
    });

    it('leaves an administrator alone whom it does not name', async () => {
      expect((await forRole.send('/clients', { basic: administrator })).status).toBe(200);
      expect((await forAll.send('/clients', { basic: administrator })).status).toBe(401);
    });

    it('leaves Robots and clients alone', async () => {
      const robot = `robot-${client.client_id}@example.com`;
      await accounts.organization.create({ username: robot, userType: 'Robot', roles: ['IdpAdministrator'] });
      const machine = await accounts.registerClient({
        authorized_grant_types: ['service_account', 'client_credentials'],
        scope: ['roles'],
        redirect_uri: undefined,
        srvc_ac_user_name: robot,
      });
      const basic: [string, string] = [machine.client_id, machine.client_secret];
      const answer = await forAll.send('/oauth/token', { basic, form: { grant_type: 'client_credentials' } });
      expect(answer.status).toBe(200);
      expect((await forAll.send('/clients', { basic })).status).toBe(200);
      const { access_token: bearer } = answer.json<TokenAnswer>();
      expect((await forAll.send('/clients', { bearer })).status).toBe(200);
    });
  });

  describe('at the page for devices', () => {
    it('has the method set up before the device is shown, and the decision of a page of before is not taken', async () => {
      const devices = useDevices({ ...realm, url: forRole.url });
      const started = await devices.start(client);
      const { visitor } = await signInBefore();
      const shown = await useDevices(realm).open(visitor.browser, started.user_code);
      expect(shown.text).toContain('value="allow"');
      const { fields = {} } = readForms(shown).at(-1) ?? {};
      const refused = await visitor.browser.post(devices.page, { ...fields, decision: 'allow' });
      expect(refused.text).toContain(setUp.required);
      expect((await devices.poll(client, started)).json()).toMatchObject({ error: 'authorization_pending' });
      const page = await devices.open(visitor.browser, started.user_code);
      expect([page.text.includes(setUp.required), page.text.includes('value="skip"')]).toEqual([true, false]);
      const skipped = await visitor.browser.submit(page, devices.page, { decision: 'skip' });
      expect(skipped.text).toContain(setUp.required);
      const secret = readForms(page)[0]?.fields.secret ?? '';
      const codes = await visitor.browser.submit(page, devices.page, { code: await showEarlierCode(secret) });
      const decision = await visitor.browser.submit(codes, devices.page, { kept: 'yes' });
      await visitor.browser.submit(decision, devices.page, { decision: 'allow' });
      realm.advance(6_000);
      const answer = await devices.poll(client, started);
      expect(levelOf(answer.json<TokenAnswer>())[0]).toBe(mfa);
    });
  });

  describe('at the pages of the account', () => {
    it.each(accountPaths)('has the method set up in the place of %s, and leads there', async (path) => {
      const visitor = createVisits(forRole)(await accounts.createPerson(named));
      expect(resultOf(await visitor.signIn(path))).toEqual([303, path]);
      const page = await visitor.get(path);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(setUp.required)]);
      expect(page.text).not.toContain('value="skip"');
      expect(resultOf(await visitor.send(page, '/account/set-up', { decision: 'skip' }))).toEqual([303, path]);
      expect((await visitor.get(path)).text).toContain(setUp.required);
      const { shown, recoveryCodes } = await setUpApp(visitor, page, '/account/set-up');
      expect(recoveryCodes).toHaveLength(10);
      expect(resultOf(await visitor.send(shown, '/account/set-up', { kept: 'yes' }))).toEqual([303, path]);
      expect((await visitor.get(path)).text).not.toContain(setUp.required);
    });

    it.each(accountForms)('takes no form at %s before, and changes nothing', async (path, fields) => {
      const { before, visitor } = await signInBefore();
      const form_token = await before.readToken();
      const state = readContent(await before.get('/account/methods')) + readContent(await before.get('/account'));
      const refused = await visitor.sendTo(path, { ...fields, form_token });
      expect([refused.headers.location, refused.text]).toEqual([undefined, expect.stringContaining(setUp.required)]);
      expect(readContent(await before.get('/account/methods')) + readContent(await before.get('/account'))).toBe(state);
    });

    it('asks for the second step of a user who has one, whose session is at a lower level', async () => {
      const { before, visitor } = await signInBefore();
      const { secret } = await accounts.addCodeApp(await accounts.signInAs(before.user));
      const page = await visitor.get('/account/applications');
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(secondStep.prompt)]);
      expect(resultOf(await visitor.send(page, '/account/second-step', { code: showCode(secret, 1) }))).toEqual([
        303,
        '/account/applications',
      ]);
      expect((await visitor.get('/account/applications')).text).not.toContain(secondStep.prompt);
    });
  });

  describe('at the list of consents', () => {
    it('shows and withdraws nothing before, and has the method set up at its sign-in', async () => {
      const third = await accounts.registerClient({ require_consent: true });
      const { before, visitor } = await signInBefore();
      await accounts.obtainTokens(before, third);
      const { browser } = visitor;
      const list = await browser.get(`${realm.url}/oauth/consents`);
      const [form] = readForms(list);
      expect(form?.fields).toMatchObject({ registration: expect.any(String) });
      expect([(await browser.get(`${forRole.url}/oauth/consents`)).status]).toEqual([403]);
      expect((await browser.post(`${forRole.url}/oauth/consents`, { ...form?.fields })).status).toBe(403);
      expect(readForms(await browser.get(`${realm.url}/oauth/consents`))).toHaveLength(1);

      const place = `${forRole.url}/oauth/consents-sign-in`;
      const page = await browser.submit(await browser.get(place), place, { ...visitor.user });
      expect(page.text).toContain(setUp.required);
      const skipped = await browser.submit(page, place, { decision: 'skip' });
      expect(skipped.text).toContain(setUp.required);
      const secret = readForms(page)[0]?.fields.secret ?? '';
      const codes = await browser.submit(page, place, { code: await showEarlierCode(secret) });
      const done = await browser.submit(codes, place, { kept: 'yes' });
      expect([done.status, String(done.headers.location)]).toEqual([303, expect.stringMatching(/^consents\?/)]);
      const shown = await browser.get(`${forRole.url}/oauth/consents`);
      expect([shown.status, readForms(shown).length]).toEqual([200, 1]);
    });
  });

  describe('keeps the last second step', () => {
    const visit = async (more: object) => {
      const visitor = await accounts.signIn(more);
      return createVisits(forRole)(visitor.user, visitor.browser);
    };
    const removeApp = async (visitor: Visitor) =>
      resultOf(await visitor.submit('/account/methods', '/account/code-app/remove'));
    const removePasskey = async (visitor: Visitor) =>
      resultOf(await visitor.submit('/account/methods', '/account/passkeys/remove'));
    const signInWithApp = async (more: object) => {
      const before = await accounts.signIn(more);
      await accounts.addCodeApp(before);
      return createVisits(forRole)(before.user, before.browser);
    };

    it('of a user whom it names: 400, and no session ends', async () => {
      const visitor = await signInWithApp(named);
      expect(await removeApp(visitor)).toEqual([400, methods.lastSecondStep]);
      await accounts.addPasskey(visitor);
      expect(await removeApp(visitor)).toEqual([303, '/account/methods']);
      expect(await removePasskey(visitor)).toEqual([400, methods.lastSecondStep]);
      expect(resultOf(await visitor.submit('/account/methods', '/account/password/remove'))).toEqual([
        303,
        '/account/methods',
      ]);
    });

    it.each([1, 2, 3])('of two that forty at once remove (%i)', async () => {
      const visitor = await signInWithApp(named);
      await accounts.addPasskey(visitor);
      const fields = readForms(await visitor.get('/account/methods')).find(
        ({ fields: { id } }) => id !== undefined,
      )?.fields;
      const paths = ['/account/passkeys/remove', '/account/code-app/remove'] as const;
      const sent = Array.from({ length: 40 }, async (_, turn) => {
        await sleep(turn);
        return visitor.sendTo(paths[turn % 2 === 0 ? 0 : 1], fields ?? {});
      });
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 303)).toHaveLength(1);
      const page = await visitor.get('/account/methods');
      expect(readForms(page).filter(({ action }) => paths.some((path) => path === action))).toHaveLength(1);
    });

    it('and no other: of a user with none of the roles the last one goes', async () => {
      const visitor = await signInWithApp({});
      expect(await removeApp(visitor)).toEqual([303, '/account/methods']);
      const another = await visit({});
      await accounts.addPasskey(another);
      expect(await removePasskey(another)).toEqual([303, '/account/methods']);
    });
  });
});
