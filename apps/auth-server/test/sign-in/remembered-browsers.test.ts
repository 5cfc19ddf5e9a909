import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import { fill } from '@gatehouse/service-kit/html';
import {
  type Answer,
  call,
  createTestBrowser,
  type MailServer,
  showCode,
  startMailServer,
  type TestBrowser,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getGlobalDispatcher } from 'undici';
import type { UserData } from '../../src/account/describe-data.ts';
import { en } from '../../src/pages/messages/en.ts';
import { createRememberedBrowserStore } from '../../src/sessions/remembered-browser-store.ts';
import {
  type Accounts,
  type Authenticator,
  asksForSignIn,
  type Credentials,
  createBrowserWith,
  createVisits,
  firefox,
  type Person,
  readEntries,
  readForms,
  readPasskeyOptions,
  resultOf,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { authorizePath, codeRequest, readRedirect } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { createRecovery, mailEnv, type Recovery } from '../support/mailed-links.ts';
import { administrator, callback, passwordOf, type Realm, readClaims, type TokenAnswer } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const [password, mfa] = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa'] as const;
const cookieName = 'gatehouse-remembered-browser';
const day = 86_400_000;
const guardedPages = ['/account/passkeys', '/account/code-app', '/account/recovery-codes', '/account/password'];
const { secondStep, sessions: texts } = en;
const { events } = en.activity;
const next = 'a password that is a new one';
const essential = JSON.stringify({ id_token: { acr: { essential: true, value: mfa } } });

/** A browser that sends this cookie beside its own. */
function createThief(value: string): TestBrowser {
  const dispatcher = getGlobalDispatcher().compose((dispatch) => (options, handler) => {
    const { cookie, ...headers } = options.headers as Record<string, string>;
    const stolen = `${cookieName}=${value}`;
    const cookies = cookie === undefined ? stolen : `${cookie}; ${stolen}`;
    return dispatch({ ...options, headers: { ...headers, cookie: cookies } }, handler);
  });
  return createTestBrowser(dispatcher);
}

describe.each(testDialects)('a remembered browser on %s', (dialect) => {
  let mails: MailServer;
  let realm: Realm;
  let accounts: Accounts;
  let recovery: Recovery;
  let client: Credentials;
  /** Replicas that remember none, and that require a second step of everybody. */
  let forgetful: Replica;
  let strict: Replica;

  beforeAll(async () => {
    mails = await startMailServer();
    realm = await startRealmOn(dialect, {}, { orgEnv: mailEnv(mails) });
    accounts = await useAccounts(realm);
    recovery = createRecovery(realm, mails);
    [forgetful, strict] = await Promise.all([
      startReplica(realm, { REMEMBER_BROWSER_DAYS: '0' }),
      startReplica(realm, { REQUIRE_MFA: 'everybody' }),
    ]);
    client = await registerClient();
  });
  afterAll(async () => {
    await Promise.all([forgetful.close(), strict.close()]);
    await realm.close();
    await mails.close();
  });

  const registerClient = async (more: object = {}) => {
    const registered = await accounts.registerClient({
      scope: ['openid', 'roles'],
      authorized_grant_types: ['authorization_code', deviceGrant],
      ...more,
    });
    const options = { method: 'PATCH', basic: administrator, json: { trusted: true } };
    await realm.send(`/clients/${registered.client_id}`, options);
    return registered;
  };
  /** A user with a key that is a second step alone. */
  const createUser = async (more: object = {}) => {
    const owner = await accounts.signIn(more);
    const { authenticator, recoveryCodes } = await accounts.addPasskey(owner, 'Key', { verifies: false });
    return { owner, user: owner.user, key: authenticator, recoveryCodes };
  };
  const answerPage = (page: Answer, key: Authenticator) =>
    key.get({ challenge: readPasskeyOptions(page).get?.challenge ?? '' });
  /** Signs in with both steps. */
  const signInFully = async (
    visitor: Visitor,
    key: Authenticator,
    fields: Record<string, string> = { remember_browser: 'yes' },
  ) => {
    const page = await visitor.signIn();
    if (!page.text.includes(en.passkey.second)) throw new Error(`no second step: ${page.status} ${page.text}`);
    return visitor.send(page, '/account/second-step', { credential: answerPage(page, key), ...fields });
  };
  const remember = async (user: Person, key: Authenticator, browser = createTestBrowser()) => {
    const visitor = accounts.visit(user, browser);
    expect(resultOf(await signInFully(visitor, key))).toEqual([303, '/account']);
    return visitor;
  };
  const createRemembered = async (more: object = {}) => {
    const created = await createUser(more);
    return { ...created, visitor: await remember(created.user, created.key) };
  };
  /** The same browser at a new session, or at none. */
  const endSession = async (browser: TestBrowser) => {
    const page = await browser.get(`${realm.url}/oauth/logout`);
    await browser.submit(page, `${realm.url}/oauth/logout`);
    expect(asksForSignIn(await browser.get(`${realm.url}/account`))).toBe(true);
  };
  const isRemembered = async ({ user, browser }: Visitor, typed = user.password) => {
    await endSession(browser);
    const answer = await accounts.visit(user, browser).signIn('/account', typed);
    if (answer.status === 303) return true;
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('action="/account/second-step"')]);
    return false;
  };
  const authorize = (
    browser: TestBrowser,
    more: Record<string, string> = {},
    { url, client_id }: { url: string; client_id: string } = { ...realm, ...client },
  ) => browser.get(url + authorizePath({ ...codeRequest, client_id, ...more }));
  const tokensOf = async (answer: Answer, { client_id, client_secret } = client) => {
    const { code } = readRedirect(answer).parameters;
    if (code === undefined) throw new Error(`${answer.status} ${String(answer.headers.location)} ${answer.text}`);
    const grant = { grant_type: 'authorization_code', code, redirect_uri: callback };
    return realm.tokens({ client_id, client_secret }, grant);
  };
  const levelOf = ({ id_token = '' }: TokenAnswer) => {
    const { acr, amr } = readClaims<{ acr: string; amr: string[] }>(id_token);
    return [acr, amr];
  };
  const cookieOf = ({ browser }: Visitor) => browser.cookies()[cookieName];
  const readId = async (visitor: Visitor) =>
    readForms(await visitor.get('/account/sessions')).find(({ action }) => action === '/account/sessions/forget')
      ?.fields.id as string;
  const countRows = async () => {
    const [row] = await realm.deps.database.query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM remembered_browsers',
      [],
    );
    return Number(row?.count);
  };
  /** Calls org-api as an administrator. */
  const administer = async (method: string, user: Person, path: string) => {
    const tool = { client_id: 'organization-tool', client_secret: 'organization-tool-secret' };
    const { access_token: bearer } = await realm.tokens(tool, passwordOf('admin'));
    const url = `${realm.orgUrl}/organization/api/organization/user/userId/${encodeURIComponent(user.username)}${path}`;
    const answer = await call(url, { method, bearer, ...(method === 'POST' && { json: {} }) });
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  };

  describe('is made', () => {
    it('by a box on the page of the second step, which is not ticked and says for how long', async () => {
      const { user } = await createUser();
      const { text } = await accounts.visit(user).signIn();
      expect(text).toContain(fill(secondStep.remember, { days: '30' }));
      expect(text).toContain('<input type="checkbox" name="remember_browser" value="yes">');
    });

    it('by a code of the app: one cookie of 256 bits that scripts cannot read, for as long', async () => {
      const owner = await accounts.signIn();
      const { nextCode } = await accounts.addCodeApp(owner);
      const visitor = accounts.visit(owner.user);
      const page = await visitor.signIn();
      const done = await visitor.send(page, '/account/second-step', { code: nextCode(), remember_browser: 'yes' });
      expect(resultOf(done)).toEqual([303, '/account']);
      const [line = '', ...more] = [done.headers['set-cookie'] ?? []].flat().filter((one) => one.includes(cookieName));
      const attributes = 'Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax';
      expect([line, more]).toEqual([expect.stringMatching(`^${cookieName}=[\\w-]{43}; ${attributes}$`), []]);
      expect(await isRemembered(visitor)).toBe(true);
    });

    it('by a passkey, and is there for every application: the password alone signs in, at its own level', async () => {
      const { visitor } = await createRemembered();
      const { browser, user } = visitor;
      await endSession(browser);
      const done = await browser.submit(await authorize(browser), `${realm.url}/oauth/authorize`, { ...user });
      expect(levelOf(await tokensOf(done))).toEqual([password, ['pwd']]);
      expect(levelOf(await tokensOf(await authorize(browser, { prompt: 'none' })))).toEqual([password, ['pwd']]);
    });

    it('by the second step of a session that steps up', async () => {
      const before = await accounts.signIn();
      const { authenticator } = await accounts.addPasskey(await accounts.signInAs(before.user));
      const { browser } = before;
      const page = await authorize(browser, { acr_values: mfa });
      const fields = { credential: answerPage(page, authenticator), remember_browser: 'yes' };
      expect((await browser.submit(page, `${realm.url}/oauth/authorize`, fields)).status).toBe(303);
      expect(await isRemembered(before)).toBe(true);
    });

    it.each<[string, Record<string, string>]>([
      ['without the box', {}],
      ['with another value', { remember_browser: 'on' }],
      ['with an empty value', { remember_browser: '' }],
    ])('not %s', async (_how, fields) => {
      const { user, key } = await createUser();
      const visitor = accounts.visit(user);
      expect((await signInFully(visitor, key, fields)).status).toBe(303);
      expect([cookieOf(visitor), await isRemembered(visitor)]).toEqual([undefined, false]);
    });

    it('not by a recovery code, nor by a wrong one, nor by the password', async () => {
      const { user, recoveryCodes } = await createUser();
      const visitor = accounts.visit(user);
      const rows = await countRows();
      const page = await visitor.signIn('/account', user.password);
      const send = (code: string) =>
        visitor.send(page, '/account/second-step', { code, credential: '', remember_browser: 'yes' });
      expect((await send('000000')).status).toBe(400);
      expect((await send(recoveryCodes[0] ?? '')).status).toBe(303);
      expect([cookieOf(visitor), await countRows()]).toEqual([undefined, rows]);
      await endSession(visitor.browser);
      const again = await visitor.submit('/account', '/account/sign-in', { ...user, remember_browser: 'yes' });
      expect([again.status, cookieOf(visitor)]).toEqual([200, undefined]);
    });

    it('not from a form of another browser', async () => {
      const { user, key } = await createUser();
      const page = await accounts.visit(user).signIn();
      const stranger = accounts.visit(user);
      await stranger.get('/account');
      const fields = { credential: answerPage(page, key), remember_browser: 'yes' };
      expect((await stranger.send(page, '/account/second-step', fields)).status).toBe(403);
      expect(cookieOf(stranger)).toBeUndefined();
    });
  });

  describe('stands for the second step', () => {
    it('of its user alone, with the right password, in that browser', async () => {
      const { visitor, user } = await createRemembered();
      const another = await createUser();
      expect(resultOf(await accounts.visit(user).signIn())).toEqual([200, '']);
      await endSession(visitor.browser);
      expect((await accounts.visit(another.user, visitor.browser).signIn()).text).toContain(en.passkey.second);
      const wrong = await visitor.signIn('/account', 'not the password');
      expect([...resultOf(wrong), visitor.sessionCookie()]).toEqual([400, en.signIn.wrong, undefined]);
      expect(await visitor.signIn()).toMatchObject({ status: 303 });
    });

    it('by the value of its cookie alone', async () => {
      const { visitor, user } = await createRemembered();
      const value = cookieOf(visitor) as string;
      const another = cookieOf((await createRemembered()).visitor) as string;
      const guesses = [another, '', value.slice(1), `${value}x`, value.toUpperCase(), await readId(visitor)];
      for (const guess of guesses) {
        const answer = await accounts.visit(user, createThief(guess)).signIn();
        expect([guess, answer.status, answer.text.includes(en.passkey.second)]).toEqual([guess, 200, true]);
      }
      expect((await accounts.visit(user, createThief(value)).signIn()).status).toBe(303);
    });

    it('for thirty days from then, however often it is used', async () => {
      const { visitor } = await createRemembered();
      const { rememberedBrowsers } = (await visitor.get('/account/data')).json<UserData>();
      const [{ id, createdAt = '', expiresAt = '' } = {}] = rememberedBrowsers;
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * day);
      expect(await isRemembered(visitor)).toBe(true);
      const bytes = Buffer.from((id ?? '').replaceAll('-', ''), 'hex');
      const expire = (instant: number) =>
        realm.deps.database.execute('UPDATE remembered_browsers SET expires_at = ? WHERE id = ?', [instant, bytes]);
      await expire(realm.clock() + 60_000);
      expect(await isRemembered(visitor)).toBe(true);
      await expire(realm.clock());
      expect(await isRemembered(visitor)).toBe(false);
    });

    it('of five users, the oldest of whom a sixth pushes out', async () => {
      const browser = createTestBrowser();
      const visitors = [];
      for (let count = 0; count < 6; count += 1) {
        const { user, key } = await createUser();
        visitors.push(await remember(user, key, browser));
        await endSession(browser);
        if (count === 4) {
          for (const visitor of visitors) expect(await isRemembered(visitor)).toBe(true);
          await endSession(browser);
        }
      }
      const found = [];
      for (const visitor of visitors) found.push(await isRemembered(visitor));
      expect(found).toEqual([false, true, true, true, true, true]);
    });

    it('in twenty browsers of a user, the oldest of which another one pushes out', async () => {
      const { user, key, visitor } = await createRemembered();
      const { database } = realm.deps;
      const store = createRememberedBrowserStore(database);
      const [{ user_id: userId = '' } = {}] = await database.query<{ user_id?: string }>(
        'SELECT user_id FROM remembered_browsers ORDER BY id DESC LIMIT 1',
      );
      const [first] = await store.listOfUser(userId);
      if (first === undefined) throw new Error('no browser is remembered');
      for (let count = 1; count < 20; count += 1) {
        await store.insert({ ...first, id: createId(), tokenHash: randomBytes(32) });
      }
      expect(await isRemembered(visitor)).toBe(true);
      const another = await remember(user, key, createTestBrowser());
      expect((await store.listOfUser(userId)).length).toBe(20);
      expect([await isRemembered(visitor), await isRemembered(another)]).toEqual([false, true]);
    });

    it('once for a user who says so again', async () => {
      const { user, key, visitor } = await createRemembered();
      const rows = await countRows();
      const claims = { claims: essential };
      await endSession(visitor.browser);
      const signedIn = await visitor.browser.submit(
        await authorize(visitor.browser, claims),
        `${realm.url}/oauth/authorize`,
        { ...user },
      );
      const fields = { credential: answerPage(signedIn, key), remember_browser: 'yes' };
      expect((await visitor.browser.submit(signedIn, `${realm.url}/oauth/authorize`, fields)).status).toBe(303);
      expect([await countRows(), await isRemembered(visitor)]).toEqual([rows, true]);
    });

    it('under another value for each user who says so, so that a user of before knows none', async () => {
      const { user: former, visitor } = await createRemembered();
      const known = cookieOf(visitor) as string;
      const { user, key } = await createUser();
      await endSession(visitor.browser);
      const later = await remember(user, key, visitor.browser);
      expect(cookieOf(later)).not.toBe(known);
      for (const one of [user, former]) {
        expect((await accounts.visit(one, createThief(known)).signIn()).status).toBe(200);
      }
      expect([await isRemembered(later), await isRemembered(visitor)]).toEqual([true, true]);
    });

    it('that REQUIRE_MFA asks for', async () => {
      const { visitor, user } = await createRemembered();
      const { browser } = visitor;
      await endSession(browser);
      const there = createVisits(strict)(user, browser);
      expect(resultOf(await there.signIn('/account/applications'))).toEqual([303, '/account/applications']);
      expect((await there.get('/account/applications')).text).not.toContain(en.passkey.second);
      const place = { ...strict, ...client };
      expect(levelOf(await tokensOf(await authorize(browser, { prompt: 'none' }, place)))[0]).toBe(password);
      await there.submit('/account/methods', '/account/sessions/forget');
      expect((await there.get('/account/applications')).text).toContain(en.passkey.second);
      const refused = await authorize(browser, { prompt: 'none' }, place);
      expect(readRedirect(refused).parameters.error).toBe('login_required');
      expect((await createVisits(strict)(user).signIn()).text).toContain(en.passkey.second);
    });
  });

  describe('stands for nothing', () => {
    it.each<[string, Record<string, string>]>([
      ['acr_values', { acr_values: mfa }],
      ['an essential acr', { claims: essential }],
      ['max_age', { max_age: '3600' }],
      ['prompt=login', { prompt: 'login' }],
      ['prompt=login among others', { prompt: 'consent login' }],
    ])('where a request says %s: the second step is asked for', async (_what, more) => {
      const { visitor, user, key } = await createRemembered();
      const { browser } = visitor;
      await endSession(browser);
      const page = await browser.submit(await authorize(browser, more), `${realm.url}/oauth/authorize`, { ...user });
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.passkey.second)]);
      const done = await browser.submit(page, `${realm.url}/oauth/authorize`, { credential: answerPage(page, key) });
      expect(done.status).not.toBe(400);
      expect((await authorize(browser, { acr_values: mfa, prompt: 'none' })).status).toBe(302);
    });

    it.each<[string, Record<string, string>]>([
      ['acr_values', { acr_values: mfa }],
      ['an essential acr', { claims: essential }],
      ['max_age', { max_age: '3600' }],
    ])('where a request says %s, in a session that it began either', async (_what, more) => {
      const { visitor } = await createRemembered();
      expect(await isRemembered(visitor)).toBe(true);
      const page = await authorize(visitor.browser, more);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.passkey.second)]);
      const silent = readRedirect(await authorize(visitor.browser, { ...more, prompt: 'none' })).parameters;
      // What is asked for without being required is let through (OpenID Connect Core 5.5.1.1).
      expect(Object.keys(silent)).toContain(more.acr_values === undefined ? 'error' : 'code');
    });

    it.each<[string, object]>([
      ['required_acr', { required_acr: mfa }],
      ['default_acr_values', { default_acr_values: [mfa] }],
      ['default_max_age', { default_max_age: 3600 }],
    ])('at a client with %s', async (_what, more) => {
      const demanding = await registerClient(more);
      const { visitor, user } = await createRemembered();
      const { browser } = visitor;
      await endSession(browser);
      const signIn = await authorize(browser, {}, { ...realm, ...demanding });
      const page = await browser.submit(signIn, `${realm.url}/oauth/authorize`, { ...user });
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.passkey.second)]);
    });

    it.each<[string, Record<string, string>, boolean]>([
      ['nothing', {}, false],
      ['max_age', { max_age: '3600' }, true],
      ['acr_values', { acr_values: mfa }, true],
    ])('at a device that says %s, unless that is nothing', async (_what, form, isAsked) => {
      const devices = useDevices(realm);
      const started = await devices.start(client, form);
      const { visitor, user } = await createRemembered();
      const { browser } = visitor;
      await endSession(browser);
      const signIn = await devices.open(browser, started.user_code);
      const page = await browser.submit(signIn, devices.page, { ...user });
      expect([page.text.includes(en.passkey.second), page.text.includes('value="allow"')]).toEqual([isAsked, !isAsked]);
      const opened = await devices.open(browser, started.user_code);
      expect(opened.text.includes(en.passkey.second)).toBe(isAsked);
    });

    it('at the pages that change what proves the user: no form is taken', async () => {
      const { visitor } = await createRemembered();
      expect(await isRemembered(visitor)).toBe(true);
      for (const path of guardedPages) {
        const page = await visitor.get(path);
        expect([path, page.text.includes(en.passkey.second)]).toEqual([path, true]);
        const { status, text } = await visitor.post(path, { old_password: visitor.user.password, password: next });
        expect([path, status, text.includes('action="/account/second-step"')]).toEqual([path, 403, true]);
      }
      expect(await isRemembered(visitor)).toBe(true);
    });

    it('at administration, which takes no token of that level', async () => {
      const { visitor, user, key } = await createRemembered({ roles: ['IdpAdministrator'] });
      expect(await isRemembered(visitor)).toBe(true);
      const { access_token: bearer } = await tokensOf(await authorize(visitor.browser));
      const refused = await realm.send('/clients', { bearer });
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining(`error="insufficient_user_authentication"`),
      ]);
      expect(refused.headers['www-authenticate']).toContain(`acr_values="${mfa}"`);
      const page = await authorize(visitor.browser, { acr_values: mfa });
      const fields = { credential: answerPage(page, key) };
      const done = await visitor.browser.submit(page, `${realm.url}/oauth/authorize`, fields);
      expect((await realm.send('/clients', { bearer: (await tokensOf(done)).access_token })).status).toBe(200);
      expect((await realm.send('/clients', { basic: [user.username, user.password] })).status).toBe(401);
    });

    it('where REMEMBER_BROWSER_DAYS is 0: no box, no cookie, and none of before counts', async () => {
      const { visitor, user, key } = await createRemembered();
      const rows = await countRows();
      await endSession(visitor.browser);
      const page = await createVisits(forgetful)(user, visitor.browser).signIn();
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.passkey.second)]);
      expect(page.text).not.toContain('remember_browser');
      const another = createVisits(forgetful)(user);
      const shown = await another.signIn();
      const fields = { credential: answerPage(shown, key), remember_browser: 'yes' };
      expect((await another.send(shown, '/account/second-step', fields)).status).toBe(303);
      expect([cookieOf(another), await countRows()]).toEqual([undefined, rows]);
      expect((await another.get('/account/sessions')).text).not.toContain(texts.remembered);
      expect(await isRemembered(visitor)).toBe(true);
    });
  });

  describe('is forgotten with', () => {
    /** In the browser of the user who has just signed in with both steps. */
    type Change = (of: Awaited<ReturnType<typeof createChanging>>) => Promise<unknown>;
    const createChanging = async () => {
      const created = await createUser();
      const { owner, user, key } = created;
      const app = await accounts.addCodeApp(owner);
      return { ...created, app, visitor: await remember(user, key) };
    };

    it.each<[string, Change]>([
      [
        'a new password of the user',
        ({ owner, user }) =>
          owner.submit('/account/password', '/account/password', { old_password: user.password, password: next }),
      ],
      [
        'a new password by a mailed link',
        async ({ user }) => {
          await accounts.organization.change(user.username, { emailVerified: true });
          await recovery.use(await recovery.obtainLink(user.username), { password: next });
        },
      ],
      ['a new password by an administrator', ({ user }) => accounts.organization.setPassword(user.username, next)],
    ])('%s', async (_what, change) => {
      const changing = await createChanging();
      expect(await isRemembered(changing.visitor)).toBe(true);
      await change(changing);
      expect(await isRemembered(changing.visitor, next)).toBe(false);
    });

    it.each<[string, Change]>([
      ['a method that the user removes', ({ owner }) => owner.submit('/account/methods', '/account/code-app/remove')],
      [
        'a code app that the user replaces',
        async ({ owner }) => {
          const page = await owner.get('/account/code-app');
          const { secret = '' } = readForms(page)[0]?.fields ?? {};
          expect((await owner.send(page, '/account/code-app', { code: showCode(secret) })).status).toBe(303);
        },
      ],
      ['a method that an administrator removes', ({ user }) => administer('DELETE', user, '/methods/code-app')],
      [
        'recovery codes that an administrator removes',
        ({ user }) => administer('DELETE', user, '/methods/recovery-codes'),
      ],
      ['the end of all sessions', ({ owner }) => owner.signOut()],
      [
        'the end of all sessions by an administrator',
        async ({ user }) => {
          const options = { method: 'DELETE', basic: administrator };
          const answer = await realm.send(`/sessions?user=${encodeURIComponent(user.username)}`, options);
          expect([answer.status, answer.text]).toEqual([204, '']);
        },
      ],
      [
        'its button on the page of the sessions',
        ({ owner }) => owner.submit('/account/sessions', '/account/sessions/forget'),
      ],
    ])('%s', async (_what, change) => {
      const changing = await createChanging();
      const unchanged = await createRemembered();
      expect(await isRemembered(changing.visitor)).toBe(true);
      await change(changing);
      expect(await isRemembered(changing.visitor)).toBe(false);
      expect(await isRemembered(unchanged.visitor)).toBe(true);
    });

    it('the first second step of a user, whoever had a browser remembered before', async () => {
      const { owner, visitor } = await createRemembered();
      const id = await readId(owner);
      const [row = {}] = await realm.deps.database.query<Record<string, unknown>>(
        'SELECT * FROM remembered_browsers WHERE id = ?',
        [Buffer.from(id.replaceAll('-', ''), 'hex')],
      );
      expect(resultOf(await owner.submit('/account/methods', '/account/passkeys/remove'))).toEqual([
        303,
        '/account/methods',
      ]);
      const names = Object.keys(row);
      const insert = `INSERT INTO remembered_browsers (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
      await realm.deps.database.execute(insert, Object.values(row) as never);
      expect(await readId(owner)).toBe(id);
      await accounts.addPasskey(owner, 'Key', { verifies: false });
      expect(await readId(owner)).toBeUndefined();
      expect(await isRemembered(visitor)).toBe(false);
    });

    it.each<[string, Change]>([
      ['another method', async ({ owner }) => expect((await accounts.addPasskey(owner)).answer.status).toBe(303)],
      [
        'another name of a passkey',
        ({ owner }) => owner.submit('/account/methods', '/account/passkeys/rename', { name: 'Another' }),
      ],
      ['new recovery codes', ({ owner }) => owner.submit('/account/recovery-codes', '/account/recovery-codes')],
      [
        'the end of all other sessions',
        ({ owner }) => owner.submit('/account/sessions', '/account/sessions/end', {}, { all: 'others' }),
      ],
      ['a change of the profile', ({ owner }) => owner.submit('/account', '/account', { nickname: 'Uschi' })],
    ])('another change, and not with %s', async (_what, change) => {
      const changing = await createChanging();
      await change(changing);
      expect(await isRemembered(changing.visitor)).toBe(true);
    });
  });

  describe('is known to its user', () => {
    it('by the page of the sessions: browser, network, times, and a button for each', async () => {
      const { owner, user, key } = await createUser();
      expect((await owner.get('/account/sessions')).text).not.toContain(texts.remembered);
      const browser = createBrowserWith({ 'user-agent': firefox, 'x-forwarded-for': '203.0.113.7' });
      await remember(user, key, browser);
      await remember(user, key);
      const page = await owner.get('/account/sessions');
      const [, list = ''] = page.text.split(`<h2>${texts.remembered}</h2>`);
      const [first = '', second = '', ...more] = readEntries({ text: list });
      expect(first).toContain('<strong>Firefox on Linux</strong>');
      expect(first).toContain(fill(texts.network, { network: '203.0.113.7' }));
      expect([second.includes('Firefox'), more]).toEqual([false, []]);
      const ids = readForms({ text: list }).map(({ fields }) => fields.id);
      expect(new Set(ids).size).toBe(2);
    });

    it('who forgets it alone: the id of another user does nothing', async () => {
      const { owner, visitor } = await createRemembered();
      const stranger = await createRemembered();
      const id = await readId(stranger.owner);
      for (const one of [id, '', 'nonsense', '0192f6a4-0000-7000-8000-000000000000']) {
        expect(resultOf(await owner.post('/account/sessions/forget', { id: one }))).toEqual([303, '/account/sessions']);
      }
      expect([await isRemembered(stranger.visitor), await isRemembered(visitor)]).toEqual([true, true]);
      const own = await readId(owner);
      expect((await owner.sendTo('/account/sessions/forget', { id: own, form_token: 'x' })).status).toBe(403);
      expect(await isRemembered(visitor)).toBe(true);
      await owner.post('/account/sessions/forget', { id: own });
      expect(await isRemembered(visitor)).toBe(false);
    });

    it('by the activity: when it was remembered and forgotten, once each', async () => {
      const { owner } = await createRemembered();
      const id = await readId(owner);
      await owner.post('/account/sessions/forget', { id });
      await owner.post('/account/sessions/forget', { id });
      const { activity } = (await owner.get('/account/data')).json<UserData>();
      const found = activity.filter(({ type }) => type.startsWith('browser.'));
      const details = { browser: id };
      const own = { kind: 'user', name: owner.user.username };
      expect(found).toMatchObject([
        { type: 'browser.forgotten', details, actor: own, subject: own },
        { type: 'browser.remembered', details, actor: own, subject: own },
      ]);
      const { text } = await owner.get('/account/activity');
      for (const type of ['browser.remembered', 'browser.forgotten'] as const) expect(text).toContain(events[type]);
    });

    it('by the download of the data, without what proves the browser', async () => {
      const { owner, visitor } = await createRemembered();
      const answer = await owner.get('/account/data');
      const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(answer.json<UserData>().rememberedBrowsers).toEqual([
        {
          id: await readId(owner),
          browser: 'Browser on another system',
          network: expect.any(String),
          createdAt: instant,
          lastUsedAt: instant,
          expiresAt: instant,
        },
      ]);
      expect(answer.text).not.toContain(cookieOf(visitor));
    });
  });
});
