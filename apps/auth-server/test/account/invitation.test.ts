import { randomBytes } from 'node:crypto';
import { fill } from '@gatehouse/service-kit/html';
import { call, type MailServer, startMailServer, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  asksForSignIn,
  type Person,
  readForms,
  readPasskeyOptions,
  readRecoveryCodes,
  resultOf,
  useAccounts,
} from '../support/account.ts';
import { createBrowserElsewhere, createRecovery, mailEnv, type Recovery } from '../support/mailed-links.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const subject = 'You are invited';
const chosen = 'a long enough password';
const { account, mailed: texts, methods, passkey, profile } = en;

describe.each(testDialects)('an invitation on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let mails: MailServer;
  let recovery: Recovery;

  beforeAll(async () => {
    mails = await startMailServer();
    realm = await startRealmOn(dialect, {}, { orgEnv: mailEnv(mails) });
    accounts = await useAccounts(realm);
    recovery = createRecovery(realm, mails);
  });
  afterAll(async () => {
    await realm?.close();
    await mails?.close();
  });

  const invite = async (more: object = {}): Promise<{ user: Person; link: string }> => {
    const username = `${randomBytes(6).toString('hex')}@example.com`;
    const answer = await accounts.organization.create({ username, userType: 'Person', invite: true, ...more });
    const { invitation } = answer.json<{ invitation: { link?: string } }>();
    const link = invitation.link?.replace(realm.authUrl, realm.url) ?? (await recovery.readLink(username, subject));
    return { user: { username, password: chosen }, link };
  };
  const acceptByPasskey = async (link: string, browser: TestBrowser, altered?: (credential: string) => string) => {
    const page = await browser.get(link);
    const { challenge = '', user } = readPasskeyOptions(page).create ?? {};
    const authenticator = accounts.createKey();
    const credential = authenticator.create({ challenge, userHandle: user?.id ?? '' });
    const fields = { ...readForms(page).at(-1)?.fields, credential: altered?.(credential) ?? credential };
    return { authenticator, answer: await browser.post(`${realm.url}/account/link`, fields) };
  };

  it('shows how to choose a way in, however often, and signs nobody in', async () => {
    const { user, link } = await invite();
    const browser = createBrowserElsewhere();
    for (let turn = 0; turn < 3; turn += 1) {
      const page = await browser.get(link);
      expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(page.text).toContain(fill(texts.invitation, { username: user.username }));
      expect(page.text).toContain(passkey.create);
    }
    expect(asksForSignIn(await browser.get(`${realm.url}/account`))).toBe(true);
  });

  it('takes a passkey beside a password, both as long as a form may have them', async () => {
    const { link } = await invite();
    const browser = createBrowserElsewhere();
    const page = await browser.get(link);
    const { challenge = '', user } = readPasskeyOptions(page).create ?? {};
    const credential = accounts.createKey().create({ challenge, userHandle: user?.id ?? '' });
    // JSON has six bytes for a control character, and a form as it may be sent has one.
    const long = credential.replace('{', `{"a":"${'\u2028'.repeat(15_000)}",`);
    const fields = { ...readForms(page).at(-1)?.fields, credential: long, password: '\u0001'.repeat(4_096) };
    const body = Object.entries(fields).map(
      ([name, value]) => `${name}=${value.replace(/[%&+]/g, encodeURIComponent)}`,
    );
    const answer = await call(`${realm.url}/account/link`, {
      body: body.join('&'),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: Object.entries(browser.cookies())
          .map((pair) => pair.join('='))
          .join('; '),
      },
    });
    expect([answer.status, readRecoveryCodes(answer).length]).toEqual([200, 10]);
  });

  it('takes a password, signs in, and confirms the address that it was mailed to', async () => {
    const { user, link } = await invite();
    const browser = createBrowserElsewhere();
    expect(resultOf(await recovery.use(link, { password: chosen }, browser))).toEqual([303, '/account']);
    const page = await browser.get(`${realm.url}/account`);
    expect(page.text).toContain(`<span class="badge">${profile.verified}</span>`);
    const another = accounts.visit(user, createBrowserElsewhere());
    expect(resultOf(await another.signIn())).toEqual([303, '/account']);
    const again = await browser.get(link);
    expect([again.status, again.text.includes(texts.gone)]).toEqual([404, true]);
  });

  it('confirms no address where an administrator handed it over', async () => {
    const { link } = await invite({ deliver: 'link' });
    const browser = createBrowserElsewhere();
    expect(resultOf(await recovery.use(link, { password: chosen }, browser))).toEqual([303, '/account']);
    expect((await browser.get(`${realm.url}/account`)).text).toContain(profile.confirmEmail);
  });

  it('takes a passkey, shows recovery codes once, and signs in', async () => {
    const { user, link } = await invite();
    const browser = createBrowserElsewhere();
    const { answer, authenticator } = await acceptByPasskey(link, browser);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(readRecoveryCodes(answer)).toHaveLength(10);
    expect(asksForSignIn(await browser.get(`${realm.url}/account`))).toBe(false);
    const another = accounts.visit(user, createBrowserElsewhere());
    expect(resultOf(await another.signInByPasskey(authenticator))).toEqual([303, '/account']);
    expect((await browser.get(link)).status).toBe(404);
  });

  it.each<[string, (credential: string) => string]>([
    ['is none', () => '{}'],
    ['is no JSON', () => 'x'],
    ['is cut', (credential) => credential.slice(0, -10)],
  ])('works still where the passkey %s: 400', async (_case, altered) => {
    const { link } = await invite();
    const browser = createBrowserElsewhere();
    const { answer } = await acceptByPasskey(link, browser, altered);
    expect(resultOf(answer)).toEqual([400, passkey.wrong]);
    expect(resultOf(await recovery.use(link, { password: chosen }, browser))).toEqual([303, '/account']);
  });

  it('takes no passkey for the challenge of another page: 400', async () => {
    const [one, other] = [await invite(), await invite()];
    const browser = createBrowserElsewhere();
    let foreign = '';
    await acceptByPasskey(other.link, createBrowserElsewhere(), (credential) => {
      foreign = credential;
      return '';
    });
    const { answer } = await acceptByPasskey(one.link, browser, () => foreign);
    expect(resultOf(answer)).toEqual([400, passkey.wrong]);
  });

  it('says why a password is refused, and works still', async () => {
    const { link } = await invite();
    const refused = await recovery.use(link, { password: '1234567' });
    expect(resultOf(refused)).toEqual([400, fill(methods.passwordFaults.password_too_short, { length: '8' })]);
    expect((await recovery.use(link, { password: chosen })).status).toBe(303);
  });

  it('takes no form of another browser: 403', async () => {
    const { link } = await invite();
    const browser = createBrowserElsewhere();
    await browser.get(link);
    const foreign = readForms(await createBrowserElsewhere().get(link)).at(-1)?.fields;
    const answer = await browser.post(`${realm.url}/account/link`, { ...foreign, password: chosen });
    expect(resultOf(answer)).toEqual([403, account.stale]);
  });
});
