import { fill } from '@gatehouse/service-kit/html';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  asksForSignIn,
  type Credentials,
  readForms,
  resultOf,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { withinOneSecond } from '../support/organization.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/account/password';
const done = [303, '/account/methods'];
const next = 'another long enough password';
const { account, methods, secondStep, signIn } = en;

describe.each(testDialects)('a password that its user changes, on %s,', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let client: Credentials;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
    client = await accounts.registerClient();
  });
  afterAll(() => realm.close());

  const change = (visitor: Visitor, password = next, old_password = visitor.user.password) =>
    visitor.submit(path, path, { old_password, password });
  const signInWith = async ({ user }: Visitor, password: string) =>
    resultOf(await accounts.visit(user).signIn('/account', password));
  const readSid = async (visitor: Visitor) => readForms(await visitor.get('/account/sessions'))[0]?.fields.sid;

  it('signs in from then on, and the one before does not', async () => {
    const visitor = await accounts.signIn();
    expect(resultOf(await change(visitor))).toEqual(done);
    expect(await signInWith(visitor, next)).toEqual([303, '/account']);
    expect(await signInWith(visitor, visitor.user.password)).toEqual([400, signIn.wrong]);
  });

  it('is taken exactly as it is typed', async () => {
    const visitor = await accounts.signIn();
    const exact = `  ${'ü'.repeat(40)} <b> & "🔑"\t `;
    expect(resultOf(await change(visitor, exact))).toEqual(done);
    expect(await signInWith(visitor, exact)).toEqual([303, '/account']);
    expect(await signInWith(visitor, exact.trim())).toEqual([400, signIn.wrong]);
    expect(resultOf(await change(visitor, next, exact))).toEqual(done);
  });

  it('leaves this session under a new cookie, as fresh as it was, and the cookie before is worth nothing', async () => {
    const visitor = await accounts.signIn();
    const [cookie, sid] = [visitor.sessionCookie(), await readSid(visitor)];
    const { browser } = visitor;
    const before = Object.entries(browser.cookies()).map(([name, value]) => `${name}=${value}`);
    realm.advance(500_000);
    expect(resultOf(await change(visitor))).toEqual(done);
    expect(visitor.sessionCookie()).not.toBe(cookie);
    expect(await readSid(visitor)).toBe(sid);
    const stolen = await realm.send('/account', { headers: { cookie: before.join('; ') } });
    expect(asksForSignIn(stolen)).toBe(true);
    realm.advance(101_000);
    expect(asksForSignIn(await visitor.get(path))).toBe(true);
    expect(await visitor.isSignedIn()).toBe(true);
  });

  it('ends every other session, and all tokens: those of this session, of others, and for offline access', async () => {
    const visitor = await accounts.signIn();
    const other = await accounts.signInAs(visitor.user);
    const tokens = await Promise.all([
      accounts.obtainTokens(visitor, client),
      accounts.obtainTokens(other, client),
      accounts.obtainTokens(other, client, 'openid offline_access'),
    ]);
    for (const { access_token } of tokens) expect(await accounts.isActive(client, access_token)).toBe(true);
    expect(resultOf(await change(visitor))).toEqual(done);
    expect(await other.isSignedIn()).toBe(false);
    await withinOneSecond(async () => {
      for (const { access_token } of tokens) expect(await accounts.isActive(client, access_token)).toBe(false);
    });
    for (const each of tokens) expect(await accounts.isRefreshed(client, each)).toBe(false);
    expect(await visitor.isSignedIn()).toBe(true);
    expect(await accounts.isRefreshed(client, await accounts.obtainTokens(visitor, client))).toBe(true);
  });

  it('voids a sign-in elsewhere whose second step is open', async () => {
    const visitor = await accounts.signIn();
    const { nextCode } = await accounts.addCodeApp(visitor);
    const another = accounts.visit(visitor.user);
    const page = await another.signIn();
    expect(page.text).toContain(secondStep.prompt);
    expect(resultOf(await change(visitor))).toEqual(done);
    const late = await another.send(page, '/account/second-step', { code: nextCode() });
    expect(resultOf(late)).toEqual([403, signIn.stale]);
  });

  it('keeps the second step of a user who has one', async () => {
    const visitor = await accounts.signIn();
    const { nextCode } = await accounts.addCodeApp(visitor);
    expect(resultOf(await change(visitor))).toEqual(done);
    const another = accounts.visit(visitor.user);
    const page = await another.signIn('/account', next);
    expect(resultOf(await another.send(page, '/account/second-step', { code: nextCode() }))).toEqual([303, '/account']);
  });

  it.each<[string, string | undefined]>([
    ['wrong', 'not the password'],
    ['in another case', 'A LONG ENOUGH PASSWORD'],
    ['missing', ''],
    ['longer than any', 'a long enough password'.repeat(200)],
  ])('stays where the old one is %s: 400, and nothing ends', async (_case, old) => {
    const visitor = await accounts.signIn();
    const other = await accounts.signInAs(visitor.user);
    const refused = await change(visitor, next, old);
    expect(resultOf(refused)).toEqual([400, methods.wrongPassword]);
    expect(refused.text).toContain('name="old_password"');
    expect(await other.isSignedIn()).toBe(true);
    expect(await signInWith(visitor, visitor.user.password)).toEqual([303, '/account']);
  });

  const { passwordFaults: faults } = methods;
  it.each<[string, (username: string) => string, string]>([
    ['too short', () => '1234567', fill(faults.password_too_short, { length: '8' })],
    ['missing', () => '', fill(faults.password_too_short, { length: '8' })],
    ['too long', () => 'long'.repeat(257), faults.password_too_long],
    ['much too long', () => 'long'.repeat(1025), faults.password_too_long],
    ['one of the commonest', () => 'password123', faults.password_common],
    ['the username', (username) => username.toUpperCase(), faults.password_resembles_name],
    [
      'its local part and four characters',
      (username) => `${username.split('@')[0]}2026`,
      faults.password_resembles_name,
    ],
    ['the display name', () => 'Ursula User!', faults.password_resembles_name],
    ['the address', () => 'elsewhere@example.net1', faults.password_resembles_name],
  ])('stays where the new one is %s: 400, and the reason', async (_case, choose, message) => {
    const names = { firstName: 'Ursula', lastName: 'User', email: 'elsewhere@example.net' };
    const visitor = await accounts.signIn(names);
    const other = await accounts.signInAs(visitor.user);
    expect(resultOf(await change(visitor, choose(visitor.user.username)))).toEqual([400, message]);
    expect(await other.isSignedIn()).toBe(true);
    expect(await signInWith(visitor, visitor.user.password)).toEqual([303, '/account']);
  });

  it('is not guessed: after ten wrong ones 429, and when to try again, and the right one waits too', async () => {
    const visitor = await accounts.signIn();
    const page = await visitor.get(path);
    const send = (old_password: string) => visitor.send(page, path, { old_password, password: next });
    const statuses = [];
    for (let turn = 0; turn < 10; turn += 1) statuses.push((await send(`wrong ${turn}`)).status);
    expect(statuses).toEqual(Array(10).fill(400));
    const limited = await send(visitor.user.password);
    expect([limited.status, Number(limited.headers['retry-after']) > 0]).toEqual([429, true]);
    expect(limited.text).toContain('Too many tries');
  });

  it('by forty at once changes once', async () => {
    const visitor = await accounts.signIn();
    const form_token = await visitor.readToken();
    const { user, sendTo } = visitor;
    const tries = Array.from({ length: 40 }, (_, turn) => `${next} ${turn}`);
    const sent = tries.map((password) => sendTo(path, { form_token, old_password: user.password, password }));
    const answers = await Promise.all(sent);
    const won = answers.flatMap(({ status }, turn) => (status === 303 ? [tries[turn] as string] : []));
    expect(won).toHaveLength(1);
    expect(await signInWith(visitor, won[0] ?? '')).toEqual([303, '/account']);
  });

  it('is set without an old one by who has a passkey alone', async () => {
    const visitor = await accounts.signIn();
    const { authenticator } = await accounts.addPasskey(visitor);
    expect(resultOf(await visitor.submit('/account/methods', '/account/password/remove'))).toEqual(done);
    const page = await visitor.get(path);
    expect(page.text).toContain(`<h1>${methods.setPassword}</h1>`);
    expect(page.text).not.toContain('name="old_password"');
    expect(resultOf(await visitor.send(page, path, { password: 'short' }))).toEqual([
      400,
      fill(faults.password_too_short, { length: '8' }),
    ]);
    expect(resultOf(await visitor.send(page, path, { password: next }))).toEqual(done);
    expect((await accounts.visit(visitor.user).signIn('/account', next)).text).toContain(en.passkey.second);
    const another = accounts.visit(visitor.user);
    expect(resultOf(await another.signInByPasskey(authenticator))).toEqual([303, '/account']);
    expect((await another.get(path)).text).toContain('name="old_password"');
  });

  it('is not changed by a session whose password is that of before', async () => {
    const visitor = await accounts.signIn();
    const page = await visitor.get(path);
    await accounts.organization.setPassword(visitor.user.username, next);
    const late = await visitor.send(page, path, { old_password: next, password: 'a third password' });
    expect(resultOf(late)).toEqual([403, signIn.stale]);
    expect(await signInWith(visitor, next)).toEqual([303, '/account']);
  });

  it('leads back to the methods', async () => {
    const { text } = await (await accounts.signIn()).get(path);
    expect(text).toContain(`<a href="/account/methods">${account.back}</a>`);
    expect(text).toContain(fill(methods.newPasswordHint, { length: '8' }));
  });
});
