import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@gatehouse/service-kit/database';
import { fill } from '@gatehouse/service-kit/html';
import { call, type MailServer, quickestDialect, startMailServer, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  asksForSignIn,
  escaped,
  readForms,
  resultOf,
  tooLong,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import {
  createBrowserElsewhere,
  createRecovery,
  mailEnv,
  makeNetworksFamiliar,
  openOrganizationDatabase,
  type Recovery,
} from '../support/mailed-links.ts';
import { type Realm, startRealm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/account/email';
const cancelPath = `${path}/cancel`;
const verifyPath = `${path}/verify`;
const linkPath = '/account/link';
const done = [303, path];
const { account, email: texts, mailed, profile, secondStep, signIn } = en;
const subjects = {
  old: 'Confirm the change of your e-mail address',
  new: 'Confirm your new e-mail address',
  told: 'Your e-mail address will change',
  changed: 'Your e-mail address was changed',
};

let names = 0;
const nextMailbox = () => {
  names += 1;
  return `new-mailbox${names}@example.net`;
};
const actionsOf = (page: { text: string }) => readForms(page).map(({ action }) => action);
const decisionsOf = ({ text }: { text: string }) =>
  [...text.matchAll(/name="decision" value="([^"]*)"/g)].map(([, decision]) => decision);
const pathOf = (link: string) => {
  const { pathname, search } = new URL(link);
  return pathname + search;
};

describe.each(testDialects)('the e-mail address of a user on %s', (dialect) => {
  let realm: Realm & { orgDatabaseUrl: string };
  let accounts: Accounts;
  let mails: MailServer;
  let recovery: Recovery;
  let database: Database;

  beforeAll(async () => {
    mails = await startMailServer();
    realm = await startRealmOn(dialect, {}, { orgEnv: mailEnv(mails) });
    database = await openOrganizationDatabase(realm.orgDatabaseUrl);
    accounts = await useAccounts(realm);
    recovery = createRecovery(realm, mails);
  });
  afterAll(async () => {
    await database?.close();
    await realm?.close();
    await mails?.close();
  });

  /** A user with a verified address, which is not the username. */
  const signInHolder = async (more: object = {}): Promise<Visitor & { before: string }> => {
    names += 1;
    const before = `old-mailbox${names}@example.net`;
    const visitor = await accounts.signIn({ email: before, emailVerified: true, ...more }, createBrowserElsewhere());
    return { ...visitor, before };
  };
  const change = (visitor: Visitor, email: string) => visitor.submit(path, path, { email });
  /** Begins a change; gives the links of both sides. */
  const begin = async (visitor: Visitor & { before: string }, oldSubject = subjects.old) => {
    const after = nextMailbox();
    expect(resultOf(await change(visitor, after))).toEqual(done);
    const toNew = await recovery.readLink(after, subjects.new);
    const toOld = await recovery.readLink(visitor.before, oldSubject);
    return { after, toNew, toOld };
  };
  const open = (link: string, browser = createBrowserElsewhere()) => browser.get(link);
  const decide = (link: string, fields: Record<string, string>, browser = createBrowserElsewhere()) =>
    recovery.use(link, fields, browser);
  const confirm = ({ browser }: Visitor, link: string) => decide(link, { decision: 'confirm' }, browser);
  const countMails = (to: string) => mails.mails.filter((mail) => mail.to.includes(to)).length;
  const readAddress = async (visitor: Visitor) =>
    new RegExp(`<dt>${profile.email}</dt><dd>([^ ]*) <span class="badge">(.*?)</span>`)
      .exec((await visitor.get('/account')).text)
      ?.slice(1);

  describe('has a page', () => {
    it('that shows it, and asks for another one', async () => {
      const visitor = await signInHolder();
      const page = await visitor.get(path);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`<p>${visitor.before} <span class="badge">${profile.verified}</span></p>`);
      expect(actionsOf(page)).toEqual([path]);
      expect(page.text).not.toContain(texts.noMail);
      const { text } = await visitor.get('/account');
      expect(text).toContain(`<a href="${path}">${texts.change}</a>`);
    });

    it('that confirms the one that is not verified', async () => {
      const visitor = await signInHolder({ emailVerified: false });
      const page = await visitor.get(path);
      expect(page.text).toContain(`<span class="badge">${profile.notVerified}</span>`);
      expect(actionsOf(page)).toEqual([verifyPath, path]);
      const sent = await visitor.send(page, verifyPath);
      expect([sent.status, sent.text.includes(fill(mailed.sent, { email: visitor.before }))]).toEqual([200, true]);
      const link = await recovery.readLink(visitor.before, 'Confirm your e-mail address');
      expect(resultOf(await recovery.use(link, {}, visitor.browser))).toEqual([303, '/account']);
      expect(await readAddress(visitor)).toEqual([visitor.before, profile.verified]);
      expect(actionsOf(await visitor.get(path))).toEqual([path]);
    });

    it('that says what waits, and ends it', async () => {
      const visitor = await signInHolder();
      const { after, toNew, toOld } = await begin(visitor);
      const page = await visitor.get(path);
      expect(actionsOf(page)).toEqual([cancelPath, path]);
      const waits = escaped(fill(texts.waiting, { email: after, time: '' })).split('waits')[0] as string;
      for (const shown of [page, await visitor.get('/account')]) {
        for (const line of [waits, texts.waitsForNew, texts.waitsForOld]) expect(shown.text).toContain(line);
        expect(shown.text).not.toContain('It counts from');
      }
      expect(resultOf(await visitor.send(page, cancelPath))).toEqual(done);
      const later = await visitor.get(path);
      expect([actionsOf(later), later.text.includes(after)]).toEqual([[path], false]);
      expect((await visitor.get('/account')).text).not.toContain(after);
      for (const link of [toNew, toOld]) expect((await open(link)).status).toBe(404);
      expect(await readAddress(visitor)).toEqual([visitor.before, profile.verified]);
    });

    it('that says which side has confirmed', async () => {
      const visitor = await signInHolder();
      const { toOld } = await begin(visitor);
      await confirm(visitor, toOld);
      const { text } = await visitor.get(path);
      expect([text.includes(texts.waitsForNew), text.includes(texts.waitsForOld)]).toEqual([true, false]);
    });

    it('that shows what was typed as text', async () => {
      const visitor = await signInHolder();
      const hostile = `<b>&'${names}@example.net`;
      expect(resultOf(await change(visitor, hostile))).toEqual([400, texts.noAddress]);
      const after = `b&'${names}@example.net`;
      expect(resultOf(await change(visitor, after))).toEqual(done);
      const { text } = await visitor.get(path);
      expect([text.includes(escaped(after)), text.includes(after)]).toEqual([true, false]);
    });
  });

  describe('does not change by a form', () => {
    it.each([
      '',
      ' ',
      'no address',
      'a@b@c',
      '<a@example.com>',
      'a@example.com, b@example.com',
      `${'a'.repeat(255)}@x`,
    ])('with %j: 400', async (email) => {
      const visitor = await signInHolder();
      expect(resultOf(await change(visitor, email))).toEqual([400, texts.noAddress]);
      expect(actionsOf(await visitor.get(path))).toEqual([path]);
    });

    it('with the address of now, in any case: 400', async () => {
      const visitor = await signInHolder();
      expect(resultOf(await change(visitor, ` ${visitor.before.toUpperCase()}`))).toEqual([400, texts.sameAddress]);
      await sleep(200);
      expect(countMails(visitor.before)).toBe(0);
    });

    it('without a field: 400', async () => {
      expect(resultOf(await (await signInHolder()).post(path))).toEqual([400, texts.noAddress]);
    });

    it('of another session: 403', async () => {
      const [visitor, other] = [await signInHolder(), await signInHolder()];
      const form_token = await other.readToken();
      const after = nextMailbox();
      for (const form of [{ form_token }, {}] as Record<string, string>[]) {
        for (const to of [path, cancelPath, verifyPath]) {
          expect((await visitor.sendTo(to, { ...form, email: after })).status).toBe(403);
        }
      }
      await sleep(200);
      expect(countMails(after)).toBe(0);
    });

    it('that is posted too often: 429', async () => {
      const visitor = await signInHolder();
      for (let count = 0; count < 20; count += 1) await change(visitor, 'no address');
      const limited = await change(visitor, nextMailbox());
      expect([limited.status, limited.headers['retry-after']]).toEqual([429, '3600']);
      expect(actionsOf(await visitor.get(path))).toEqual([path]);
    });

    it('after a change of the password: 403', async () => {
      const visitor = await signInHolder();
      const page = await visitor.get(path);
      await accounts.organization.setPassword(visitor.user.username, 'another long enough password');
      expect((await visitor.send(page, path, { email: nextMailbox() })).status).toBe(403);
    });
  });

  describe('is guarded', () => {
    it('by a sign-in of the last ten minutes: the page asks again, and a form is 403', async () => {
      const visitor = await signInHolder();
      const page = await visitor.get(path);
      realm.advance(tooLong);
      expect(asksForSignIn(await visitor.get(path))).toBe(true);
      const after = nextMailbox();
      const late = await visitor.send(page, path, { email: after });
      expect(resultOf(late)).toEqual([403, signIn.again]);
      expect(resultOf(await visitor.post(cancelPath))).toEqual([403, signIn.again]);
      await sleep(200);
      expect(countMails(after)).toBe(0);
      expect(resultOf(await visitor.send(late, '/account/sign-in', { ...visitor.user }))).toEqual(done);
      expect(resultOf(await change(visitor, after))).toEqual(done);
    });

    it('by a second step of a user who has one: a password alone is 403', async () => {
      const visitor = await signInHolder();
      const another = await accounts.signInAs(visitor.user, createBrowserElsewhere());
      const page = await another.get(path);
      await makeNetworksFamiliar(database);
      const { nextCode } = await accounts.addCodeApp(visitor);
      expect((await another.get(path)).text).toContain(secondStep.code);
      const asked = await another.send(page, path, { email: nextMailbox() });
      expect([asked.status, asked.text.includes(secondStep.code)]).toEqual([403, true]);
      expect((await another.get('/account')).text).not.toContain('new-mailbox');
      expect(resultOf(await another.send(asked, '/account/second-step', { code: nextCode() }))).toEqual(done);
      expect(resultOf(await change(another, nextMailbox()))).toEqual(done);
      expect((await another.get(path)).text).toContain('It counts from');
    });
  });

  describe('of a user who proved a second step just now', () => {
    it('changes 72 hours after the new side has confirmed; the old one is told', async () => {
      const visitor = await signInHolder();
      await makeNetworksFamiliar(database);
      await accounts.addCodeApp(visitor);
      const { toNew, toOld } = await begin(visitor, subjects.told);
      const page = await visitor.get(path);
      expect(page.text).toContain('It counts from');
      expect([page.text.includes(texts.waitsForNew), page.text.includes(texts.waitsForOld)]).toEqual([true, false]);
      const told = await open(toOld);
      expect([decisionsOf(told), actionsOf(told)]).toEqual([['refuse'], [linkPath]]);
      expect(decisionsOf(await open(toOld, visitor.browser))).toEqual(['refuse']);
      expect((await confirm(visitor, toOld)).status).toBe(400);
      expect(resultOf(await confirm(visitor, toNew))).toEqual([303, '/account']);
      expect(await readAddress(visitor)).toEqual([visitor.before, profile.verified]);
      const { text } = await visitor.get(path);
      expect([text.includes(texts.waitsForNew), text.includes('It counts from')]).toEqual([false, true]);
      expect((await decide(toOld, { decision: 'refuse' }, visitor.browser)).text).toContain(texts.refused);
      expect(actionsOf(await visitor.get(path))).toEqual([path]);
    });
  });

  describe('changes by a mailed link', () => {
    it('of each side, by a user who is signed in', async () => {
      const visitor = await signInHolder();
      const { after, toNew, toOld } = await begin(visitor);
      for (let turn = 0; turn < 3; turn += 1) {
        for (const link of [toNew, toOld]) {
          const page = await open(link, visitor.browser);
          expect([page.status, page.headers['cache-control'], decisionsOf(page)]).toEqual([
            200,
            'no-store',
            ['confirm', 'refuse'],
          ]);
          expect((await call(link, { method: 'HEAD' })).status).toBe(200);
        }
      }
      expect(resultOf(await confirm(visitor, toNew))).toEqual([303, '/account']);
      expect(await readAddress(visitor)).toEqual([visitor.before, profile.verified]);
      expect(resultOf(await confirm(visitor, toOld))).toEqual([303, '/account']);
      expect(await readAddress(visitor)).toEqual([after, profile.verified]);
      expect(actionsOf(await visitor.get(path))).toEqual([path]);
      for (const to of [after, visitor.before]) await mails.waitFor(to, { subject: subjects.changed });
      const gone = (await open(`${realm.url}${linkPath}?token=${'x'.repeat(43)}`)).text;
      for (const link of [toNew, toOld]) {
        const page = await open(link, visitor.browser);
        expect([page.status, page.text]).toEqual([404, gone]);
      }
    });

    it('says to the old side what changes', async () => {
      const visitor = await signInHolder();
      const { after, toOld } = await begin(visitor);
      const values = { username: visitor.user.username, before: visitor.before, after };
      for (const browser of [visitor.browser, createBrowserElsewhere()]) {
        expect((await open(toOld, browser)).text).toContain(fill(texts.decide, values));
      }
    });

    it('says to the new side neither a name nor another address, unless the user is signed in', async () => {
      const visitor = await signInHolder({ firstName: 'Ursula', lastName: 'Userin', nickname: 'Uschi' });
      const other = await signInHolder();
      const { after, toNew } = await begin(visitor);
      for (const browser of [createBrowserElsewhere(), other.browser]) {
        const wrong = await decide(toNew, { decision: 'refuse', username: 'nobody' }, browser);
        for (const page of [await open(toNew, browser), wrong]) {
          expect(page.text).toContain(escaped(fill(texts.decideNew, { after })));
          for (const name of [visitor.user.username, visitor.before, 'Ursula', 'Userin', 'Uschi']) {
            expect([name, page.text.includes(name)]).toEqual([name, false]);
          }
        }
      }
      const browser = createBrowserElsewhere();
      const { fields } = readForms(await open(toNew, browser))[0] ?? {};
      const asked = await browser.post(realm.url + linkPath, { ...fields, decision: 'confirm' });
      expect([asksForSignIn(asked), asked.text.includes(visitor.user.username)]).toEqual([true, false]);
    });

    it('asks for a sign-in where there is none, and leads back to the link', async () => {
      const visitor = await signInHolder();
      const { after, toNew, toOld } = await begin(visitor);
      await confirm(visitor, toOld);
      const another = accounts.visit(visitor.user, createBrowserElsewhere());
      const page = await another.get(pathOf(toNew));
      expect(decisionsOf(page)).toEqual(['confirm', 'refuse']);
      expect(page.text).toContain(texts.signInAndConfirm);
      const asked = await another.send(page, linkPath, { decision: 'confirm' });
      expect([asked.status, asksForSignIn(asked)]).toEqual([200, true]);
      expect(await readAddress(visitor)).toEqual([visitor.before, profile.verified]);
      const led = await another.send(asked, '/account/sign-in', { ...visitor.user });
      expect(resultOf(led)).toEqual([303, pathOf(toNew)]);
      const again = await another.get(pathOf(toNew));
      expect(decisionsOf(again)).toEqual(['confirm', 'refuse']);
      expect(resultOf(await another.send(again, linkPath, { decision: 'confirm' }))).toEqual([303, '/account']);
      expect(await readAddress(another)).toEqual([after, profile.verified]);
    });

    it('is confirmed by no other user: 403', async () => {
      const [visitor, other] = [await signInHolder(), await signInHolder()];
      const { toNew, toOld } = await begin(visitor);
      for (const link of [toNew, toOld]) {
        expect(decisionsOf(await open(link, other.browser))).toEqual(['refuse']);
        expect(resultOf(await confirm(other, link))).toEqual([403, mailed.verifyOther]);
      }
      expect(await readAddress(other)).toEqual([other.before, profile.verified]);
      expect(actionsOf(await visitor.get(path))).toEqual([cancelPath, path]);
    });

    it.each(['', 'hello', 'CONFIRM'])('is not decided by %j: 400', async (decision) => {
      const visitor = await signInHolder();
      const { after, toNew, toOld } = await begin(visitor);
      for (const link of [toNew, toOld]) {
        expect((await decide(link, { decision }, visitor.browser)).status).toBe(400);
      }
      const { text } = await visitor.get(path);
      expect([after, texts.waitsForNew, texts.waitsForOld].filter((line) => !text.includes(line))).toEqual([]);
    });

    it('takes no form of another browser: 403', async () => {
      const visitor = await signInHolder();
      const { toNew } = await begin(visitor);
      const { fields } = readForms(await open(toNew)).at(-1) ?? {};
      for (const decision of ['confirm', 'refuse']) {
        const form = { ...fields, decision, username: visitor.user.username };
        expect(resultOf(await visitor.browser.post(realm.url + linkPath, form))).toEqual([403, account.stale]);
      }
      expect(actionsOf(await visitor.get(path))).toEqual([cancelPath, path]);
    });
  });

  describe('stays by a mailed link', () => {
    it.each(['toNew', 'toOld'] as const)('with the username, without a sign-in: %s', async (side) => {
      const visitor = await signInHolder();
      const { [side]: link, toNew, toOld } = await begin(visitor);
      const browser = createBrowserElsewhere();
      const page = await open(link, browser);
      expect(page.text).toContain(texts.refuseHint);
      for (const username of ['', 'nobody@example.com', visitor.before]) {
        const refused = await decide(link, { decision: 'refuse', username }, browser);
        expect(resultOf(refused)).toEqual([400, texts.wrongUsername]);
        expect(refused.text).toContain('aria-describedby="fault"');
      }
      expect(actionsOf(await visitor.get(path))).toEqual([cancelPath, path]);
      const username = visitor.user.username.toUpperCase();
      const kept = await decide(link, { decision: 'refuse', username }, browser);
      expect([kept.status, kept.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(kept.text).toContain(`<h1>${texts.refusedTitle}</h1>`);
      expect(kept.text).toContain(texts.refused);
      expect(actionsOf(await visitor.get(path))).toEqual([path]);
      for (const dead of [toNew, toOld]) expect((await open(dead)).status).toBe(404);
      expect(await readAddress(visitor)).toEqual([visitor.before, profile.verified]);
    });

    it('with a session of the user, and no name', async () => {
      const visitor = await signInHolder();
      const { toOld } = await begin(visitor);
      expect((await open(toOld, visitor.browser)).text).not.toContain('name="username"');
      const kept = await decide(toOld, { decision: 'refuse' }, visitor.browser);
      expect([kept.status, kept.text.includes(texts.refusedTitle)]).toEqual([200, true]);
      expect(actionsOf(await visitor.get(path))).toEqual([path]);
    });

    it('not with a session of another user, who types no name', async () => {
      const [visitor, other] = [await signInHolder(), await signInHolder()];
      const { toOld } = await begin(visitor);
      const refused = await decide(toOld, { decision: 'refuse', username: other.user.username }, other.browser);
      expect(resultOf(refused)).toEqual([400, texts.wrongUsername]);
      expect(actionsOf(await visitor.get(path))).toEqual([cancelPath, path]);
    });
  });

  it('is not said to stay by a link that is about something else', async () => {
    const visitor = await signInHolder({ emailVerified: false });
    await visitor.submit(path, verifyPath);
    const link = await recovery.readLink(visitor.before, 'Confirm your e-mail address');
    expect(resultOf(await decide(link, { decision: 'refuse' }, visitor.browser))).toEqual([303, '/account']);
  });
});

describe('the e-mail address of a user where no mails are sent', () => {
  let realm: Realm;
  let accounts: Accounts;

  beforeAll(async () => {
    realm = await startRealm();
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  it(`is shown, and is not changed: 400 (on ${quickestDialect})`, async () => {
    const visitor = await accounts.signIn();
    const page = await visitor.get(path);
    expect([page.status, actionsOf(page)]).toEqual([200, []]);
    expect(page.text).toContain(texts.noMail);
    for (const to of [path, verifyPath, cancelPath]) {
      const refused = await visitor.post(to, { email: 'new@example.net' });
      expect([to, ...resultOf(refused)]).toEqual([to, 400, texts.noMail]);
    }
    expect((await visitor.get('/account')).text).not.toContain(`href="${path}"`);
  });
});
