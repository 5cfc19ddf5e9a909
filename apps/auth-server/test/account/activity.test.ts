import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { type Accounts, createBrowserWith, readEntries, useAccounts, type Visitor } from '../support/account.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/account/activity';
const { activity: texts } = en;
const { events } = texts;
const day = 86_400_000;

describe.each(testDialects)('the activity of an account on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  const read = async (visitor: Visitor, query = '') =>
    readEntries(await visitor.get(path + query)).map((entry) => ({
      title: /<span[^>]*>(?:<code>)?(.*?)(?:<\/code>)?<\/span>/.exec(entry)?.[1],
      facts: (/<p class="quiet">(.*?)<\/p>/.exec(entry)?.[1] ?? '').split(' · ').slice(1),
      isRefused: entry.includes('class="refused"'),
    }));
  const titles = async (visitor: Visitor, query?: string) => (await read(visitor, query)).map(({ title }) => title);
  const linksOf = async (visitor: Visitor, query = '') => {
    const links = (await visitor.get(path + query)).text.matchAll(/<a href="([^"]*)">(Older|Newest)<\/a>/g);
    return Object.fromEntries([...links].map(([, href = '', name = '']) => [name, href]));
  };
  const rename = (visitor: Visitor, nickname: string) => visitor.submit('/account', '/account', { nickname });

  it('is of both services in one list, the newest first', async () => {
    const visitor = await accounts.signIn();
    const client = await accounts.registerClient({ require_consent: true });
    await rename(visitor, 'Uschi');
    await accounts.obtainTokens(visitor, client);
    await rename(visitor, 'Ursi');
    await visitor.signOut();
    await visitor.signIn();
    expect(await titles(visitor)).toEqual([
      events['sign_in.succeeded'],
      events['session.ended'],
      events['user.profile_changed'],
      events['consent.given'],
      events['user.profile_changed'],
      events['sign_in.succeeded'],
      events['user.created'],
    ]);
  });

  it('names what the user did, where from, and what was refused', async () => {
    const user = await accounts.createPerson();
    const browser = createBrowserWith({ 'x-forwarded-for': '203.0.113.7' });
    const stranger = accounts.visit(user, createBrowserWith({ 'x-forwarded-for': '198.51.100.9' }));
    await stranger.signIn('/account', 'not the password');
    const visitor = await accounts.signInAs(user, browser);
    await accounts.addPasskey(visitor);
    await rename(visitor, 'Uschi');
    const next = { old_password: user.password, password: 'another long enough password' };
    await visitor.submit('/account/password', '/account/password', { ...next, old_password: 'wrong' });
    await visitor.submit('/account/password', '/account/password', next);
    const own = { facts: ['Network 203.0.113.7'], isRefused: false };
    expect(await read(visitor)).toEqual([
      { ...own, title: events['user.password_changed'] },
      { ...own, title: events['user.password_change_refused'], isRefused: true },
      { ...own, title: events['user.profile_changed'] },
      { ...own, title: events['recovery_codes.made'] },
      { ...own, title: events['passkey.added'] },
      { ...own, title: events['sign_in.succeeded'] },
      { title: events['sign_in.refused'], facts: ['Network 198.51.100.9'], isRefused: true },
      { title: events['user.created'], facts: [texts.byAdministrator], isRefused: false },
    ]);
  });

  it('names an application, and no other person: an administrator is one without a name', async () => {
    const visitor = await accounts.signIn();
    const client = await accounts.registerClient({ require_consent: true });
    await accounts.obtainTokens(visitor, client);
    const { username } = visitor.user;
    await accounts.organization.change(username, { nickname: 'Changed' });
    await accounts.organization.change(username, { enabled: false });
    await accounts.organization.change(username, { enabled: true });
    const { text } = await visitor.get(path);
    const [admin = ''] = administrator;
    for (const name of [admin, 'Ada', 'organization-tool']) expect(text).not.toContain(name);
    const isNetwork = (fact: string) => fact.startsWith('Network ');
    const found = (await read(visitor)).map(({ title, facts }) => [title, ...facts.filter((fact) => !isNetwork(fact))]);
    expect(found).toEqual([
      [events['user.enabled'], texts.byAdministrator],
      [events['user.disabled'], texts.byAdministrator],
      [events['user.changed'], texts.byAdministrator],
      [events['consent.given'], `by ${client.client_id}`],
      [events['sign_in.succeeded']],
      [events['user.created'], texts.byAdministrator],
    ]);
  });

  it('of an administrator names no person that the administrator changed', async () => {
    const [username, password] = administrator;
    const visitor = await accounts.signInAs({ username, password });
    const changed = await accounts.createPerson({ firstName: 'Ursula' });
    await accounts.organization.change(changed.username, { nickname: 'Changed' });
    const { text } = await visitor.get(path);
    expect(text).toContain(events['user.changed']);
    expect(text).not.toContain(changed.username);
    expect(text).not.toContain('Ursula');
  });

  it('is not that of another user', async () => {
    const [visitor, other] = [await accounts.signIn(), await accounts.signIn()];
    await rename(other, 'Other');
    expect(await titles(visitor)).toEqual([events['sign_in.succeeded'], events['user.created']]);
  });

  it('comes in pages of fifty, which lose nothing and repeat nothing, with ways to older and to the newest ones', async () => {
    const user = await accounts.createPerson();
    const visitor = accounts.visit(user);
    const signInPage = await visitor.get('/account');
    const signIn = () => visitor.send(signInPage, '/account/sign-in', { ...user });
    await signIn();
    const form = await visitor.get('/account');
    const change = (nickname: string) => visitor.send(form, '/account', { nickname });
    for (let turn = 1; turn <= 24; turn += 1) {
      await change(`Name ${turn}`);
      await signIn();
    }
    expect(await titles(visitor)).toHaveLength(50);
    expect(await linksOf(visitor)).toEqual({});
    await change('Name 25');
    const both = [events['sign_in.succeeded'], events['user.profile_changed']];
    const pairs = Array.from({ length: 24 }, () => both);
    const all = [events['user.profile_changed'], ...pairs.flat(), events['sign_in.succeeded'], events['user.created']];
    const { Older: older = '', ...none } = await linksOf(visitor);
    expect([older, none]).toEqual([expect.stringMatching(/^\/account\/activity\?cursor=[0-9a-f-]{36}$/), {}]);
    const query = older.slice(path.length);
    const second = await titles(visitor, query);
    expect(second).toHaveLength(1);
    expect([...(await titles(visitor)), ...second]).toEqual(all);
    expect(await linksOf(visitor, query)).toEqual({ Newest: path });
  });

  it.each([
    'x',
    '',
    "' OR 1=1 --",
    '01A215DF-B392-72AB-95F6-D099D22F8660',
    '01a215df-b392-72ab-95f6-d099d22f8660x',
    '%00',
  ])('is the newest page for the cursor %j', async (cursor) => {
    const visitor = await accounts.signIn();
    const query = `?cursor=${encodeURIComponent(cursor)}`;
    expect(await titles(visitor, query)).toEqual(await titles(visitor));
    expect(await linksOf(visitor, `${query}&cursor=y`)).toEqual({});
  });

  it('is that of ninety days', async () => {
    const visitor = await accounts.signIn();
    await rename(visitor, 'Uschi');
    realm.advance(89 * day);
    await visitor.signIn();
    const all = [events['user.profile_changed'], events['sign_in.succeeded'], events['user.created']];
    expect(await titles(visitor)).toEqual([events['sign_in.succeeded'], ...all]);
    realm.advance(2 * day);
    await visitor.signIn();
    expect(await titles(visitor)).toEqual([events['sign_in.succeeded'], events['sign_in.succeeded']]);
  });
});
