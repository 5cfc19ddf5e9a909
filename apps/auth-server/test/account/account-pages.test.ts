import { createTestBrowser, showCode, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountPaths } from '../../src/account/account-path.ts';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  asksForSignIn,
  type Credentials,
  type Person,
  readContent,
  readForms,
  readPasskeyOptions,
  resultOf,
  tooLong,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const guardedPages = [
  '/account/passkeys',
  '/account/code-app',
  '/account/recovery-codes',
  '/account/password',
  '/account/email',
  '/account/data',
  '/account/delete',
];
/** A download has no frame. */
const withFrame = (path: string) => path !== '/account/data';
const openPages = accountPaths.filter((path) => !guardedPages.includes(path));
/** Each form, and the page that it stands on. */
const forms = [
  ['/account', '/account'],
  ['/account/passkeys', '/account/passkeys'],
  ['/account/passkeys/rename', '/account/methods'],
  ['/account/passkeys/remove', '/account/methods'],
  ['/account/code-app', '/account/code-app'],
  ['/account/code-app/remove', '/account/methods'],
  ['/account/recovery-codes', '/account/recovery-codes'],
  ['/account/password', '/account/password'],
  ['/account/password/remove', '/account/methods'],
  ['/account/sessions/end', '/account/sessions'],
  ['/account/applications', '/account/applications'],
] as const;
/** These change no method. */
const openForms: readonly string[] = ['/account', '/account/applications', '/account/sessions/end'];
const { account, signIn, secondStep } = en;

