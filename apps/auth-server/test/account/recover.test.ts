import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@gatehouse/service-kit/database';
import {
  type Answer,
  linkOf,
  type MailServer,
  quickestDialect,
  startMailServer,
  type TestBrowser,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { de } from '../../src/pages/messages/de.ts';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  type Credentials,
  escaped,
  readContent,
  readForms,
  resultOf,
  useAccounts,
} from '../support/account.ts';
import { authorizePath } from '../support/browser.ts';
import {
  createBrowserElsewhere,
  createRecovery,
  mailEnv,
  openOrganizationDatabase,
  type Recovery,
  resetSubject,
} from '../support/mailed-links.ts';
import { callback, type Realm, startRealm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/account/recover';
const { recover: texts, account, signIn } = en;
const helpUrl = 'https://help.example.com/?a=1&b=2';

/** Where the page of a sign-in leads who forgot the password. */
const findWay = ({ text }: Answer) =>
  /<a href="([^"]*\/account\/recover[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
const signInPageOf = (realm: Pick<Realm, 'url'>, { client_id }: Credentials, browser: TestBrowser, more: object = {}) =>
  browser.get(
    realm.url + authorizePath({ response_type: 'code', client_id, redirect_uri: callback, scope: 'openid', ...more }),
  );

describe(`a forgotten password where no mails are sent (on ${quickestDialect})`, () => {
  let realm: Realm;
  let accounts: Accounts;
  beforeAll(async () => {
    realm = await startRealm({ HELP_URL: helpUrl });
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  it('is a matter of the people who help: no page of a sign-in leads on', async () => {
    const client = await accounts.registerClient();
    const browser = createBrowserElsewhere();
    for (const page of [await signInPageOf(realm, client, browser), await browser.get(`${realm.url}/account`)]) {
      expect(page.text).toContain(`<h1>${signIn.title}</h1>`);
      expect(page.text).not.toContain(path);
    }
  });

  it('has a page that names them, whatever is posted', async () => {
    const browser = createBrowserElsewhere();
    const posts: Record<string, string>[] = [
      {},
      { username: 'user@example.com' },
      { username: 'user@example.com', form_token: 'x' },
    ];
    const [page, ...answers] = [
      await browser.get(realm.url + path),
      ...(await Promise.all(posts.map((form) => browser.post(realm.url + path, form)))),
    ];
    expect(page?.text).toContain(texts.noMail);
    expect(page?.text).toContain(`href="${escaped(helpUrl)}"`);
    for (const { status, text } of answers) expect([status, text]).toEqual([200, page?.text]);
    expect(readForms(page as Answer)).toEqual([]);
  });
});

describe.each(testDialects)('a forgotten password on %s', (dialect) => {
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

  /** Waits until nobody waits for a mail any more. */
  const settle = async () => {
    for (let turn = 0; turn < 400; turn += 1) {
      if ((await database.query('SELECT id FROM mails', [])).length === 0) return;
      await sleep(25);
    }
    throw new Error('mails wait still');
  };
  const addresses = () => mails.mails.flatMap(({ to }) => to);
  const createHolder = (more: object = {}) => accounts.createPerson({ emailVerified: true, ...more });

  it('leads from the sign-in page of an application to a page that goes on with its request', async () => {
    const browser = createBrowserElsewhere();
    const more = { state: 'a state & more', nonce: 'n"once', ui_locales: 'en' };
    const way = findWay(await signInPageOf(realm, client, browser, more)) ?? '';
    const { pathname, searchParams } = new URL(way, realm.url);
    expect(pathname).toBe(path);
    const carried = new URLSearchParams(searchParams.get('request') ?? '');
    expect(Object.fromEntries(carried)).toMatchObject({ client_id: client.client_id, redirect_uri: callback, ...more });
    const page = await browser.get(realm.url + way);
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(readForms(page).at(-1)).toMatchObject({
      action: `${path}?ui_locales=en`,
      fields: { request: searchParams.get('request') },
    });
  });

  it('leads there from the sign-in page of the account, and after a wrong password', async () => {
    const visitor = accounts.visit(await createHolder(), createBrowserElsewhere());
    expect(findWay(await visitor.get('/account'))).toBe(`${path}?ui_locales=en`);
    expect(findWay(await visitor.signIn('/account', 'wrong'))).toBe(`${path}?ui_locales=en`);
  });

  it('tells nobody who exists: every name gets the same answer', async () => {
    const [known, unverified, disabled] = await Promise.all([
      createHolder(),
      accounts.createPerson(),
      createHolder({ enabled: false }),
    ]);
    const names = [
      known.username,
      known.username.toUpperCase(),
      `nobody-${known.username}`,
      'nobody',
      unverified.username,
      disabled.username,
    ];
    const answers = await Promise.all(names.map((name) => recovery.ask(name)));
    const { date: _date, 'x-request-id': _id, ...headers } = answers[0]?.headers ?? {};
    for (const answer of answers) {
      expect([answer.status, answer.text]).toEqual([200, answers[0]?.text]);
      expect(answer.headers).toMatchObject(headers);
    }
    expect(answers[0]?.text).toContain(texts.sent);
    expect(linkOf(await mails.waitFor(known.username))).toMatch(/\/account\/link\?token=[\w-]{43}$/);
    await settle();
    expect(addresses().filter((to) => to === unverified.username || to === disabled.username)).toEqual([]);
  });

  it('is found by the verified address too; the mail goes to the address as it is stored', async () => {
    const user = await createHolder({ email: 'Stored.Address@example.net' });
    expect((await recovery.ask('  stored.address@example.NET ')).status).toBe(200);
    const mail = await mails.waitFor('Stored.Address@example.net');
    expect([mail.to, mail.subject]).toEqual([['Stored.Address@example.net'], resetSubject]);
    expect(mail.text).toContain(user.username);
    await settle();
    expect(addresses().filter((to) => to.toLowerCase() === 'stored.address@example.net')).toEqual([]);
  });

  it('of each user who has an address verified is mailed to it, each with a link of its own', async () => {
    const email = 'shared@example.net';
    const users = [await createHolder({ email }), await createHolder({ email }), await createHolder({ email })];
    await accounts.createPerson({ email });
    expect((await recovery.ask(email)).text).toContain(texts.sent);
    const found = [await mails.waitFor(email), await mails.waitFor(email), await mails.waitFor(email)];
    const pages = await Promise.all(found.map((mail) => createBrowserElsewhere().get(linkOf(mail))));
    for (const { username } of users) {
      expect(found.filter(({ text }) => text.includes(username))).toHaveLength(1);
      expect(pages.filter(({ text }) => text.includes(username))).toHaveLength(1);
    }
    await settle();
    expect(addresses()).not.toContain(email);
  });

  it('of a user whose username is the address of another one is mailed to both, each at its own address', async () => {
    const user = await createHolder({ email: 'elsewhere@example.net' });
    const other = await createHolder({ email: user.username });
    expect((await recovery.ask(user.username)).text).toContain(texts.sent);
    expect((await mails.waitFor('elsewhere@example.net')).text).toContain(user.username);
    expect((await mails.waitFor(user.username)).text).toContain(other.username);
  });

  it('of a machine gets no mail', async () => {
    const username = 'machine@example.com';
    await accounts.organization.create({ username, userType: 'Robot', email: username, emailVerified: true });
    expect((await recovery.ask(username)).status).toBe(200);
    await settle();
    expect(addresses()).not.toContain(username);
  });

  it('is mailed once more with the same link, three times in an hour', async () => {
    const { username } = await createHolder();
    const links = [];
    for (let turn = 0; turn < 3; turn += 1) links.push(await recovery.obtainLink(username));
    expect(new Set(links).size).toBe(1);
    expect((await recovery.ask(username)).text).toContain(texts.sent);
    await settle();
    expect(addresses()).not.toContain(username);
  });

  it('is mailed to whoever asks in a browser of before, after strangers used up what the address may get', async () => {
    const user = await createHolder();
    const browser = createBrowserElsewhere();
    await accounts.signInAs(user, browser);
    for (let turn = 0; turn < 4; turn += 1) await recovery.ask(user.username);
    for (let turn = 0; turn < 3; turn += 1) await mails.waitFor(user.username);
    await settle();
    expect(addresses()).not.toContain(user.username);
    await recovery.ask(user.username, browser);
    expect((await mails.waitFor(user.username)).subject).toBe(resetSubject);
  });

  it('is mailed with a link to this server, whatever host the request names', async () => {
    const { username } = await createHolder();
    const evil = 'evil.example.net';
    const browser = createBrowserElsewhere({ host: evil, 'x-forwarded-host': evil, forwarded: `host=${evil}` });
    expect((await recovery.ask(username, browser)).text).toContain(texts.sent);
    const mail = await mails.waitFor(username, { subject: resetSubject });
    expect(linkOf(mail)).toMatch(new RegExp(`^${realm.authUrl}/account/link\\?token=[\\w-]{43}$`));
    expect(mail.raw).not.toContain(evil);
  });

  it('is mailed in the language of the page', async () => {
    const { username } = await createHolder();
    const browser = createBrowserElsewhere({ 'accept-language': 'de' });
    const answer = await recovery.ask(username, browser);
    expect(answer.text).toContain(de.recover.sent);
    const mail = await mails.waitFor(username);
    expect(mail.subject).toBe('Neues Passwort festlegen');
    expect((await createBrowserElsewhere({ 'accept-language': 'de' }).get(linkOf(mail))).text).toContain(
      de.recover.title,
    );
  });

  it.each(['', '   ', 'x'.repeat(256), '🔑'.repeat(128)])('needs a name: 400 (%#)', async (name) => {
    const answer = await recovery.ask(name, createBrowserElsewhere(), '?request=a%3Db');
    expect(resultOf(answer)).toEqual([400, texts.prompt]);
    expect(readForms(answer).at(-1)?.fields.request).toBe('a=b');
  });

  it('is taken by a form of this browser alone: 403', async () => {
    const { username } = await createHolder();
    const [browser, other] = [createBrowserElsewhere(), createBrowserElsewhere()];
    const { fields } = readForms(await other.get(recovery.recoverUrl)).at(-1) ?? {};
    await browser.get(recovery.recoverUrl);
    const forms: Record<string, string>[] = [{ ...fields, username }, { username }, { username, form_token: 'x' }];
    for (const form of forms) {
      const refused = await browser.post(recovery.recoverUrl, { request: 'a=b', ...form });
      expect(resultOf(refused)).toEqual([403, account.stale]);
    }
    // The page of the refusal has a form that works.
    const again = await browser.post(recovery.recoverUrl, { username });
    expect((await browser.post(recovery.recoverUrl, { ...readForms(again).at(-1)?.fields, username })).status).toBe(
      200,
    );
    await mails.waitFor(username);
    await settle();
    expect(addresses()).not.toContain(username);
  });

  it('is asked for twenty times in an hour from one network, and not once more: 429', async () => {
    const browser = createBrowserElsewhere();
    const { fields } = readForms(await browser.get(recovery.recoverUrl)).at(-1) ?? {};
    const ask = (turn: number) => browser.post(recovery.recoverUrl, { ...fields, username: `nobody-${turn}` });
    const statuses = [];
    for (let turn = 0; turn < 20; turn += 1) statuses.push((await ask(turn)).status);
    expect(statuses).toEqual(Array(20).fill(200));
    const limited = await ask(20);
    expect([limited.status, Number(limited.headers['retry-after']) > 0]).toEqual([429, true]);
    expect(limited.text).toContain('Too many tries');
    expect((await recovery.ask('nobody')).status).toBe(200);
  });

  it('is mailed to nobody else, whatever the name is', async () => {
    const { username: known } = await createHolder();
    const names = [
      '<script>alert(1)</script>@example.com',
      `${known}\r\nBcc: evil@example.net`,
      `${known},evil@example.net`,
      `${known} <evil@example.net>`,
      `"evil@example.net" ${known}`,
      `${known}\u0000evil@example.net`,
      `\u202e${known}`,
      `${known}\u200b`,
      'x'.repeat(255),
      '\u{1F511}'.repeat(127),
      '\ud800@example.com',
      "' OR '1'='1",
      '%',
      '__proto__',
    ];
    const expected = (await recovery.ask('nobody')).text;
    for (const name of names) {
      const answer = await recovery.ask(name);
      expect([name, answer.status, answer.text]).toEqual([name, 200, expected]);
    }
    await settle();
    expect(addresses().filter((to) => to === known || to.includes('evil'))).toEqual([]);
  });

  it.each([
    '"><script>alert(1)</script>',
    '//evil.example.net',
    'javascript:alert(1)',
    'a=b\r\nx: y',
    'x'.repeat(7000),
  ])('goes on with nothing but a request to this server (%#)', async (request) => {
    const { username } = await createHolder();
    const link = await recovery.obtainLink(username, `?${new URLSearchParams({ request })}`);
    const done = await recovery.use(link, { password: 'another long enough password' });
    const next = /<p class="way"><a href="([^"]*)"/.exec(done.text)?.[1] ?? '';
    expect(done.status).toBe(200);
    expect(next).toMatch(/^\/(oauth\/authorize\?|account$)/);
    expect(done.text).not.toContain('<script>alert');
    const { status, headers } = await createBrowserElsewhere().get(
      new URL(next.replaceAll('&amp;', '&'), realm.url).href,
    );
    expect([status < 500, headers.location]).toEqual([true, undefined]);
  });

  it('with a request that is longer than any is mailed without it', async () => {
    const { username } = await createHolder();
    const browser = createBrowserElsewhere();
    const { fields } = readForms(await browser.get(recovery.recoverUrl)).at(-1) ?? {};
    const request = 'x'.repeat(8_193);
    expect((await browser.post(recovery.recoverUrl, { ...fields, username, request })).status).toBe(200);
    const done = await recovery.use(await recovery.readLink(username), { password: 'another long enough password' });
    expect(done.text).toContain('<p class="way"><a href="/account">');
  });
});

describe('a forgotten password at a server below a path', () => {
  const authUrl = 'https://id.example.com/auth';
  let realm: Realm;
  let accounts: Accounts;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    realm = await startRealm({ AUTH_URL: authUrl }, { orgEnv: mailEnv(mails) });
    accounts = await useAccounts(realm);
  });
  afterAll(async () => {
    await realm?.close();
    await mails?.close();
  });

  it('has that path in every address: of the sign-in page, the forms, the mail and the pages that follow', async () => {
    const recovery = createRecovery(realm, mails);
    const { username } = await accounts.createPerson({ emailVerified: true });
    const browser = createBrowserElsewhere();
    const way = findWay(await signInPageOf(realm, await accounts.registerClient(), browser)) ?? '';
    expect(way).toMatch(/^\/auth\/account\/recover\?ui_locales=en&request=/);
    const page = await browser.get(realm.url + way.slice('/auth'.length));
    const sent = await recovery.ask(username, browser, way.slice(way.indexOf('?')));
    const link = linkOf(await mails.waitFor(username, { subject: resetSubject }));
    expect(link).toMatch(/^https:\/\/id\.example\.com\/auth\/account\/link\?token=/);
    const local = link.replace(authUrl, realm.url);
    const [open, done] = [await browser.get(local), await recovery.use(local, { password: 'another long password' })];
    const gone = await browser.get(local);
    const found = [page, sent, open, done, gone].flatMap(({ text }) =>
      [...text.matchAll(/\s(?:href|action)="([^"]*)"/g)].map(([, address = '']) => address),
    );
    expect(found.filter((address) => !address.startsWith('/auth/'))).toEqual([]);
    expect(readContent(done)).toContain('href="/auth/oauth/authorize?');
    expect(readContent(gone)).toContain('href="/auth/account/recover"');
  });
});
