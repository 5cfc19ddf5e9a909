import { randomBytes } from 'node:crypto';
import type { Database } from '@gatehouse/service-kit/database';
import { fill } from '@gatehouse/service-kit/html';
import {
  type Answer,
  call,
  createClientKey,
  linkOf,
  type MailServer,
  quickestDialect,
  startMailServer,
  type TestBrowser,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  asksForSignIn,
  type Credentials,
  readContent,
  readForms,
  readPasskeyOptions,
  readRecoveryCodes,
  resultOf,
  useAccounts,
} from '../support/account.ts';
import { authorizePath, readRedirect } from '../support/browser.ts';
import {
  createBrowserElsewhere,
  createRecovery,
  mailEnv,
  openOrganizationDatabase,
  type Recovery,
} from '../support/mailed-links.ts';
import { callback, type Realm, startRealm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/account/register';
const finish = 'Finish your registration';
const haveAccount = 'You have an account already';
const chosen = 'a long enough password';
const names = { firstName: 'Nora', lastName: 'New' };
const { account, email: emailTexts, mailed, methods, passkey, profile, register: texts } = en;

const nextAddress = () => `${randomBytes(6).toString('hex')}@example.com`;
/** Where the page of a sign-in leads people who are new. */
const findWay = ({ text }: Answer) =>
  /<a href="([^"]*\/account\/register[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
const readPrompts = async ({ url }: Pick<Realm, 'url'>) => {
  const answer = await call(`${url}/.well-known/openid-configuration`);
  return answer.json<{ prompt_values_supported: string[] }>().prompt_values_supported;
};

describe(`registration where it is off (on ${quickestDialect})`, () => {
  let realm: Realm;
  let accounts: Accounts;
  beforeAll(async () => {
    realm = await startRealm();
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm?.close());

  it('has no page and takes no form: 404', async () => {
    const browser = createBrowserElsewhere();
    const { fields } = readForms(await browser.get(`${realm.url}/account`)).at(-1) ?? {};
    for (const answer of [
      await browser.get(realm.url + path),
      await browser.post(realm.url + path, { ...fields, email: nextAddress() }),
      await browser.post(realm.url + path, {}),
    ]) {
      expect([answer.status, answer.headers['cache-control']]).toEqual([404, 'no-store']);
    }
  });

  it('is offered by no sign-in page, by no metadata and to no application', async () => {
    const { client_id } = await accounts.registerClient();
    const browser = createBrowserElsewhere();
    expect(findWay(await browser.get(`${realm.url}/account`))).toBeUndefined();
    expect(await readPrompts(realm)).not.toContain('create');
    const request = { response_type: 'code', client_id, redirect_uri: callback, scope: 'openid', prompt: 'create' };
    const { target, parameters } = readRedirect(await browser.get(realm.url + authorizePath(request)));
    expect([target, parameters.error]).toEqual([callback, 'invalid_request']);
  });
});

describe.each(testDialects)('registration on %s', (dialect) => {
  let realm: Realm & { orgDatabaseUrl: string };
  let accounts: Accounts;
  let client: Credentials;
  let mails: MailServer;
  let recovery: Recovery;
  let database: Database;

  beforeAll(async () => {
    mails = await startMailServer();
    const open = { REGISTRATION: 'open', REGISTRATION_DOMAINS: 'example.com' };
    realm = await startRealmOn(dialect, {}, { orgEnv: { ...mailEnv(mails), ...open } });
    accounts = await useAccounts(realm);
    client = await accounts.registerClient();
    recovery = createRecovery(realm, mails);
    database = await openOrganizationDatabase(realm.orgDatabaseUrl);
    // The settings are known once a page asked for them.
    await createBrowserElsewhere().get(realm.url + path);
  });
  afterAll(async () => {
    await database?.close();
    await realm?.close();
    await mails?.close();
  });

  const ask = async (email: string, browser = createBrowserElsewhere(), query = ''): Promise<Answer> => {
    const page = await browser.get(realm.url + path + query);
    return browser.post(realm.url + path, { ...readForms(page).at(-1)?.fields, email });
  };
  const obtainLink = async (email: string, query = ''): Promise<string> => {
    const answer = await ask(email, createBrowserElsewhere(), query);
    if (!answer.text.includes(texts.sent)) throw new Error(`${answer.status} ${answer.text}`);
    return recovery.readLink(email, finish);
  };
  const finishBy = (link: string, more: object = {}, browser = createBrowserElsewhere()) =>
    recovery.use(link, { ...names, password: chosen, ...more }, browser);
  const finishByPasskey = async (link: string, browser: TestBrowser, alter = (credential: string) => credential) => {
    const page = await browser.get(link);
    const { challenge = '', user } = readPasskeyOptions(page).create ?? {};
    const authenticator = accounts.createKey();
    const credential = alter(authenticator.create({ challenge, userHandle: user?.id ?? '' }));
    const fields = { ...readForms(page).at(-1)?.fields, ...names, credential };
    return { authenticator, name: user?.name, answer: await browser.post(`${realm.url}/account/link`, fields) };
  };
  const countUsers = async (username: string) => {
    const rows = await database.query<object>('SELECT 1 FROM users WHERE username = ?', [username]);
    return rows.length;
  };
  const requestOf = (more: Record<string, string> = {}) => ({
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri: callback, scope: 'openid' },
    ...{ state: 'a state & more', nonce: 'a nonce' },
    ...more,
  });

  it('is offered by the sign-in pages and the metadata', async () => {
    const browser = createBrowserElsewhere();
    const ofAccount = await browser.get(`${realm.url}/account`);
    const ofApplication = await browser.get(realm.url + authorizePath(requestOf()));
    expect(findWay(ofAccount)).toMatch(/^\/account\/register\?/);
    const way = new URL(findWay(ofApplication) ?? '', realm.url);
    expect(new URLSearchParams(way.searchParams.get('request') ?? '').get('state')).toBe('a state & more');
    expect((await browser.get(way.href)).text).toContain(texts.prompt);
    expect(await readPrompts(realm)).toContain('create');
  });

  it('answers every address that is one with the same page, known or not', async () => {
    const [known, unknown] = [await accounts.createPerson({ emailVerified: true }), nextAddress()];
    const [ofKnown, ofUnknown] = [await ask(known.username), await ask(unknown)];
    expect([ofKnown.status, ofUnknown.status, ofKnown.headers['cache-control']]).toEqual([200, 200, 'no-store']);
    expect(ofKnown.text).toContain(texts.sent);
    expect(readContent(ofKnown)).toBe(readContent(ofUnknown));
    const told = await mails.waitFor(known.username, { subject: haveAccount });
    expect(told.raw).not.toContain('token=');
    expect(new URL(linkOf(told)).pathname).toBe('/account');
    await mails.waitFor(unknown, { subject: finish });
    expect(await countUsers(unknown)).toBe(0);
  });

  it.each([
    '',
    'nobody',
    'a b@example.com',
    'one@example.com,two@example.com',
    'Nora <nora@example.com>',
    `${'x'.repeat(250)}@example.com`,
  ])('takes no address that is none: %s: 400', async (email) => {
    expect(resultOf(await ask(email))).toEqual([400, emailTexts.noAddress]);
  });

  it('takes no address of another domain: 400', async () => {
    expect(resultOf(await ask('nora@example.org'))).toEqual([400, texts.otherDomain]);
  });

  it('takes no form of another browser: 403', async () => {
    const browser = createBrowserElsewhere();
    await browser.get(realm.url + path);
    const foreign = readForms(await createBrowserElsewhere().get(realm.url + path)).at(-1)?.fields;
    const email = nextAddress();
    for (const fields of [foreign, {}, { form_token: 'x' }]) {
      expect(resultOf(await browser.post(realm.url + path, { ...fields, email }))).toEqual([403, account.stale]);
    }
  });

  it('is asked for ten times in an hour from one network, and not once more: 429', async () => {
    const browser = createBrowserElsewhere();
    for (let turn = 0; turn < 10; turn += 1) expect((await ask(nextAddress(), browser)).status).toBe(200);
    const limited = await ask(nextAddress(), browser);
    expect([limited.status, Number(limited.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await ask(nextAddress())).status).toBe(200);
  });

  it('uses nothing up by a look at the link, and asks for names and a password or a passkey', async () => {
    const email = nextAddress();
    const link = await obtainLink(email);
    const browser = createBrowserElsewhere();
    for (let turn = 0; turn < 3; turn += 1) {
      const page = await browser.get(link);
      expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
      for (const part of [email, 'name="firstName"', 'name="lastName"', 'name="password"', passkey.create]) {
        expect(page.text).toContain(part);
      }
      expect((await call(link, { method: 'HEAD' })).status).toBe(200);
    }
    expect(await countUsers(email)).toBe(0);
    expect((await finishBy(link)).status).toBe(303);
  });

  it('makes the account, signs in, and works once', async () => {
    const email = nextAddress();
    const link = await obtainLink(email);
    const browser = createBrowserElsewhere();
    expect(resultOf(await finishBy(link, {}, browser))).toEqual([303, '/account']);
    const page = await browser.get(`${realm.url}/account`);
    expect(page.text).toContain(`<span class="badge">${profile.verified}</span>`);
    expect(page.text).toContain('Nora New');
    const another = accounts.visit({ username: email, password: chosen }, createBrowserElsewhere());
    expect(resultOf(await another.signIn())).toEqual([303, '/account']);
    const again = await browser.get(link);
    expect([again.status, again.text.includes(mailed.gone)]).toEqual([404, true]);
  });

  it('takes a passkey, shows recovery codes once, and signs in', async () => {
    const email = nextAddress();
    const browser = createBrowserElsewhere();
    const { answer, authenticator, name } = await finishByPasskey(await obtainLink(email), browser);
    expect([answer.status, readRecoveryCodes(answer).length, name]).toEqual([200, 10, email]);
    expect(asksForSignIn(await browser.get(`${realm.url}/account`))).toBe(false);
    const another = accounts.visit({ username: email, password: '' }, createBrowserElsewhere());
    expect(resultOf(await another.signInByPasskey(authenticator))).toEqual([303, '/account']);
  });

  it.each<[string, (credential: string) => string]>([
    ['is none', () => '{}'],
    ['is cut', (credential) => credential.slice(0, -10)],
  ])('makes no account where the passkey %s: 400', async (_case, alter) => {
    const email = nextAddress();
    const link = await obtainLink(email);
    const browser = createBrowserElsewhere();
    const { answer } = await finishByPasskey(link, browser, alter);
    expect([resultOf(answer), await countUsers(email)]).toEqual([[400, passkey.wrong], 0]);
    expect(asksForSignIn(await browser.get(`${realm.url}/account`))).toBe(true);
    expect((await finishBy(link)).status).toBe(303);
  });

  it('makes no account where the passkey answers another page: 400', async () => {
    const emails = [nextAddress(), nextAddress()] as const;
    const links = [await obtainLink(emails[0]), await obtainLink(emails[1])] as const;
    const browser = createBrowserElsewhere();
    let foreign = '';
    await finishByPasskey(links[1], createBrowserElsewhere(), (credential) => {
      foreign = credential;
      return '{}';
    });
    const { answer } = await finishByPasskey(links[0], browser, () => foreign);
    expect([resultOf(answer), await countUsers(emails[0])]).toEqual([[400, passkey.wrong], 0]);
  });

  it.each<[string, object, string]>([
    ['a first name that is missing', { firstName: ' ' }, texts.wrongName],
    ['a name that is none', { lastName: 'N\u0007' }, texts.wrongName],
    ['a short password', { password: '1234567' }, fill(methods.passwordFaults.password_too_short, { length: '8' })],
    ['a common password', { password: 'password123' }, methods.passwordFaults.password_common],
  ])('refuses %s, keeps the names, and works still: 400', async (_case, fields, message) => {
    const email = nextAddress();
    const link = await obtainLink(email);
    const typed = { firstName: 'Nora <b>', ...fields };
    const refused = await finishBy(link, typed);
    expect([resultOf(refused), await countUsers(email)]).toEqual([[400, message], 0]);
    expect(readForms(refused).at(-1)?.fields.firstName).toBe(typed.firstName);
    expect(refused.text).not.toContain('Nora <b>');
    expect((await finishBy(link)).status).toBe(303);
  });

  it('goes on to the application that began it', async () => {
    const email = nextAddress();
    const started = await createBrowserElsewhere().get(realm.url + authorizePath(requestOf({ prompt: 'create' })));
    const way = new URL(String(started.headers.location), realm.url);
    expect([started.status, started.headers['cache-control'], way.pathname]).toEqual([303, 'no-store', path]);
    const link = await obtainLink(email, way.search);
    const browser = createBrowserElsewhere();
    const done = await finishBy(link, {}, browser);
    const next = new URL(String(done.headers.location), realm.url);
    expect([done.status, next.pathname, next.searchParams.get('prompt')]).toEqual([303, '/oauth/authorize', null]);
    let answer = await browser.get(next.href);
    if (answer.status === 200) answer = await browser.submit(answer, next.href, { decision: 'allow' });
    const { target, parameters } = readRedirect(answer);
    expect([target, parameters.state]).toEqual([callback, 'a state & more']);
    const redemption = { grant_type: 'authorization_code', code: parameters.code ?? '', redirect_uri: callback };
    expect((await realm.tokens(client, redemption)).id_token).toBeDefined();
  });

  it('leaves the other prompts to the application, and takes create beside none for a fault', async () => {
    const started = await createBrowserElsewhere().get(
      realm.url + authorizePath(requestOf({ prompt: 'create consent' })),
    );
    const way = new URL(String(started.headers.location), realm.url);
    expect(new URLSearchParams(way.searchParams.get('request') ?? '').get('prompt')).toBe('consent');
    const refused = await createBrowserElsewhere().get(realm.url + authorizePath(requestOf({ prompt: 'none create' })));
    expect(readRedirect(refused).parameters.error).toBe('invalid_request');
  });

  it('goes on where prompt=create stands in a signed request, with what is in it', async () => {
    const key = createClientKey();
    const { client_id } = await realm.register({ ...webClient, client_id: 'signing', jwks: { keys: [key.jwk] } });
    const inside = requestOf({ client_id, prompt: 'create', state: 'inside' });
    const request = key.assertion(client_id, realm.authUrl, { ...inside, sub: undefined, exp: undefined });
    const started = await createBrowserElsewhere().get(realm.url + authorizePath({ client_id, request, state: 'x' }));
    const way = new URL(String(started.headers.location), realm.url);
    const { prompt: _, ...carried }: Record<string, string> = inside;
    expect([started.status, way.pathname]).toEqual([303, path]);
    expect(Object.fromEntries(new URLSearchParams(way.searchParams.get('request') ?? ''))).toEqual(carried);
  });

  it('goes on where the request is a pushed one', async () => {
    const form = requestOf({ prompt: 'create' });
    const pushed = await realm.send('/oauth/par', { basic: [client.client_id, client.client_secret], form });
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const started = await createBrowserElsewhere().get(
      realm.url + authorizePath({ client_id: client.client_id, request_uri }),
    );
    const way = new URL(String(started.headers.location), realm.url);
    const browser = createBrowserElsewhere();
    const done = await finishBy(await obtainLink(nextAddress(), way.search), {}, browser);
    const next = new URL(String(done.headers.location), realm.url).href;
    let answer = await browser.get(next);
    if (answer.status === 200) answer = await browser.submit(answer, next, { decision: 'allow' });
    expect(readRedirect(answer).parameters).toMatchObject({ state: 'a state & more', code: expect.any(String) });
  });

  it.each([
    '//evil.example.com/',
    'https://evil.example.com/',
    '"><script>alert(1)</script>',
    'a=1\r\nset-cookie: x=y',
    'state=\u{1F511}',
    '#',
  ])('leads to no other host and writes no header, whatever the request is: %j', async (request) => {
    const query = `?${new URLSearchParams({ request })}`;
    expect((await createBrowserElsewhere().get(realm.url + path + query)).text).not.toContain('<script>alert');
    const done = await finishBy(await obtainLink(nextAddress(), query));
    expect(done.status).toBe(303);
    const next = new URL(String(done.headers.location), realm.url);
    expect([next.origin, next.pathname]).toEqual([new URL(realm.url).origin, '/oauth/authorize']);
    expect(JSON.stringify(done.headers['set-cookie'])).not.toContain('x=y');
  });

  it('by forty at once makes one account', async () => {
    const email = nextAddress();
    const link = await obtainLink(email);
    const browser = createBrowserElsewhere();
    const fields = { ...readForms(await browser.get(link)).at(-1)?.fields, ...names };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        browser.post(`${realm.url}/account/link`, { ...fields, password: `${chosen} ${turn}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(await countUsers(email)).toBe(1);
  });

  it.each<[string, (email: string) => Promise<unknown>]>([
    [
      'after an hour',
      (email) => database.execute('UPDATE mailed_links SET expires_at = ? WHERE address = ?', [0, email]),
    ],
    [
      'where an administrator made such a user meanwhile',
      (username) => accounts.organization.create({ username, password: chosen }),
    ],
  ])('is over %s: 404', async (_case, end) => {
    const email = nextAddress();
    const link = await obtainLink(email);
    const browser = createBrowserElsewhere();
    const fields = readForms(await browser.get(link)).at(-1)?.fields;
    await end(email);
    const page = await browser.get(link);
    const posted = await browser.post(`${realm.url}/account/link`, {
      ...fields,
      ...names,
      password: 'another password',
    });
    expect([page.status, posted.status, page.text.includes(mailed.gone)]).toEqual([404, 404, true]);
    expect(asksForSignIn(await browser.get(`${realm.url}/account`))).toBe(true);
  });
});