describe.each(testDialects)('the pages of an account on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let client: Credentials;

  beforeAll(async () => {
    realm = await startRealmOn(dialect, {}, { orgEnv: { ACCOUNT_DELETION: 'on' } });
    accounts = await useAccounts(realm);
    client = await accounts.registerClient();
  });
  afterAll(() => realm.close());

  /** Gives the user each method, an application, and a session in another browser. */
  const signInWithEverything = async ({
    user,
    browser = createTestBrowser(),
  }: {
    user?: Person;
    browser?: TestBrowser;
  } = {}) => {
    const other = await accounts.signInAs(user ?? (await accounts.createPerson()));
    const visitor = await accounts.signInAs(other.user, browser);
    const { recoveryCodes, nextCode } = await accounts.addCodeApp(visitor);
    const { authenticator } = await accounts.addPasskey(visitor);
    await accounts.obtainTokens(visitor, client);
    return { visitor, other, recoveryCodes, nextCode, authenticator };
  };
  /** Fields that each form takes from that user. */
  const fillIn = async (visitor: Visitor): Promise<Record<string, Record<string, string>>> => {
    const methods = readForms(await visitor.get('/account/methods'));
    const { id = '' } = methods.find(({ action }) => action === '/account/passkeys/rename')?.fields ?? {};
    const { challenge = '', user } = readPasskeyOptions(await visitor.get('/account/passkeys')).create ?? {};
    const credential = accounts.createKey().create({ challenge, userHandle: user?.id ?? '' });
    const { form_token: _token, ...app } = readForms(await visitor.get('/account/code-app'))[0]?.fields ?? {};
    const [application] = readForms(await visitor.get('/account/applications'));
    return {
      '/account': { nickname: 'Changed' },
      '/account/passkeys': { credential, name: 'Changed' },
      '/account/passkeys/rename': { id, name: 'Changed' },
      '/account/passkeys/remove': { id },
      '/account/code-app': { ...app, code: showCode(app.secret ?? '') },
      '/account/code-app/remove': {},
      '/account/recovery-codes': {},
      '/account/password': { old_password: visitor.user.password, password: 'changed to another' },
      '/account/password/remove': {},
      '/account/sessions/end': { all: 'others' },
      '/account/applications': { registration: application?.fields.registration ?? '' },
    };
  };
  /** All that the forms change, as the pages show it. */
  const readState = async (visitor: Visitor) => {
    const state = [];
    for (const path of ['/account', '/account/methods', '/account/sessions', '/account/applications']) {
      state.push(readContent(await visitor.get(path)));
    }
    return state;
  };

  describe('without a session', () => {
    it.each(accountPaths)('have the sign-in in the place of %s, and it leads there', async (path) => {
      const visitor = accounts.visit(await accounts.createPerson());
      const page = await visitor.get(path);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(signIn.account)]);
      expect(resultOf(await visitor.send(page, '/account/sign-in', { ...visitor.user }))).toEqual([303, path]);
      const shown = await visitor.get(path);
      expect([shown.status, asksForSignIn(shown)]).toEqual([200, false]);
      if (withFrame(path)) expect(shown.text).toContain(`<p class="quiet">${visitor.user.username}</p>`);
      else expect(JSON.parse(shown.text)).toMatchObject({ user: { username: visitor.user.username } });
    });

    it.each([
      'https://evil.example.com/account',
      '//evil.example.com',
      '/oauth/authorize?client_id=web',
      '/account/sign-in',
      '/account/elsewhere',
      '/account/methods/',
      'javascript:alert(1)',
      '',
    ])('lead to the first page for a form that asks for %j', async (request) => {
      const visitor = accounts.visit(await accounts.createPerson());
      const page = await visitor.get('/account/methods');
      const forged = await visitor.send(page, '/account/sign-in', { ...visitor.user, request });
      expect([...resultOf(forged), visitor.sessionCookie()]).toEqual([403, signIn.stale, undefined]);
      expect(resultOf(await visitor.send(forged, '/account/sign-in', { ...visitor.user }))).toEqual([303, '/account']);
    });

    it.each(forms)('take no form at %s: 403, the sign-in, and on to %s', async (path, page) => {
      const visitor = accounts.visit(await accounts.createPerson());
      const refused = await visitor.sendTo(path, { form_token: 'x' });
      expect(resultOf(refused)).toEqual([403, signIn.stale]);
      expect(resultOf(await visitor.send(refused, '/account/sign-in', { ...visitor.user }))).toEqual([303, page]);
    });

    it('show the sign-in again after a wrong password, with the name that was typed', async () => {
      const visitor = accounts.visit(await accounts.createPerson());
      const wrong = await visitor.signIn('/account/activity', 'not the password');
      expect([...resultOf(wrong), visitor.sessionCookie()]).toEqual([400, signIn.wrong, undefined]);
      expect(wrong.text).toContain(`value="${visitor.user.username}"`);
      const { password } = visitor.user;
      expect(resultOf(await visitor.send(wrong, '/account/sign-in', { password }))).toEqual([303, '/account/activity']);
    });

    it('take the sign-in of the browser that got the page alone', async () => {
      const visitor = accounts.visit(await accounts.createPerson());
      const page = await visitor.get('/account');
      const stranger = accounts.visit(visitor.user);
      await stranger.get('/account');
      expect(resultOf(await stranger.send(page, '/account/sign-in', { ...visitor.user }))).toEqual([403, signIn.stale]);
    });

    it('ask for the second step of who has one, and lead on after it', async () => {
      const { user, ...visitor } = await accounts.signIn();
      const { nextCode } = await accounts.addCodeApp({ user, ...visitor });
      const another = accounts.visit(user);
      const page = await another.signIn('/account/code-app');
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(secondStep.prompt)]);
      expect(await another.isSignedIn()).toBe(false);
      const wrong = await another.send(page, '/account/second-step', { code: '000000' });
      expect([...resultOf(wrong), another.sessionCookie()]).toEqual([400, secondStep.wrong, undefined]);
      const done = await another.send(wrong, '/account/second-step', { code: nextCode() });
      expect(resultOf(done)).toEqual([303, '/account/code-app']);
      expect(asksForSignIn(await another.get('/account/code-app'))).toBe(false);
    });

    it('take the second step within ten minutes, of the same browser and for the same page', async () => {
      const { visitor: before, recoveryCodes } = await signInWithEverything();
      const visitor = accounts.visit(before.user);
      const [code = ''] = recoveryCodes;
      const page = await visitor.signIn('/account/methods');
      const stranger = accounts.visit(before.user);
      await stranger.get('/account/methods');
      const send = async (from: Visitor, more: object = {}) =>
        resultOf(await from.send(page, '/account/second-step', { code, ...more }));
      expect(await send(stranger)).toEqual([403, signIn.stale]);
      expect(await send(visitor, { request: '/account/password' })).toEqual([403, signIn.stale]);
      expect(await send(visitor, { pending: '' })).toEqual([403, signIn.stale]);
      realm.advance(tooLong);
      expect(await send(visitor)).toEqual([403, signIn.stale]);
    });

    it('lead on after a passkey alone', async () => {
      const { visitor, authenticator } = await signInWithEverything();
      const another = accounts.visit(visitor.user);
      expect(resultOf(await another.signInByPasskey(authenticator, '/account/password'))).toEqual([
        303,
        '/account/password',
      ]);
      expect(asksForSignIn(await another.get('/account/password'))).toBe(false);
    });

    it('set up no second step', async () => {
      const visitor = accounts.visit(await accounts.createPerson());
      await visitor.get('/account');
      expect(resultOf(await visitor.sendTo('/account/set-up', { form_token: 'x' }))).toEqual([403, signIn.stale]);
      await visitor.signIn();
      const own = {
        form_token: await visitor.readToken(),
        request: '/account',
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      };
      expect(resultOf(await visitor.sendTo('/account/set-up', { ...own, code: showCode(own.secret) }))).toEqual([
        403,
        signIn.stale,
      ]);
      expect((await visitor.get('/account/methods')).text).toContain(en.methods.addCodeApp);
    });

    it.each(['/account/sign-in', '/account/second-step', '/account/set-up'])(
      'have nothing at %s, the address of a form, but a way to the account',
      async (path) => {
        const answer = await createTestBrowser().get(realm.url + path);
        expect(resultOf(answer)).toEqual([303, '/account']);
        expect(answer.headers).toHaveProperty('cache-control', 'no-store');
      },
    );
  });

  describe('that were shown to others', () => {
    it('have forms that are refused, as are those without a token: 403, and nothing changes', async () => {
      const browser = createTestBrowser();
      const before = await accounts.signIn({}, browser);
      const tokens: (string | undefined)[] = [undefined, '', 'x', await before.readToken()];
      await before.signOut();
      const another = await accounts.signIn({}, browser);
      tokens.push(await another.readToken());
      await another.signOut();
      const { visitor, other } = await signInWithEverything({ user: before.user, browser });
      tokens.push(await other.readToken());
      const [filled, state] = [await fillIn(visitor), await readState(visitor)];
      for (const [path] of forms) {
        for (const form_token of tokens) {
          const fields = { ...filled[path], ...(form_token !== undefined && { form_token }) };
          expect([path, ...resultOf(await visitor.sendTo(path, fields))]).toEqual([path, 403, account.stale]);
        }
      }
      expect(await readState(visitor)).toEqual(state);
      expect(await other.isSignedIn()).toBe(true);
    });

    it('have forms that live for an hour at least, and for two at most', async () => {
      const visitor = await accounts.signIn();
      const page = await visitor.get('/account');
      realm.advance(3_600_000);
      expect(resultOf(await visitor.send(page, '/account', { nickname: 'In time' }))).toEqual([303, '/account']);
      realm.advance(3_600_000);
      expect(resultOf(await visitor.send(page, '/account', { nickname: 'Too late' }))).toEqual([403, account.stale]);
      expect((await visitor.get('/account')).text).toContain('value="In time"');
    });

    it('have forms that each work for their own user', async () => {
      const { visitor } = await signInWithEverything();
      const filled = await fillIn(visitor);
      for (const [path] of forms) {
        const { status } = await visitor.post(path, filled[path]);
        expect([path, status]).toEqual([path, path === '/account/recovery-codes' ? 200 : 303]);
      }
    });
  });

  describe('ten minutes after the sign-in', () => {
    it('ask for it again before a change of the methods alone, and then lead on with the same session', async () => {
      const visitor = await accounts.signIn();
      const tokens = await accounts.obtainTokens(visitor, client);
      const { sid } = readForms(await visitor.get('/account/sessions'))[0]?.fields ?? {};
      realm.advance(tooLong);
      for (const path of guardedPages) {
        const page = await visitor.get(path);
        expect([path, page.status, asksForSignIn(page)]).toEqual([path, 200, true]);
        expect(page.text).toContain(`value="${visitor.user.username}"`);
      }
      for (const path of openPages) expect([path, asksForSignIn(await visitor.get(path))]).toEqual([path, false]);
      expect(resultOf(await visitor.signIn('/account/password'))).toEqual([303, '/account/password']);
      for (const path of guardedPages) expect([path, asksForSignIn(await visitor.get(path))]).toEqual([path, false]);
      expect(readForms(await visitor.get('/account/sessions'))[0]?.fields).toMatchObject({ sid });
      expect(await accounts.isRefreshed(client, tokens)).toBe(true);
    });

    it('take no form that changes a method: 403, the sign-in, and nothing changes; the same form works after it', async () => {
      const { visitor, authenticator } = await signInWithEverything();
      const [filled, form_token] = [await fillIn(visitor), await visitor.readToken()];
      realm.advance(tooLong);
      const state = await readState(visitor);
      for (const path of forms.map(([one]) => one).filter((one) => !openForms.includes(one))) {
        const refused = await visitor.sendTo(path, { ...filled[path], form_token });
        expect([path, ...resultOf(refused)]).toEqual([path, 403, signIn.again]);
        expect(asksForSignIn(refused)).toBe(true);
      }
      expect(await readState(visitor)).toEqual(state);
      await visitor.signInByPasskey(authenticator, '/account/password');
      const again = { ...filled['/account/passkeys/rename'], form_token };
      expect(resultOf(await visitor.sendTo('/account/passkeys/rename', again))).toEqual([303, '/account/methods']);
    });

    it('take the forms that change no method', async () => {
      const { visitor, other } = await signInWithEverything();
      const filled = await fillIn(visitor);
      realm.advance(tooLong);
      for (const path of openForms) {
        const { status } = await visitor.post(path, filled[path]);
        expect([path, status]).toEqual([path, 303]);
      }
      expect(await other.isSignedIn()).toBe(false);
      expect((await visitor.get('/account')).text).toContain('value="Changed"');
      expect((await visitor.get('/account/applications')).text).toContain(en.applications.none);
    });

    it('ask a user with a second step for both, and take no password alone', async () => {
      const { visitor, nextCode } = await signInWithEverything();
      realm.advance(tooLong);
      const page = await visitor.signIn('/account/code-app');
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(en.passkey.second)]);
      expect(asksForSignIn(await visitor.get('/account/code-app'))).toBe(true);
      const done = await visitor.send(page, '/account/second-step', { code: nextCode() });
      expect(resultOf(done)).toEqual([303, '/account/code-app']);
      expect(asksForSignIn(await visitor.get('/account/code-app'))).toBe(false);
    });

    it('show the page of another user who signs in there, whose session it is from then on', async () => {
      const visitor = await accounts.signIn();
      realm.advance(tooLong);
      const another = await accounts.createPerson();
      const page = await visitor.get('/account/password');
      expect(resultOf(await visitor.send(page, '/account/sign-in', { ...another }))).toEqual([
        303,
        '/account/password',
      ]);
      expect((await visitor.get('/account')).text).toContain(another.username);
    });
  });

  describe('of a user who set a second step up in another browser', () => {
    /** In this browser the password alone has been typed. */
    const signInBefore = async () => {
      const visitor = await accounts.signIn();
      const { nextCode } = await accounts.addCodeApp(await accounts.signInAs(visitor.user));
      return { visitor, nextCode };
    };

    it('ask for the second step alone before a change of the methods, and lead on', async () => {
      const { visitor, nextCode } = await signInBefore();
      expect(asksForSignIn(await visitor.get('/account/methods'))).toBe(false);
      const page = await visitor.get('/account/recovery-codes');
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(secondStep.prompt)]);
      expect(page.text).not.toContain('name="password"');
      const wrong = await visitor.send(page, '/account/second-step', { code: '000000' });
      expect(resultOf(wrong)).toEqual([400, secondStep.wrong]);
      const done = await visitor.send(wrong, '/account/second-step', { code: nextCode() });
      expect(resultOf(done)).toEqual([303, '/account/recovery-codes']);
      expect((await visitor.submit('/account/recovery-codes', '/account/recovery-codes')).status).toBe(200);
    });

    it('take no form that changes a method: 403, and the second step', async () => {
      const { visitor } = await signInBefore();
      const state = await readState(visitor);
      const refused = await visitor.post('/account/code-app/remove');
      expect(resultOf(refused)).toEqual([403, signIn.again]);
      expect(refused.text).toContain('action="/account/second-step"');
      expect(await readState(visitor)).toEqual(state);
    });
  });

  it('say by what they are about, and lead to each other and out', async () => {
    const visitor = await accounts.signIn();
    for (const path of openPages) {
      const { text } = await visitor.get(path);
      expect(text).toContain(`<a href="${path}" aria-current="page">`);
      for (const other of [...openPages, '/oauth/logout']) expect(text).toContain(`href="${other}"`);
    }
  });

  it('are shown in no frame, and tell no other site where the user was', async () => {
    const [visitor, stranger] = [await accounts.signIn(), accounts.visit(await accounts.createPerson())];
    for (const path of accountPaths.filter(withFrame)) {
      for (const { headers } of [await visitor.get(path), await stranger.get(path)]) {
        expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
        expect([headers['x-frame-options'], headers['referrer-policy']]).toEqual(['DENY', 'same-origin']);
      }
    }
  });

  it('are those of a user who is not disabled', async () => {
    const visitor = await accounts.signIn();
    await accounts.organization.change(visitor.user.username, { enabled: false });
    expect(await visitor.isSignedIn()).toBe(false);
    expect(resultOf(await visitor.signIn())).toEqual([400, signIn.wrong]);
  });
});
