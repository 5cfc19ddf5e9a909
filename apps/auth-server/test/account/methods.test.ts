import { fill } from '@gatehouse/service-kit/html';
import { showCode, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatDay } from '../../src/account/account-page.ts';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  chrome,
  createBrowserWith,
  escaped,
  readContent,
  readForms,
  readPasskeyOptions,
  readRecoveryCodes,
  resultOf,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { stopClock } from '../support/still-clock.ts';

const page = '/account/methods';
const done = [303, page];
const { account, methods, passkey, secondStep, setUp, signIn } = en;
const hostile = '"><script>alert(1)</script>';

describe.each(testDialects)('the ways in which a user signs in, on %s,', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let startClock: () => void;

  beforeAll(async () => {
    startClock = stopClock();
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
  });
  afterAll(async () => {
    await realm.close();
    startClock();
  });

  const read = async (visitor: Visitor) => (await visitor.get(page)).text;
  const submit = async (visitor: Visitor, path: string, about: object = {}, fields: Record<string, string> = {}) =>
    resultOf(await visitor.submit(page, path, fields, about));
  /** The names of the passkeys, and the passkeys by their names. */
  const readPasskeys = async (visitor: Visitor) =>
    Object.fromEntries(
      readForms(await visitor.get(page))
        .filter(({ action }) => action === '/account/passkeys/rename')
        .map(({ fields }) => [fields.name, fields.id as string]),
    );
  const idOf = async (visitor: Visitor, name = 'A passkey') => (await readPasskeys(visitor))[name] as string;
  const isOffered = async (visitor: Visitor, path: string, about: object = {}) =>
    readForms(await visitor.get(page)).some(
      ({ action, fields }) => action === path && Object.entries(about).every(([name, value]) => fields[name] === value),
    );
  const removePasskey = async (visitor: Visitor, name?: string) =>
    submit(visitor, '/account/passkeys/remove', { id: await idOf(visitor, name) });
  const removePassword = (visitor: Visitor) => submit(visitor, '/account/password/remove');
  const today = (timezone = 'UTC') => formatDay(Date.now(), en, timezone);
  /** A user whose passkey is the only way in, with another session that began by it. */
  const signInByPasskeyAlone = async () => {
    const visitor = await accounts.signIn();
    const { authenticator } = await accounts.addPasskey(visitor);
    expect(await removePassword(visitor)).toEqual(done);
    const other = accounts.visit(visitor.user);
    await other.signInByPasskey(authenticator);
    return { visitor, authenticator, other };
  };
  /** By the password, and a code where one is asked for. */
  const signInAgain = async ({ user }: Visitor, code?: string) => {
    const another = accounts.visit(user);
    const answer = await another.signIn();
    return code === undefined ? answer : another.send(answer, '/account/second-step', { code });
  };

  describe('on their page:', () => {
    it('a password alone, its day, and no way to remove it', async () => {
      const visitor = await accounts.signIn({ timezone: 'Pacific/Kiritimati' });
      const text = await read(visitor);
      expect(text).toContain(fill(methods.passwordChanged, { date: today('Pacific/Kiritimati') }));
      for (const words of [methods.noPasskeys, methods.addCodeApp, methods.changePassword])
        expect(text).toContain(words);
      expect(text).not.toContain(methods.recoveryCodes);
      expect(readForms({ text })).toEqual([]);
    });

    it('passkeys on one device or several, as a second step alone, never used and used', async () => {
      const visitor = await accounts.signIn();
      const { authenticator } = await accounts.addPasskey(visitor, 'Key', { verifies: false });
      await accounts.addPasskey(visitor, 'Phone', { syncs: true });
      const [key = '', phone = ''] = (await read(visitor)).split('<li><div><strong>').slice(1);
      expect(key.match(/badge">[^<]*/g)).toEqual([`badge">${methods.oneDevice}`, `badge">${methods.secondStepOnly}`]);
      expect(phone.match(/badge">[^<]*/g)).toEqual([`badge">${methods.synced}`]);
      const made = fill(methods.created, { date: today() });
      for (const entry of [key, phone]) expect(entry).toContain(`${made} · ${account.never}`);
      const another = accounts.visit(visitor.user);
      const second = await another.signIn();
      const credential = authenticator.get({ challenge: readPasskeyOptions(second).get?.challenge ?? '' });
      expect(resultOf(await another.send(second, '/account/second-step', { credential }))).toEqual([303, '/account']);
      const used = `${made} · ${fill(account.lastUsed, { date: today() })}`;
      expect((await read(visitor)).split('<strong>')[1]).toContain(used);
    });

    it('a code app, and how many recovery codes are left', async () => {
      const visitor = await accounts.signIn();
      const { nextCode, recoveryCodes } = await accounts.addCodeApp(visitor);
      const left = (count: number) => fill(methods.codesLeft, { count: String(count), date: today() });
      expect(await read(visitor)).toContain(left(10));
      expect(await read(visitor)).toContain(`${fill(methods.created, { date: today() })} · ${account.never}`);
      for (const code of [recoveryCodes[3], nextCode()]) expect((await signInAgain(visitor, code)).status).toBe(303);
      expect(await read(visitor)).toContain(left(9));
      expect(await read(visitor)).toContain(fill(account.lastUsed, { date: today() }));
    });

    it('no button that removes the last way in', async () => {
      const visitor = await accounts.signIn();
      await accounts.addPasskey(visitor, 'Key', { verifies: false });
      expect(await isOffered(visitor, '/account/password/remove')).toBe(false);
      expect(await isOffered(visitor, '/account/passkeys/remove', { id: await idOf(visitor, 'Key') })).toBe(true);
      await accounts.addPasskey(visitor);
      expect(await isOffered(visitor, '/account/passkeys/remove', { id: await idOf(visitor) })).toBe(true);
      expect(await removePassword(visitor)).toEqual(done);
      expect(await read(visitor)).toContain(methods.noPassword);
      expect(await isOffered(visitor, '/account/passkeys/remove', { id: await idOf(visitor) })).toBe(false);
      expect(await isOffered(visitor, '/account/passkeys/remove', { id: await idOf(visitor, 'Key') })).toBe(true);
    });
  });

  describe('removed by the user:', () => {
    it('a passkey signs nobody in, and the others do', async () => {
      const visitor = await accounts.signIn();
      const gone = await accounts.addPasskey(visitor, 'Gone');
      const kept = await accounts.addPasskey(visitor, 'Kept');
      expect(await removePasskey(visitor, 'Gone')).toEqual(done);
      expect(Object.keys(await readPasskeys(visitor))).toEqual(['Kept']);
      const another = accounts.visit(visitor.user);
      expect(resultOf(await another.signInByPasskey(gone.authenticator))).toEqual([400, passkey.wrong]);
      expect(resultOf(await another.signInByPasskey(kept.authenticator))).toEqual([303, '/account']);
    });

    it('the last second step takes the recovery codes along, and the password is enough again', async () => {
      const visitor = await accounts.signIn();
      const { recoveryCodes } = await accounts.addCodeApp(visitor);
      await accounts.addPasskey(visitor);
      expect(await submit(visitor, '/account/code-app/remove')).toEqual(done);
      expect((await signInAgain(visitor, recoveryCodes[0])).status).toBe(303);
      expect(await removePasskey(visitor)).toEqual(done);
      expect(await read(visitor)).not.toContain(methods.recoveryCodes);
      expect(resultOf(await signInAgain(visitor))).toEqual([303, '/account']);
    });

    it('a password signs nobody in, and the passkey does', async () => {
      const { visitor, authenticator } = await signInByPasskeyAlone();
      expect(resultOf(await signInAgain(visitor))).toEqual([400, signIn.wrong]);
      expect(resultOf(await accounts.visit(visitor.user).signInByPasskey(authenticator))).toEqual([303, '/account']);
    });

    it('the last way in stays: 400, and no session ends', async () => {
      const { visitor, authenticator, other } = await signInByPasskeyAlone();
      const refused = await visitor.post('/account/passkeys/remove', { id: await idOf(visitor) });
      expect(resultOf(refused)).toEqual([400, methods.lastWayIn]);
      expect(refused.text).toContain(`<h1>${account.methods}</h1>`);
      expect(await other.isSignedIn()).toBe(true);
      expect((await accounts.visit(visitor.user).signInByPasskey(authenticator)).status).toBe(303);
    });

    it('the password stays beside a passkey that signs nobody in alone: 400, and no session ends', async () => {
      const visitor = await accounts.signIn();
      const other = await accounts.signInAs(visitor.user);
      await accounts.addPasskey(visitor, 'Key', { verifies: false });
      expect(resultOf(await visitor.post('/account/password/remove'))).toEqual([400, methods.lastWayIn]);
      expect(await other.isSignedIn()).toBe(true);
    });

    it.each<[string, string, Record<string, string>]>([
      ['a passkey of nobody', '/account/passkeys/remove', { id: '01a215df-b392-72ab-95f6-d099d22f8660' }],
      ['a passkey of a long name', '/account/passkeys/remove', { id: 'x'.repeat(300) }],
      ['a passkey of no name', '/account/passkeys/remove', {}],
      ['a code app', '/account/code-app/remove', {}],
    ])('%s that is not there: 400, and no session ends', async (_what, path, fields) => {
      const visitor = await accounts.signIn();
      const other = await accounts.signInAs(visitor.user);
      await accounts.addPasskey(visitor);
      const before = readContent(await visitor.get(page));
      expect(resultOf(await visitor.post(path, fields))).toEqual([400, account.changedMeanwhile]);
      expect(readContent(await visitor.get(page))).toBe(before);
      expect(await other.isSignedIn()).toBe(true);
    });

    it('a password that is gone already: 400, and no session ends', async () => {
      const { visitor, other } = await signInByPasskeyAlone();
      expect(resultOf(await visitor.post('/account/password/remove'))).toEqual([400, account.changedMeanwhile]);
      expect(await other.isSignedIn()).toBe(true);
    });

    it('a passkey of another user stays', async () => {
      const owner = await accounts.signIn();
      await accounts.addPasskey(owner);
      const id = await idOf(owner);
      const thief = await accounts.signIn();
      for (const path of ['/account/passkeys/remove', '/account/passkeys/rename']) {
        const refused = await thief.post(path, { id, name: 'Stolen' });
        expect(resultOf(refused)).toEqual([400, account.changedMeanwhile]);
      }
      expect(await readPasskeys(owner)).toEqual({ 'A passkey': id });
    });

    it('one passkey by forty at once: one of them does it, and all others read that something changed', async () => {
      const visitor = await accounts.signIn();
      await accounts.addPasskey(visitor, 'Kept');
      await accounts.addPasskey(visitor);
      const fields = { id: await idOf(visitor), form_token: await visitor.readToken() };
      const sent = Array.from({ length: 40 }, () => visitor.sendTo('/account/passkeys/remove', fields));
      const results = (await Promise.all(sent)).map(resultOf).sort();
      expect(results).toEqual([done, ...Array(39).fill([400, account.changedMeanwhile])]);
      expect(Object.keys(await readPasskeys(visitor))).toEqual(['Kept']);
    });

    it('the last two ways in, by forty at once: one is left, and it signs in', async () => {
      const visitor = await accounts.signIn();
      const { authenticator } = await accounts.addPasskey(visitor);
      const fields = { id: await idOf(visitor), form_token: await visitor.readToken() };
      const paths = ['/account/passkeys/remove', '/account/password/remove'];
      const send = async (path: string) => [path, ...resultOf(await visitor.sendTo(path, fields))];
      const sent = Array.from({ length: 40 }, (_, turn) => send(paths[turn % 2] as string));
      const removed = (await Promise.all(sent)).filter(([, status]) => status === 303);
      expect(removed).toEqual([[expect.any(String), ...done]]);
      const hasPasskey = Object.keys(await readPasskeys(visitor)).length === 1;
      const answer = hasPasskey
        ? await accounts.visit(visitor.user).signInByPasskey(authenticator)
        : await signInAgain(visitor);
      expect(resultOf(answer)).toEqual([303, '/account']);
    });
  });

  describe('with names of passkeys', () => {
    it.each([
      hostile,
      "' onfocus='alert(1)",
      '&lt;b&gt; & "quoted"',
      '</strong></li></ul>',
      'ü 日本 🔑',
      '🔑'.repeat(64),
    ])('that are shown as they are: %s', async (name) => {
      const visitor = await accounts.signIn();
      expect((await accounts.addPasskey(visitor, name)).answer.status).toBe(200);
      const text = await read(visitor);
      expect(text).toContain(`<strong>${escaped(name)}</strong>`);
      expect(text).not.toContain('<script');
      expect(await submit(visitor, '/account/passkeys/rename', { name }, { name: 'Another' })).toEqual(done);
      expect(await submit(visitor, '/account/passkeys/rename', { name: 'Another' }, { name })).toEqual(done);
      expect(Object.keys(await readPasskeys(visitor))).toEqual([name]);
    });

    it.each([
      ['no character', ''],
      ['65 characters', 'a'.repeat(65)],
      ['a character that turns the text around', 'a\u202etxt.exe'],
      ['an isolate', 'a\u2066b'],
      ['a mark of direction', 'a\u200fb'],
      ['a line break', 'a\nb'],
      ['a line separator', 'a\u2028b'],
      ['a control character', 'a\u0000b'],
    ])('that are refused: with %s', async (_case, name) => {
      const visitor = await accounts.signIn();
      await accounts.addPasskey(visitor);
      const refused = await submit(visitor, '/account/passkeys/rename', {}, { name });
      expect(refused).toEqual([400, methods.passkeyNameFault]);
      expect(Object.keys(await readPasskeys(visitor))).toEqual(['A passkey']);
      if (name === '') return;
      const { answer } = await accounts.addPasskey(visitor, name);
      expect(resultOf(answer)).toEqual([400, methods.passkeyNameFault]);
      expect(Object.keys(await readPasskeys(visitor))).toEqual(['A passkey']);
    });

    it('of writing that needs joiners, as passkeys have them everywhere else', async () => {
      const visitor = await accounts.signIn();
      await accounts.addPasskey(visitor);
      for (const name of ['گوشی می\u200cخواهم', '👩\u200d💻']) {
        expect(await submit(visitor, '/account/passkeys/rename', {}, { name })).toEqual(done);
        expect(Object.keys(await readPasskeys(visitor))).toEqual([name]);
      }
    });

    it('that are the browser and its system where nothing is typed', async () => {
      const user = await accounts.createPerson();
      const visitor = await accounts.signInAs(user, createBrowserWith({ 'user-agent': chrome }));
      await accounts.addPasskey(visitor, '');
      expect(Object.keys(await readPasskeys(visitor))).toEqual(['Chrome on Windows']);
    });
  });

  describe('made by the user:', () => {
    it('a first passkey, with recovery codes that are shown once; the session goes on at its level', async () => {
      const visitor = await accounts.signIn();
      const cookie = visitor.sessionCookie();
      const { answer, recoveryCodes } = await accounts.addPasskey(visitor);
      expect([answer.status, recoveryCodes.length]).toEqual([200, 10]);
      expect(answer.text).toContain(`<h1>${setUp.codesTitle}</h1>`);
      expect(visitor.sessionCookie()).not.toBe(cookie);
      expect((await visitor.get('/account/sessions')).text).toContain(en.sessions.level.phr);
      const kept = await visitor.get(`${page}?kept=yes`);
      expect([kept.status, readRecoveryCodes(kept)]).toEqual([200, []]);
    });

    it('a second passkey, with no new codes, and none of those that the browser has', async () => {
      const visitor = await accounts.signIn();
      const { authenticator } = await accounts.addPasskey(visitor);
      const options = readPasskeyOptions(await visitor.get('/account/passkeys')).create;
      expect(options?.excludeCredentials).toMatchObject([{ id: authenticator.credentialId }]);
      expect(options?.user.name).toBe(visitor.user.username);
      expect(resultOf((await accounts.addPasskey(visitor, 'Another')).answer)).toEqual(done);
    });

    it('no passkey without an answer, or by the answer to another page, browser or time: 400, and the page again', async () => {
      const visitor = await accounts.signIn();
      const other = await accounts.signInAs(visitor.user);
      const form = await visitor.get('/account/passkeys');
      const answerTo = async (asked: Visitor, path: string, kind: 'create' | 'get') => {
        const challenge = readPasskeyOptions(await asked.get(path))[kind]?.challenge ?? '';
        return accounts.createKey().create({ challenge, userHandle: '' });
      };
      const signInPage = await answerTo(accounts.visit(visitor.user), '/account/passkeys', 'get');
      const credentials = ['', 'nonsense', '{}', signInPage, await answerTo(other, '/account/passkeys', 'create')];
      for (const credential of credentials) {
        const refused = await visitor.send(form, '/account/passkeys', { credential });
        expect(resultOf(refused)).toEqual([400, passkey.wrong]);
        expect(readPasskeyOptions(refused).create).toBeDefined();
      }
      const credential = await answerTo(visitor, '/account/passkeys', 'create');
      expect((await visitor.send(form, '/account/passkeys', { credential })).status).toBe(200);
      expect(resultOf(await visitor.send(form, '/account/passkeys', { credential }))).toEqual([400, passkey.wrong]);
      expect(Object.keys(await readPasskeys(visitor))).toHaveLength(1);
    });

    it('twenty passkeys, and no more', async () => {
      const visitor = await accounts.signIn();
      const early = await visitor.get('/account/passkeys');
      const { challenge = '' } = readPasskeyOptions(early).create ?? {};
      for (let count = 1; count <= 20; count += 1) await accounts.addPasskey(visitor, `Passkey ${count}`);
      expect((await visitor.get('/account/passkeys')).text).toContain(escaped(methods.tooManyPasskeys));
      const credential = accounts.createKey().create({ challenge, userHandle: '' });
      const refused = await visitor.send(early, '/account/passkeys', { credential });
      expect(resultOf(refused)).toEqual([400, account.changedMeanwhile]);
      expect(Object.keys(await readPasskeys(visitor))).toHaveLength(20);
    });

    it('a code app by picture and key, with recovery codes; the session goes on at its level', async () => {
      const visitor = await accounts.signIn();
      const form = await visitor.get('/account/code-app');
      const { secret = '' } = readForms(form)[0]?.fields ?? {};
      expect(form.text).toContain('<svg class="qr"');
      expect(form.text).toContain(`<code>${secret.match(/.{4}/g)?.join(' ')}</code>`);
      const wrong = await visitor.send(form, '/account/code-app', { code: '000000' });
      expect(resultOf(wrong)).toEqual([400, setUp.wrong]);
      expect(readForms(wrong)[0]?.fields).toMatchObject({ secret });
      const shown = await visitor.send(wrong, '/account/code-app', { code: showCode(secret) });
      expect([shown.status, readRecoveryCodes(shown).length]).toEqual([200, 10]);
      expect((await visitor.get('/account/sessions')).text).toContain(en.sessions.level.mfa);
      expect(resultOf(await signInAgain(visitor, showCode(secret, 1)))).toEqual([303, '/account']);
    });

    it.each(['', 'A', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'])(
      'no code app with the secret %j, which another chose: 403, and the page with one of its own',
      async (secret) => {
        const visitor = await accounts.signIn();
        const form = await visitor.get('/account/code-app');
        const stranger = await (await accounts.signIn()).get('/account/code-app');
        const { secret_token = '' } = readForms(stranger)[0]?.fields ?? {};
        const typed: Record<string, string> = { secret, code: showCode(secret) };
        for (const fields of [typed, { ...typed, secret_token }, { ...typed, secret_token: '' }]) {
          const refused = await visitor.send(form, '/account/code-app', fields);
          expect(resultOf(refused)).toEqual([403, account.stale]);
          expect(readForms(refused)[0]?.fields.secret).toMatch(/^[A-Z2-7]{32}$/);
          expect(readForms(refused)[0]?.fields.secret).not.toBe(secret);
        }
        expect(await read(visitor)).toContain(methods.addCodeApp);
      },
    );

    it('no code app with the secret of another page of the same form token', async () => {
      const visitor = await accounts.signIn();
      const [first, second] = [await visitor.get('/account/code-app'), await visitor.get('/account/code-app')];
      const { secret = '' } = readForms(second)[0]?.fields ?? {};
      const refused = await visitor.send(first, '/account/code-app', { secret, code: showCode(secret) });
      expect(resultOf(refused)).toEqual([403, account.stale]);
    });

    it('another code app in place of the one before, whose recovery codes stay', async () => {
      const visitor = await accounts.signIn();
      const before = await accounts.addCodeApp(visitor);
      const wrong = await visitor.submit('/account/code-app', '/account/code-app', { code: '000000' });
      expect(resultOf(wrong)).toEqual([400, setUp.wrong]);
      const after = await accounts.addCodeApp(visitor);
      expect([...resultOf(after.answer), after.recoveryCodes]).toEqual([...done, []]);
      expect(resultOf(await signInAgain(visitor, before.nextCode()))).toEqual([400, secondStep.wrong]);
      expect((await signInAgain(visitor, after.nextCode())).status).toBe(303);
      expect((await signInAgain(visitor, before.recoveryCodes[0])).status).toBe(303);
    });

    it('ten new recovery codes in place of all before', async () => {
      const visitor = await accounts.signIn();
      const { recoveryCodes: old } = await accounts.addCodeApp(visitor);
      expect((await signInAgain(visitor, old[0])).status).toBe(303);
      const shown = await visitor.submit('/account/recovery-codes', '/account/recovery-codes');
      const [code = '', ...others] = readRecoveryCodes(shown);
      expect([shown.status, others.length, old.includes(code)]).toEqual([200, 9, false]);
      expect(await read(visitor)).toContain(fill(methods.codesLeft, { count: '10', date: today() }));
      expect(resultOf(await signInAgain(visitor, old[1]))).toEqual([400, secondStep.wrong]);
      expect((await signInAgain(visitor, code)).status).toBe(303);
    });

    it('no recovery codes without a second step: 400', async () => {
      const visitor = await accounts.signIn();
      const refused = await visitor.submit('/account/recovery-codes', '/account/recovery-codes');
      expect([...resultOf(refused), readRecoveryCodes(refused)]).toEqual([400, methods.noSecondStep, []]);
    });

    it('a passkey in place of a lost one, after the password and a recovery code', async () => {
      const lost = await accounts.signIn();
      const { recoveryCodes } = await accounts.addPasskey(lost, 'Lost');
      const visitor = accounts.visit(lost.user);
      const second = await visitor.signIn('/account/passkeys');
      const [code = ''] = recoveryCodes;
      expect(resultOf(await visitor.send(second, '/account/second-step', { code }))).toEqual([
        303,
        '/account/passkeys',
      ]);
      const { answer, authenticator } = await accounts.addPasskey(visitor, 'Found');
      expect(resultOf(answer)).toEqual(done);
      expect(await removePasskey(visitor, 'Lost')).toEqual(done);
      expect((await accounts.visit(lost.user).signInByPasskey(authenticator)).status).toBe(303);
    });
  });
});
