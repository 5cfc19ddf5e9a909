import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@gatehouse/service-kit/database';
import { fill } from '@gatehouse/service-kit/html';
import { type Answer, type MailServer, showCode, startMailServer, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  asksForSignIn,
  type Credentials,
  createVisits,
  type Person,
  readForms,
  readPasskeyOptions,
  readRecoveryCodes,
  resultOf,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { authorizePath, readRedirect } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import {
  createBrowserElsewhere,
  createRecovery,
  mailEnv,
  makeNetworksFamiliar,
  openOrganizationDatabase,
  type Recovery,
} from '../support/mailed-links.ts';
import { withinOneSecond } from '../support/organization.ts';
import { callback, type Realm, readClaims } from '../support/realm.ts';
import { startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const mfa = 'urn:gatehouse:acr:mfa';
const setUpSubject = 'Open this link to go on';
const codeAppSubject = 'Your account has a second step now: a code app';
const passkeySubject = 'Your account has a second step now: a passkey';
const doors = ['/account/code-app', '/account/passkeys'] as const;
const { setUp, mailed: texts, signIn, email } = en;

const pathOf = (link: string) => {
  const { pathname, search } = new URL(link);
  return pathname + search;
};
const asksForLink = ({ text }: Answer) => text.includes(setUp.link);
const fieldsOf = (page: Answer) => readForms(page).at(-1)?.fields ?? {};

describe.each(testDialects)('the first second step from a new place on %s', (dialect) => {
  let realm: Realm & { orgDatabaseUrl: string };
  let accounts: Accounts;
  let client: Credentials;
  let mails: MailServer;
  let recovery: Recovery;
  let database: Database;

  beforeAll(async () => {
    mails = await startMailServer();
    realm = await startRealmOn(dialect, {}, { orgEnv: mailEnv(mails) });
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

  const createHolder = (more: object = {}) => accounts.createPerson({ emailVerified: true, ...more });
  const arrive = async (more: object = {}) => accounts.signInAs(await createHolder(more), createBrowserElsewhere());
  const readLink = ({ user }: Pick<Visitor, 'user'>) => recovery.readLink(user.username, setUpSubject);
  const askForLink = async (visitor: Visitor, door: string) => {
    const sent = await visitor.submit(door, door, { decision: 'link' });
    expect([sent.status, sent.text.includes(setUp.linkSent)]).toEqual([200, true]);
    return readLink(visitor);
  };
  const countMails = ({ username }: Person) => mails.mails.filter(({ to }) => to.includes(username)).length;
  const hasSecondStep = async ({ user: { username, password } }: Pick<Visitor, 'user'>) =>
    asksForSignIn(await accounts.visit({ username, password }, createBrowserElsewhere()).signIn('/account'));
  /** Makes networks new ones again. */
  const makeNetworksNew = () => database.execute('UPDATE known_networks SET known_since = ?', [Date.now()]);
  const authorizeUrl = (more: object = {}) =>
    realm.url +
    authorizePath({
      ...{ response_type: 'code', client_id: client.client_id, redirect_uri: callback, scope: 'openid' },
      ...{ state: 'a state & more', acr_values: mfa, ...more },
    });

  describe.each(doors)('at %s', (door) => {
    it('waits for a mailed link, which works in the browser that asked and goes on there', async () => {
      const visitor = await arrive();
      const page = await visitor.get(door);
      expect([page.status, asksForLink(page)]).toEqual([200, true]);
      expect(page.text).not.toContain('name="code"');
      expect(page.text).not.toContain('id="webauthn"');
      const link = await askForLink(visitor, door);

      for (let turn = 0; turn < 3; turn += 1) {
        const opened = await visitor.get(pathOf(link));
        expect(opened.text).toContain(fill(texts.setUp, { username: visitor.user.username }));
      }
      expect(asksForLink(await visitor.get(door))).toBe(true);
      expect(resultOf(await recovery.use(link, {}, visitor.browser))).toEqual([303, door]);
      const after = await visitor.get(door);
      expect([asksForLink(after), after.status]).toEqual([false, 200]);
      const { answer, recoveryCodes } =
        door === '/account/code-app' ? await accounts.addCodeApp(visitor) : await accounts.addPasskey(visitor);
      expect([answer.status, recoveryCodes.length]).toEqual([200, 10]);
      expect((await recovery.use(link, {}, visitor.browser)).status).toBe(404);
    });

    it('is not opened by the link in another browser: 403, and the link works still', async () => {
      const visitor = await arrive();
      const link = await askForLink(visitor, door);
      const stranger = accounts.visit(visitor.user, createBrowserElsewhere());
      expect(resultOf(await recovery.use(link, {}, stranger.browser))).toEqual([403, texts.otherBrowser]);
      await stranger.signIn();
      expect(resultOf(await recovery.use(link, {}, stranger.browser))).toEqual([403, texts.otherBrowser]);
      expect(asksForLink(await stranger.get(door))).toBe(true);
      expect(resultOf(await recovery.use(link, {}, visitor.browser))).toEqual([303, door]);
      expect(asksForLink(await stranger.get(door))).toBe(true);
    });

    it.each<[string, () => Promise<Visitor>]>([
      ['the address is not verified', () => arrive({ emailVerified: false })],
      [
        'the network is familiar',
        async () => {
          const visitor = await arrive();
          await makeNetworksFamiliar(database);
          return visitor;
        },
      ],
      [
        'the user has a second step',
        async () => {
          const visitor = await arrive();
          await makeNetworksFamiliar(database);
          if (door === '/account/code-app') await accounts.addPasskey(visitor);
          else await accounts.addCodeApp(visitor);
          await makeNetworksNew();
          return visitor;
        },
      ],
    ])('waits for none where %s', async (_case, come) => {
      const visitor = await come();
      expect(asksForLink(await visitor.get(door))).toBe(false);
      const { answer } =
        door === '/account/code-app' ? await accounts.addCodeApp(visitor) : await accounts.addPasskey(visitor);
      expect(answer.status).toBeLessThan(400);
    });

    it('is not made by a form of a page that was sent before', async () => {
      const visitor = await arrive();
      await makeNetworksFamiliar(database);
      const page = await visitor.get(door);
      await makeNetworksNew();
      const { secret = '' } = fieldsOf(page);
      const credential = () => {
        const { challenge = '', user } = readPasskeyOptions(page).create ?? {};
        return accounts.createKey().create({ challenge, userHandle: user?.id ?? '' });
      };
      const fields: Record<string, string> =
        door === '/account/code-app' ? { code: showCode(secret) } : { credential: credential(), name: 'A passkey' };
      expect(resultOf(await visitor.send(page, door, fields))).toEqual([303, door]);
      expect(asksForLink(await visitor.get(door))).toBe(true);
      expect(await hasSecondStep(visitor)).toBe(false);
    });

    it('is not asked for by a form of another session: 403', async () => {
      const visitor = await arrive();
      const form_token = await (await arrive()).readToken();
      expect((await visitor.sendTo(door, { form_token, decision: 'link' })).status).toBe(403);
      expect((await visitor.sendTo(door, { decision: 'link' })).status).toBe(403);
      await sleep(200);
      expect(countMails(visitor.user)).toBe(0);
    });
  });

  it('says so in the language of the page, and mails in it', async () => {
    const visitor = accounts.visit(await createHolder(), createBrowserElsewhere({ 'accept-language': 'de' }));
    await visitor.signIn();
    expect((await visitor.get('/account/code-app')).text).toContain('<html lang="de"');
    await visitor.submit('/account/code-app', '/account/code-app', { decision: 'link' });
    expect((await mails.waitFor(visitor.user.username)).subject).not.toBe(setUpSubject);
  });

  it('is the same browser for other pages and later sign-ins once the link was used', async () => {
    const visitor = await arrive();
    await recovery.use(await askForLink(visitor, '/account/code-app'), {}, visitor.browser);
    await visitor.signOut();
    await visitor.signIn();
    for (const door of doors) expect(asksForLink(await visitor.get(door))).toBe(false);
    await visitor.signOut();
    const other = await accounts.signInAs(await createHolder(), visitor.browser);
    expect(asksForLink(await other.get(doors[0]))).toBe(true);
  });

  it('waits for one a day after a password that REQUIRE_MFA lets nobody in by', async () => {
    const replica = await startReplica(realm, { REQUIRE_MFA: 'DirectoryReader' });
    const user = await createHolder({ roles: ['DirectoryReader'] });
    const signInThere = async () => {
      const visitor = createVisits(replica)(user, createBrowserElsewhere({ 'x-forwarded-for': '2001:db8:1::1' }));
      await visitor.signIn();
      return { page: await visitor.get('/account'), cookies: Object.keys(visitor.browser.cookies()) };
    };
    const { page, cookies } = await signInThere();
    expect(asksForLink(page)).toBe(true);
    expect(cookies.filter((name) => name.includes('known-browser'))).toEqual([]);
    await makeNetworksFamiliar(database);
    expect(asksForLink((await signInThere()).page)).toBe(true);
    await replica.close();
  });

  it('waits for no link where the user accepts an invitation', async () => {
    const username = `${randomBytes(6).toString('hex')}@example.com`;
    await accounts.organization.create({ username, userType: 'Person', invite: true });
    const link = await recovery.readLink(username, 'You are invited');
    const browser = createBrowserElsewhere();
    const page = await browser.get(link);
    const { challenge = '', user } = readPasskeyOptions(page).create ?? {};
    const credential = accounts.createKey().create({ challenge, userHandle: user?.id ?? '' });
    const done = await browser.post(new URL('/account/link', link).href, { ...fieldsOf(page), credential });
    expect([done.status, readRecoveryCodes(done).length]).toEqual([200, 10]);
  });

  describe('at the sign-in', () => {
    const begin = async (more: object = {}) => {
      const user = await createHolder(more);
      const browser = createBrowserElsewhere();
      const url = authorizeUrl();
      const page = await browser.submit(await browser.get(url), url, { ...user });
      return { user, browser, url, page };
    };

    it('waits for a mailed link, which goes on with the request until the application has its code', async () => {
      const { user, browser, url, page } = await begin();
      expect([page.status, asksForLink(page)]).toEqual([200, true]);
      expect(fieldsOf(page).secret).toBe('');
      const sent = await browser.submit(page, url, { decision: 'link' });
      expect(sent.text).toContain(setUp.linkSent);
      const link = await readLink({ user });
      const led = await recovery.use(link, {}, browser);
      expect(led.status).toBe(303);
      const next = new URL(String(led.headers.location), realm.url).href;
      expect(new URL(next).pathname).toBe('/oauth/authorize');
      const setUpPage = await browser.get(next);
      expect([asksForLink(setUpPage), setUpPage.text.includes(setUp.codeApp)]).toEqual([false, true]);
      const { secret = '' } = fieldsOf(setUpPage);
      const codes = await browser.submit(setUpPage, next, { code: showCode(secret) });
      expect(readRecoveryCodes(codes)).toHaveLength(10);
      let answer = await browser.submit(codes, next, { kept: 'yes' });
      if (answer.status === 200) answer = await browser.submit(answer, next, { decision: 'allow' });
      const { target, parameters } = readRedirect(answer);
      expect([target, parameters.state]).toEqual([callback, 'a state & more']);
      const tokens = await realm.tokens(client, {
        ...{ grant_type: 'authorization_code', code: parameters.code ?? '', redirect_uri: callback },
      });
      expect(readClaims<{ acr: string }>(tokens.id_token ?? '').acr).toBe(mfa);
      expect((await mails.waitFor(user.username)).subject).toBe(codeAppSubject);
    });

    it('is not made by forms that skip the page', async () => {
      const { user, browser, url, page } = await begin();
      const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
      const forged = await browser.submit(page, url, { secret, code: showCode(secret) });
      expect(resultOf(forged)).toEqual([403, signIn.stale]);
      const skipped = await browser.submit(page, url, {});
      expect([skipped.status, asksForLink(skipped)]).toEqual([200, true]);
      expect(await hasSecondStep({ user } as Visitor)).toBe(false);
    });

    it('is not made by a form of a page that was sent before', async () => {
      const { user, browser, url } = await begin();
      await makeNetworksFamiliar(database);
      const page = await browser.get(url);
      const { secret = '' } = fieldsOf(page);
      expect(secret).not.toBe('');
      await makeNetworksNew();
      const refused = await browser.submit(page, url, { code: showCode(secret) });
      expect([refused.status, asksForLink(refused)]).toEqual([200, true]);
      expect(await hasSecondStep({ user } as Visitor)).toBe(false);
      await browser.submit(refused, url, { decision: 'link' });
      expect((await recovery.use(await readLink({ user }), {}, browser)).status).toBe(303);
    });

    it('ends at the application where the user cancels', async () => {
      const { browser, url, page } = await begin();
      const { target, parameters } = readRedirect(await browser.submit(page, url, { decision: 'cancel' }));
      expect([target, parameters.code]).toEqual([callback, undefined]);
      expect(parameters.error).toBeDefined();
    });

    it('waits for none with an address that is not verified', async () => {
      const { page } = await begin({ emailVerified: false });
      expect([asksForLink(page), fieldsOf(page).secret]).toEqual([false, expect.stringMatching(/^[A-Z2-7]{32}$/)]);
    });

    it('of a device waits for a mailed link, which goes on with its code', async () => {
      const devices = useDevices(realm);
      const device = await accounts.registerClient({
        ...{ authorized_grant_types: [deviceGrant], redirect_uri: undefined, required_acr: mfa },
      });
      const started = await devices.start(device, { scope: 'openid' });
      const user = await createHolder();
      const browser = createBrowserElsewhere();
      const url = `${devices.page}?${new URLSearchParams({ user_code: started.user_code })}`;
      const page = await browser.submit(await browser.get(url), url, { ...user });
      expect([page.status, asksForLink(page)]).toEqual([200, true]);
      expect(readForms(page).at(-1)?.action).toBe('device-set-up');
      expect((await browser.submit(page, url, { decision: 'link' })).text).toContain(setUp.linkSent);
      const led = await recovery.use(await readLink({ user }), {}, browser);
      const next = new URL(String(led.headers.location), realm.url);
      expect([next.pathname, next.searchParams.get('user_code')]).toEqual(['/oauth/device', started.user_code]);
      const setUpPage = await browser.get(next.href);
      expect(asksForLink(setUpPage)).toBe(false);
      const { secret = '' } = fieldsOf(setUpPage);
      const codes = await browser.submit(setUpPage, next.href, { code: showCode(secret) });
      const decision = await browser.submit(codes, next.href, { kept: 'yes' });
      await browser.submit(decision, next.href, { decision: 'allow' });
      expect((await devices.poll(device, started)).status).toBe(200);
    });
  });

  describe('is told by a mail whose link', () => {
    const useFirst = async (add: (visitor: Visitor) => Promise<unknown>, subject: string) => {
      const visitor = await arrive();
      await makeNetworksFamiliar(database);
      await add(visitor);
      return { visitor, link: await recovery.readLink(visitor.user.username, subject) };
    };

    it.each<[string, string, (visitor: Visitor) => Promise<unknown>]>([
      ['a code app', codeAppSubject, (visitor) => accounts.addCodeApp(visitor)],
      ['a passkey', passkeySubject, (visitor) => accounts.addPasskey(visitor)],
    ])('removes %s, by the username, in any browser, and ends every session and grant', async (_case, subject, add) => {
      const { visitor, link } = await useFirst(add, subject);
      const tokens = await accounts.obtainTokens(visitor, client, 'openid offline_access');
      const elsewhere = createBrowserElsewhere();
      const page = await elsewhere.get(link);
      expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(page.text).not.toContain(visitor.user.username);
      const wrong = await recovery.use(link, { username: 'nobody@example.com' }, elsewhere);
      expect(resultOf(wrong)).toEqual([400, email.wrongUsername]);
      expect(wrong.text).not.toContain(visitor.user.username);
      expect(await visitor.isSignedIn()).toBe(true);

      const done = await recovery.use(link, { username: ` ${visitor.user.username}`.trim().toUpperCase() }, elsewhere);
      expect([done.status, done.text.includes(texts.removed)]).toEqual([200, true]);
      expect(done.text).toContain('href="/account/recover"');
      expect(await visitor.isSignedIn()).toBe(false);
      await withinOneSecond(async () => {
        expect(await accounts.isActive(client, tokens.access_token)).toBe(false);
      });
      expect(await accounts.isRefreshed(client, tokens)).toBe(false);
      expect(await hasSecondStep(visitor)).toBe(false);
      expect(asksForSignIn(await elsewhere.get(`${realm.url}/account`))).toBe(true);
      expect((await elsewhere.get(link)).status).toBe(404);
    });

    it('takes no form of another browser: 403', async () => {
      const { visitor, link } = await useFirst((one) => accounts.addCodeApp(one), codeAppSubject);
      const foreign = fieldsOf(await createBrowserElsewhere().get(link));
      const { username } = visitor.user;
      const answer = await createBrowserElsewhere().post(new URL('/account/link', link).href, { ...foreign, username });
      expect(resultOf(answer)).toEqual([403, en.account.stale]);
      expect(await visitor.isSignedIn()).toBe(true);
    });
  });
});

it.each(testDialects)('without mails, the first second step waits for no link on %s', async (dialect) => {
  const realm = await startRealmOn(dialect);
  const accounts = await useAccounts(realm);
  const visitor = await accounts.signIn({ emailVerified: true }, createBrowserElsewhere());
  for (const door of doors) expect(asksForLink(await visitor.get(door))).toBe(false);
  expect((await accounts.addCodeApp(visitor)).recoveryCodes).toHaveLength(10);
  await realm.close();
});
