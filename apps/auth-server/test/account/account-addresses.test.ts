import { createTestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountPaths } from '../../src/account/account-path.ts';
import { de } from '../../src/pages/messages/de.ts';
import { en } from '../../src/pages/messages/en.ts';
import { type LanguageTag, languageTags } from '../../src/pages/messages/language-tags.ts';
import { languages } from '../../src/pages/messages/languages.ts';
import { type Accounts, createBrowserWith, escaped, readForms, resultOf, useAccounts } from '../support/account.ts';
import { type Realm, startRealm } from '../support/realm.ts';

describe('the pages of an account below a path', () => {
  const authUrl = 'https://id.example.com/auth';
  let realm: Realm;
  let accounts: Accounts;

  beforeAll(async () => {
    realm = await startRealm({ AUTH_URL: authUrl }, { orgEnv: { ACCOUNT_DELETION: 'on' } });
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  it('have that path in each address: of links, of forms, and of the page that a sign-in or a form leads to', async () => {
    const visitor = await accounts.signIn();
    await accounts.addPasskey(visitor);
    const addresses: string[] = [];
    const another = accounts.visit(visitor.user);
    const pages = [await another.get('/account/methods'), await another.signIn('/account/methods')];
    for (const path of accountPaths.filter((one) => one !== '/account/data')) pages.push(await visitor.get(path));
    for (const { text } of pages) {
      addresses.push(...[...text.matchAll(/\s(?:href|action)="([^"]*)"/g)].map(([, address = '']) => address));
    }
    expect(addresses.length).toBeGreaterThan(70);
    expect(addresses.filter((address) => !/^\/auth\/(account|oauth\/logout|assets)/.test(address))).toEqual([]);
    expect(resultOf(await accounts.visit(await accounts.createPerson()).signIn('/account/sessions'))).toEqual([
      303,
      '/auth/account/sessions',
    ]);
    expect(resultOf(await visitor.submit('/account', '/account', { nickname: 'Uschi' }))).toEqual([
      303,
      '/auth/account',
    ]);
    expect(resultOf(await createTestBrowser().get(`${realm.url}/account/sign-in`))).toEqual([303, '/auth/account']);
  });

  it('sign in by a passkey of that host, under cookies for the whole host', async () => {
    const visitor = await accounts.signIn();
    const { authenticator } = await accounts.addPasskey(visitor);
    const another = accounts.visit(visitor.user);
    expect(resultOf(await another.signInByPasskey(authenticator, '/account/methods'))).toEqual([
      303,
      '/auth/account/methods',
    ]);
    expect(Object.keys(another.browser.cookies()).sort()).toEqual([
      '__Host-gatehouse-browser',
      '__Host-gatehouse-known-browser',
      '__Host-gatehouse-session',
    ]);
  });

  it('are found by password managers (W3C, change-password URL and passkey endpoints)', async () => {
    const change = await realm.send('/.well-known/change-password');
    expect([change.status, change.headers.location]).toEqual([303, `${authUrl}/account/password`]);
    const headers = { origin: 'https://passwords.example.net' };
    const endpoints = await realm.send('/.well-known/passkey-endpoints', { headers });
    expect([endpoints.status, endpoints.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('application/json'),
    ]);
    expect(endpoints.headers['access-control-allow-origin']).toBe('*');
    expect(endpoints.json()).toEqual({ enroll: `${authUrl}/account/passkeys`, manage: `${authUrl}/account/methods` });
  });
});

describe('the pages of an account in the language of the browser', () => {
  let realm: Realm;
  let accounts: Accounts;

  beforeAll(async () => {
    realm = await startRealm({}, { orgEnv: { ACCOUNT_DELETION: 'on' } });
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  /** The texts of a language, cut at the places for values. Short ones stand in other words. */
  const listTexts = (messages: object): string[] =>
    Object.values(messages).flatMap((value: unknown) =>
      typeof value === 'string' ? value.split(/\{\w+\}/) : listTexts(value as object),
    );
  const findLeft = (text: string, tag: LanguageTag) => {
    const own = listTexts(languages[tag]).join('\n');
    const english = listTexts(en).filter((words) => words.trim().length >= 8 && !own.includes(words));
    return english.filter((words) => text.includes(escaped(words)));
  };

  it.each(languageTags.filter((tag) => tag !== 'en'))('say nothing in English in %s', async (tag) => {
    const user = await accounts.createPerson({ firstName: 'Ursula', emailVerified: true });
    const visitor = accounts.visit(user, createBrowserWith({ 'accept-language': tag }));
    const pages = [await visitor.get('/account'), await visitor.signIn('/account', 'wrong')];
    await visitor.signIn();
    const { answer } = await accounts.addCodeApp(visitor);
    await accounts.addPasskey(visitor, 'Passkey');
    await accounts.obtainTokens(visitor, await accounts.registerClient());
    for (const path of accountPaths.filter((one) => one !== '/account/data')) pages.push(await visitor.get(path));
    pages.push(answer, await visitor.submit('/account/password', '/account/password', { password: 'x' }));
    pages.push(await visitor.submit('/account', '/account', { timezone: 'x' }));
    pages.push(await visitor.sendTo('/account', {}));
    for (const { text } of pages) {
      expect(text).toContain(`<html lang="${tag}">`);
      expect(findLeft(text, tag)).toEqual([]);
    }
    expect(findLeft((await accounts.visit(user).get('/account')).text, tag)).toContain(en.signIn.account);
  });

  it('that a link chose', async () => {
    const visitor = await accounts.signIn();
    expect((await visitor.get('/account/methods?ui_locales=de')).text).toContain(`<h1>${de.account.methods}</h1>`);
  });
});

describe('the pages of an account while org-api is out of reach', () => {
  let realm: Realm;
  let accounts: Accounts;

  beforeAll(async () => {
    realm = await startRealm({}, { orgEnv: { ACCOUNT_DELETION: 'on' } });
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  it('say so: 503, of pages, forms and the sign-in, with nothing of the inside, and go on afterwards', async () => {
    const visitor = await accounts.signIn();
    const guest = accounts.visit(visitor.user);
    const signInPage = await guest.get('/account');
    const forms = readForms(await visitor.get('/account'));
    await realm.stopOrganization();
    try {
      const answers = [await visitor.sendTo('/account', forms[0]?.fields ?? {})];
      for (const path of accountPaths) answers.push(await visitor.get(path));
      realm.advance(61_000);
      for (const path of accountPaths) answers.push(await guest.get(path));
      for (const { status, headers, text } of answers) {
        expect([status, Number(headers['retry-after']) > 0]).toEqual([503, true]);
        expect(text).toContain(`<h1>${en.error.oursTitle}</h1>`);
        expect(text).not.toMatch(/ECONN|undici|localhost:\d|127\.0\.0\.1/);
      }
      const unchecked = await guest.send(signInPage, '/account/sign-in', { ...visitor.user });
      expect(resultOf(unchecked)).toEqual([503, en.signIn.unavailable]);
    } finally {
      await realm.startOrganization();
    }
    expect((await visitor.get('/account')).status).toBe(200);
    expect(resultOf(await guest.send(signInPage, '/account/sign-in', { ...visitor.user }))).toEqual([303, '/account']);
  });
});
