import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { fill } from '@gatehouse/service-kit/html';
import { type Answer, call, type MailServer, readLog, startMailServer, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  asksForSignIn,
  type Credentials,
  type Person,
  readContent,
  readForms,
  resultOf,
  tooLong,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { authorizePath, readRedirect } from '../support/browser.ts';
import {
  createBrowserElsewhere,
  createRecovery,
  mailEnv,
  makeNetworksFamiliar,
  openOrganizationDatabase,
  type Recovery,
} from '../support/mailed-links.ts';
import { withinOneSecond } from '../support/organization.ts';
import { callback, type Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/account/link';
const verifyPath = '/account/email/verify';
const verifySubject = 'Confirm your e-mail address';
const next = 'another long enough password';
const { account, mailed: texts, methods, recover, secondStep, signIn, profile } = en;
const faults = methods.passwordFaults;

const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';
/** Where the page leads on. */
const findNext = ({ text }: Answer) =>
  (/<p class="way"><a href="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
/** An answer, without what differs each time. */
const describeAnswer = (answer: Answer) => {
  const { date: _date, 'x-request-id': _id, 'set-cookie': _cookies, ...headers } = answer.headers;
  return { status: answer.status, headers, text: readContent(answer) };
};

describe.each(testDialects)('a mailed link on %s', (dialect) => {
  const log = createLogger('test', 'trace');
  const read = readLog(log);
  let realm: Realm & { orgDatabaseUrl: string };
  let accounts: Accounts;
  let client: Credentials;
  let mails: MailServer;
  let recovery: Recovery;
  let database: Database;

  beforeAll(async () => {
    mails = await startMailServer();
    realm = await startRealmOn(dialect, {}, { log, orgEnv: mailEnv(mails) });
    accounts = await useAccounts(realm);
    client = await accounts.registerClient();
    recovery = createRecovery(realm, mails);
    database = await openOrganizationDatabase(realm.orgDatabaseUrl);
  });
  afterAll(async () => {
    await database?.close();
    await realm?.close();
    await mails?.close();
  });

  const open = (link: string, browser = createBrowserElsewhere()) => browser.get(link);
  const createHolder = (more: object = {}) => accounts.createPerson({ emailVerified: true, ...more });
  const signInWith = async (user: Person, password: string) =>
    resultOf(await accounts.visit(user, createBrowserElsewhere()).signIn('/account', password));
  const countMails = (to: string) => mails.mails.filter((mail) => mail.to.includes(to)).length;

  describe('to a new password', () => {
    it('changes nothing by being opened, however often, by GET and HEAD', async () => {
      const user = await createHolder();
      const visitor = await accounts.signInAs(user, createBrowserElsewhere());
      const link = await recovery.obtainLink(user.username);
      for (let turn = 0; turn < 5; turn += 1) {
        const page = await open(link);
        expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
        expect(page.headers['referrer-policy']).toBe('same-origin');
        expect(page.text).toContain(fill(texts.username, { username: user.username }));
        expect((await call(link, { method: 'HEAD' })).status).toBe(200);
      }
      expect(await visitor.isSignedIn()).toBe(true);
      expect(await signInWith(user, user.password)).toEqual([303, '/account']);
      expect((await recovery.use(link, { password: next })).text).toContain(texts.setTitle);
    });

    it('sets it, signs nobody in, and leads on to the application that began it, which gets its code', async () => {
      const user = await createHolder();
      const browser = createBrowserElsewhere();
      const request = {
        ...{ response_type: 'code', client_id: client.client_id, redirect_uri: callback, scope: 'openid' },
        ...{ state: 'a state & more', nonce: 'a nonce' },
      };
      const signInPage = await browser.get(realm.url + authorizePath(request));
      const way = /<a href="(\/account\/recover\?[^"]*)"/.exec(signInPage.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      expect((await recovery.ask(user.username, browser, way.slice(way.indexOf('?')))).text).toContain(recover.sent);
      const link = await recovery.readLink(user.username);

      const done = await recovery.use(link, { password: next }, browser);
      expect([done.status, done.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(done.text).toContain(texts.set);
      expect(Object.keys(browser.cookies()).filter((name) => name.endsWith('gatehouse-session'))).toEqual([]);
      expect(asksForSignIn(await browser.get(`${realm.url}/account`))).toBe(true);

      const url = new URL(findNext(done), realm.url).href;
      const page = await browser.get(url);
      expect(page.text).toContain(`<h1>${signIn.title}</h1>`);
      let answer = await browser.submit(page, url, { username: user.username, password: next });
      if (answer.status === 200) answer = await browser.submit(answer, url, { decision: 'allow' });
      const { target, parameters } = readRedirect(answer);
      expect([target, parameters.state]).toEqual([callback, request.state]);
      const redemption = { grant_type: 'authorization_code', code: parameters.code ?? '', redirect_uri: callback };
      expect((await realm.tokens(client, redemption)).id_token).toBeDefined();
    });

    it('leads to the account where no application began it', async () => {
      const user = await createHolder();
      const done = await recovery.use(await recovery.obtainLink(user.username), { password: next });
      expect(findNext(done)).toBe('/account');
    });

    it('ends the password of before, each session and each token, and the user is told', async () => {
      const user = await createHolder();
      const visitor = await accounts.signInAs(user, createBrowserElsewhere());
      const tokens = [
        await accounts.obtainTokens(visitor, client),
        await accounts.obtainTokens(visitor, client, 'openid offline_access'),
      ];
      const link = await recovery.obtainLink(user.username);
      expect((await recovery.use(link, { password: next })).status).toBe(200);
      expect(await visitor.isSignedIn()).toBe(false);
      await withinOneSecond(async () => {
        for (const { access_token } of tokens) expect(await accounts.isActive(client, access_token)).toBe(false);
      });
      for (const each of tokens) expect(await accounts.isRefreshed(client, each)).toBe(false);
      expect(await signInWith(user, user.password)).toEqual([400, signIn.wrong]);
      expect(await signInWith(user, next)).toEqual([303, '/account']);
      const notice = await mails.waitFor(user.username, { subject: 'Your password was changed' });
      expect(notice.raw).not.toContain('?token=');
    });

    it('works once', async () => {
      const user = await createHolder();
      const link = await recovery.obtainLink(user.username);
      const browser = createBrowserElsewhere();
      const { fields } = readForms(await open(link, browser)).at(-1) ?? {};
      expect((await recovery.use(link, { password: next })).status).toBe(200);
      const again = await browser.post(realm.url + path, { ...fields, password: 'a third long password' });
      expect([again.status, again.text]).toEqual([404, (await open(link)).text]);
      expect(again.text).toContain(texts.gone);
      expect(await signInWith(user, next)).toEqual([303, '/account']);
    });

    it.each<[string, (user: Person, link: string) => Promise<unknown>]>([
      ['unknown', async (_user, link) => link.slice(0, -4).concat('AAAA')],
      ['used', async (_user, link) => recovery.use(link, { password: next })],
      [
        'too old',
        ({ username }) =>
          database.execute(
            'UPDATE mailed_links SET expires_at = ? WHERE user_id = (SELECT id FROM users WHERE username = ?)',
            [Date.now(), username],
          ),
      ],
      ['followed by another password', ({ username }) => accounts.organization.setPassword(username, next)],
      [
        'followed by another address',
        ({ username }) => accounts.organization.change(username, { email: `new-${username}`, emailVerified: true }),
      ],
      ['of a user who is disabled', ({ username }) => accounts.organization.change(username, { enabled: false })],
      ['of a user who is deleted', ({ username }) => accounts.organization.delete(username)],
    ])('is gone where it is %s: 404, each with the same page', async (_case, end) => {
      const user = await createHolder();
      const link = await recovery.obtainLink(user.username);
      const browser = createBrowserElsewhere();
      const { fields } = readForms(await open(link, browser)).at(-1) ?? {};
      const ended = await end(user, link);
      const dead = typeof ended === 'string' ? ended : link;
      const expected = describeAnswer(await open(`${realm.url}${path}?token=${'x'.repeat(43)}`));
      expect([expected.status, expected.headers['cache-control']]).toEqual([404, 'no-store']);
      expect(expected.text).toContain(`href="/account/recover">${texts.again}`);
      expect(describeAnswer(await open(dead))).toEqual(expected);
      expect((await call(dead, { method: 'HEAD' })).status).toBe(404);
      const posted = await browser.post(realm.url + path, { ...fields, token: tokenOf(dead), password: next });
      expect(describeAnswer(posted)).toEqual(expected);
    });

    it.each([
      '',
      '?token=',
      '?token=%00',
      `?token=${'x'.repeat(5_000)}`,
      '?token=<script>',
      '?token=a&token=b',
      '?x=y',
    ])('is none without a token that is one (%#)', async (query) => {
      const answer = await open(realm.url + path + query);
      expect([400, 404]).toContain(answer.status);
      expect(answer.text).not.toContain('<script>');
    });

    it.each<[string, (username: string) => string, string]>([
      ['too short', () => '1234567', fill(faults.password_too_short, { length: '8' })],
      ['missing', () => '', fill(faults.password_too_short, { length: '8' })],
      ['much too long', () => 'long'.repeat(1_025), faults.password_too_long],
      ['one of the commonest', () => 'password123', faults.password_common],
      ['the username', (username) => username.toUpperCase(), faults.password_resembles_name],
    ])('works still where the password was %s: 400, and the reason', async (_case, choose, message) => {
      const user = await createHolder();
      const visitor = await accounts.signInAs(user, createBrowserElsewhere());
      const link = await recovery.obtainLink(user.username);
      const browser = createBrowserElsewhere();
      const refused = await recovery.use(link, { password: choose(user.username) }, browser);
      expect(resultOf(refused)).toEqual([400, message]);
      expect(await visitor.isSignedIn()).toBe(true);
      const { fields } = readForms(refused).at(-1) ?? {};
      const done = await browser.post(realm.url + path, { ...fields, password: next });
      expect([done.status, await signInWith(user, next)]).toEqual([200, [303, '/account']]);
    });

    it('by forty at once sets one password', async () => {
      const user = await createHolder();
      const link = await recovery.obtainLink(user.username);
      const browser = createBrowserElsewhere();
      const { fields } = readForms(await open(link, browser)).at(-1) ?? {};
      const tries = Array.from({ length: 40 }, (_, turn) => `${next} ${turn}`);
      const answers = await Promise.all(
        tries.map((password) => browser.post(realm.url + path, { ...fields, password })),
      );
      const won = answers.flatMap(({ status }, turn) => (status === 200 ? [tries[turn] as string] : []));
      expect(won).toHaveLength(1);
      const others = new Set(answers.map(({ status }) => status).filter((status) => status !== 200));
      expect([...others].filter((status) => ![404, 429, 503].includes(status))).toEqual([]);
      expect(await signInWith(user, won[0] ?? '')).toEqual([303, '/account']);
      await mails.waitFor(user.username, { subject: 'Your password was changed' });
      await sleep(200);
      expect(countMails(user.username)).toBe(0);
    });

    it('takes no form of another browser, nor of another link: 403', async () => {
      const [user, other] = [await createHolder(), await createHolder()];
      const links = [await recovery.obtainLink(user.username), await recovery.obtainLink(other.username)] as const;
      const [browser, stranger] = [createBrowserElsewhere(), createBrowserElsewhere()];
      await open(links[0], browser);
      const foreign = readForms(await open(links[0], stranger)).at(-1)?.fields ?? {};
      const ofOther = readForms(await open(links[1], browser)).at(-1)?.fields ?? {};
      const token = tokenOf(links[0]);
      const forms: Record<string, string>[] = [foreign, { ...ofOther, token }, { token }, { token, form_token: 'x' }];
      for (const form of forms) {
        const refused = await browser.post(realm.url + path, { ...form, password: next });
        expect(resultOf(refused)).toEqual([403, account.stale]);
      }
      expect(await signInWith(user, user.password)).toEqual([303, '/account']);
      expect((await recovery.use(links[0], { password: next })).status).toBe(200);
    });

    it('is in no line of the log, nor is its password', async () => {
      const user = await createHolder();
      const link = await recovery.obtainLink(user.username);
      const secret = 'a password that no log has';
      const { fields } = readForms(await open(link)).at(-1) ?? {};
      await call(link, { method: 'HEAD' });
      await call(link, { method: 'PUT' });
      await call(realm.url + path, { form: { ...fields, password: secret } });
      await recovery.use(link, { password: '1' });
      await recovery.use(link, { password: secret });
      await open(link);
      await call(`${realm.url}/nothing?token=${tokenOf(link)}`);
      const lines = read().map((line) => JSON.stringify(line));
      expect(lines.filter((line) => line.includes(path)).length).toBeGreaterThan(4);
      expect(lines.filter((line) => line.includes(tokenOf(link)) || line.includes(secret))).toEqual([]);
    });

    it('leaves the second step of who has one, and needs no recovery code beside a password', async () => {
      const user = await createHolder();
      const visitor = await accounts.signInAs(user, createBrowserElsewhere());
      await makeNetworksFamiliar(database);
      const { nextCode } = await accounts.addCodeApp(visitor);
      await mails.waitFor(user.username);
      const link = await recovery.obtainLink(user.username);
      expect((await open(link)).text).not.toContain('name="code"');
      expect((await recovery.use(link, { password: next })).status).toBe(200);
      const another = accounts.visit(user, createBrowserElsewhere());
      const page = await another.signIn('/account', next);
      expect(page.text).toContain(secondStep.code);
      expect(resultOf(await another.send(page, '/account/second-step', { code: nextCode() }))).toEqual([
        303,
        '/account',
      ]);
    });

    it('takes a recovery code too of who has passkeys alone, and says so', async () => {
      const user = await createHolder();
      const visitor = await accounts.signInAs(user, createBrowserElsewhere());
      await makeNetworksFamiliar(database);
      const { authenticator, recoveryCodes } = await accounts.addPasskey(visitor);
      await mails.waitFor(user.username);
      expect((await visitor.submit('/account/methods', '/account/password/remove')).status).toBe(303);
      const link = await recovery.obtainLink(user.username);
      expect((await open(link)).text).toContain(texts.codeHint);
      for (const code of ['', 'AAAA-AAAA-AAAA-AAAA', '000000', 'x'.repeat(1_000)]) {
        const refused = await recovery.use(link, { password: next, code });
        expect(resultOf(refused)).toEqual([400, texts.wrongCode]);
      }
      const [code = ''] = recoveryCodes;
      // A password that is not taken uses no code up.
      expect((await recovery.use(link, { password: '1234567', code })).status).toBe(400);
      const done = await recovery.use(link, { password: next, code });
      expect([done.status, await visitor.isSignedIn()]).toEqual([200, false]);
      const another = accounts.visit(user, createBrowserElsewhere());
      expect((await another.signIn('/account', next)).text).toContain(en.passkey.second);
      expect(resultOf(await another.signInByPasskey(authenticator))).toEqual([303, '/account']);
    });
  });

  describe('that confirms an address', () => {
    const signInUnverified = async () => accounts.signIn({}, createBrowserElsewhere());
    const isVerified = async (visitor: Visitor) =>
      (await visitor.get('/account')).text.includes(`<span class="badge">${profile.verified}</span>`);
    const askForLink = async (visitor: Visitor) => {
      const answer = await visitor.submit('/account', verifyPath);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      return recovery.readLink(visitor.user.username, verifySubject);
    };
    const confirm = (visitor: Visitor, link: string) => recovery.use(link, {}, visitor.browser);

    it('is offered to who has not confirmed it, and to nobody else', async () => {
      const visitor = await signInUnverified();
      const page = await visitor.get('/account');
      expect(readForms(page).map(({ action }) => action)).toContain(verifyPath);
      expect(page.text).toContain(profile.confirmEmail);
      const verified = await accounts.signInAs(await createHolder(), createBrowserElsewhere());
      expect((await verified.get('/account')).text).not.toContain(verifyPath);
      expect(resultOf(await verified.post(verifyPath))).toEqual([400, account.changedMeanwhile]);
    });

    it('is mailed, asks for a sign-in where there is none, leads back to itself, and confirms by its form', async () => {
      const visitor = await signInUnverified();
      const sent = await visitor.submit('/account', verifyPath);
      expect(sent.text).toContain(fill(texts.sent, { email: visitor.user.username }));
      const link = await recovery.readLink(visitor.user.username, verifySubject);

      const another = accounts.visit(visitor.user, createBrowserElsewhere());
      const { pathname, search } = new URL(link);
      const asked = await another.get(pathname + search);
      expect(asksForSignIn(asked)).toBe(true);
      const led = await another.send(asked, '/account/sign-in', { ...visitor.user });
      expect(resultOf(led)).toEqual([303, pathname + search]);
      for (let turn = 0; turn < 3; turn += 1) {
        const page = await another.get(pathname + search);
        expect(page.text).toContain(fill(texts.verify, { email: visitor.user.username }));
        expect((await call(link, { method: 'HEAD' })).status).toBe(200);
      }
      expect(await isVerified(another)).toBe(false);
      expect(resultOf(await confirm(another, link))).toEqual([303, '/account']);
      expect(await isVerified(another)).toBe(true);
      expect(await isVerified(visitor)).toBe(true);
      expect((await another.get('/account')).text).not.toContain(verifyPath);
      expect((await open(link, another.browser)).status).toBe(404);
    });

    it('confirms nothing for another user: 403', async () => {
      const visitor = await signInUnverified();
      const link = await askForLink(visitor);
      const other = await signInUnverified();
      expect(resultOf(await open(link, other.browser))).toEqual([403, texts.verifyOther]);
      expect(resultOf(await confirm(other, link))).toEqual([403, texts.verifyOther]);
      expect([await isVerified(visitor), await isVerified(other)]).toEqual([false, false]);
      expect(resultOf(await confirm(visitor, link))).toEqual([303, '/account']);
    });

    it('confirms nothing where nobody is signed in', async () => {
      const visitor = await signInUnverified();
      const { browser } = visitor;
      const link = await askForLink(visitor);
      const { fields } = readForms(await open(link, browser)).at(-1) ?? {};
      await visitor.signOut();
      const answer = await browser.post(realm.url + path, { ...fields });
      expect(asksForSignIn(answer)).toBe(true);
      const again = await accounts.signInAs(visitor.user, browser);
      expect(await isVerified(again)).toBe(false);
      expect(resultOf(await confirm(again, link))).toEqual([303, '/account']);
    });

    it('confirms no address but that to which it went', async () => {
      const visitor = await signInUnverified();
      const link = await askForLink(visitor);
      await accounts.organization.change(visitor.user.username, { email: `new-${visitor.user.username}` });
      expect((await open(link, visitor.browser)).status).toBe(404);
      expect(await isVerified(visitor)).toBe(false);
    });

    it('by twenty at once confirms once', async () => {
      const visitor = await signInUnverified();
      const link = await askForLink(visitor);
      const { fields } = readForms(await open(link, visitor.browser)).at(-1) ?? {};
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => visitor.browser.post(realm.url + path, { ...fields })),
      );
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
      expect(await isVerified(visitor)).toBe(true);
    });

    it('is not mailed by a form of another session: 403', async () => {
      const visitor = await signInUnverified();
      const form_token = await (await signInUnverified()).readToken();
      expect((await visitor.sendTo(verifyPath, { form_token })).status).toBe(403);
      expect((await visitor.sendTo(verifyPath, {})).status).toBe(403);
      await sleep(200);
      expect(countMails(visitor.user.username)).toBe(0);
    });

    it('needs a sign-in of the last ten minutes: 403', async () => {
      const visitor = await signInUnverified();
      const page = await visitor.get('/account');
      realm.advance(tooLong);
      const late = await visitor.send(page, verifyPath);
      expect(resultOf(late)).toEqual([403, signIn.again]);
      await sleep(200);
      expect(countMails(visitor.user.username)).toBe(0);
      expect((await visitor.send(late, '/account/sign-in', { ...visitor.user })).status).toBe(303);
      expect((await visitor.submit('/account', verifyPath)).status).toBe(200);
    });
  });
});
