import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { directoryPaths, type NewUser } from '@gatehouse/shared';
import {
  createRelay,
  type MailServer,
  makeCertificates,
  type ReceivedMail,
  startMailServer,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isPlainAddress } from '../src/mails/mail.ts';
import { en } from '../src/mails/messages/en.ts';
import { languages } from '../src/mails/messages/languages.ts';
import type { User } from '../src/users/user.ts';
import { createMailReader, mailFrom, readTarget, startMailedOrganization, tokenOf, until } from './support/mails.ts';
import {
  type AdministratorRequests,
  challenge,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
  proven,
} from './support/methods.ts';
import { authUrl, bearer, type Organization, startOrganization } from './support/organization.ts';

const password = 'a-password-of-mails';
const newPassword = 'another-password-of-mails';
const minute = 60_000;
const hour = 60 * minute;
const browser = 'Firefox on Windows';
const { notices } = en;

type Mailed = Awaited<ReturnType<typeof startMailedOrganization>>;
type Notice = keyof typeof notices;

let names = 0;
async function addPerson(organization: Organization, more: Partial<NewUser> = {}): Promise<User> {
  names += 1;
  const [username, email] = [`person${names}@example.com`, `mailbox${names}@example.com`];
  const user = await organization.addUser({ username, email, emailVerified: true, password, ...more });
  organization.time.now += 1_000;
  return user;
}

/** Has a mail made. */
async function setPassword(organization: Organization, user: User, app = organization.app): Promise<void> {
  const token = await organization.accessToken(user);
  const answer = await app.inject({
    ...{
      method: 'PUT',
      url: `/organization/api/organization/user/userId/${encodeURIComponent(user.username)}/password`,
    },
    ...{ headers: bearer(token), payload: { oldPassword: password, password: newPassword } },
  });
  expect(answer.statusCode).toBe(204);
}

const listFailed = async (administrator: AdministratorRequests) =>
  (await administrator.send('GET', 'audit-events?type=mail.failed')).json<{ events: object[] }>().events;
/** The row of an event follows within a second. */
const waitForFailed = async (administrator: AdministratorRequests) => {
  await until(async () => (await listFailed(administrator)).length > 0, 'an event of a mail that was given up');
  return listFailed(administrator);
};

describe('an address that gets mails', () => {
  it.each([
    'user@example.com',
    'first.last+tag@sub.example.com',
    "o'hara_1-2@example.com",
    'user@localhost',
    'ünal@exämple.com',
    `${'x'.repeat(242)}@example.com`,
  ])('is one of letters alone: %s', (address) => {
    expect(isPlainAddress(address)).toBe(true);
  });

  it.each([
    '',
    'user',
    '@example.com',
    'user@',
    'user@example.com,other@example.com',
    'user@example.com;other@example.com',
    'user@example.com other@example.com',
    'a@b@example.com',
    'User <user@example.com>',
    '<user@example.com>',
    '"user"@example.com',
    'user(comment)@example.com',
    'group:user@example.com;',
    'user@[192.0.2.1]',
    'back\\slash@example.com',
    ' user@example.com',
    'user@example.com\n',
    'user@example.com\r\nBcc: other@example.com',
    'us\ter@example.com',
    'us\u00a0er@example.com',
    'us\u0000er@example.com',
    'us\u007fer@example.com',
    `${'x'.repeat(243)}@example.com`,
  ])('is not %j', (address) => {
    expect(isPlainAddress(address)).toBe(false);
  });
});

describe.each(testDialects)('notices on %s', (dialect) => {
  let mailed: Mailed;
  let organization: Organization;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let user: User;
  let recoveryCodes: string[];

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect, { notifyNewSignIn: true });
    ({ organization } = mailed);
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
  });
  afterAll(() => mailed.close());
  beforeEach(async () => {
    organization.time.now += 10 * minute;
    recoveryCodes = [];
  });

  const byUser = async (changes: object) =>
    expect(await directory.change(user, { browser, ...changes })).toMatchObject({ outcome: 'done' });
  const byAdministrator = async (method: 'PUT' | 'DELETE' | 'PATCH' | 'POST', path: string, payload?: object) =>
    expect((await administrator.ofUser(user, method, path, payload)).statusCode).toBeLessThan(300);
  const addPasskey = async (options?: Parameters<typeof createPasskey>[0]) => {
    const passkey = createPasskey(options);
    const answer = await directory.addPasskey(user, passkey, undefined, { browser });
    expect(answer).toMatchObject({ outcome: 'done' });
    recoveryCodes = [...recoveryCodes, ...(answer.recoveryCodes ?? [])];
    return passkey;
  };
  const addCodeApp = async () => {
    const answer = await directory.addCodeApp(user, { browser });
    expect(answer).toMatchObject({ outcome: 'done' });
    recoveryCodes = [...recoveryCodes, ...(answer.recoveryCodes ?? [])];
  };
  const findPasskey = async () => (await administrator.readMethods(user)).passkeys[0]?.id as string;
  const useRecoveryCode = async (index: number) =>
    expect(await directory.checkCode(user, recoveryCodes[index] as string, { browser })).toMatchObject({
      outcome: 'verified',
    });
  /** Wrong codes, as fast as they are checked. */
  const guess = async (count: number) => {
    for (let done = 0; done < count; done += 1) {
      if (done % 5 === 0) organization.time.now += 5 * minute + 1;
      expect(await directory.checkCode(user, '000000', { browser })).toEqual({ outcome: 'wrong' });
    }
  };

  interface Case {
    kind: Notice;
    by: 'the user' | 'an administrator';
    prepare?: () => Promise<unknown>;
    act: () => Promise<unknown>;
    values?: Record<string, string>;
  }

  let identityId = '';
  const identityName = { upstream: 'Example Login', identity: 'someone@example.net' };
  const linkIdentity = async () => {
    const { upstream: upstreamName, identity: shown } = identityName;
    const account = { issuer: 'https://login.example.net', subject: user.id, upstream: 'example', upstreamName, shown };
    const { address, requestId, ...link } = proven(user);
    const signIn = { address, requestId, browser, account, link, beganAt: 0 };
    const answer = await directory.post(directoryPaths.upstreamSignIns, signIn);
    expect(answer).toMatchObject({ outcome: 'verified' });
    identityId = String(answer.identityId);
  };

  let counting: ReturnType<typeof createPasskey>;
  const passkeyName = { name: 'Chrome on Linux' };
  const cases: Case[] = [
    {
      ...{ kind: 'password_changed', by: 'the user' },
      act: () => byUser({ password: { old: password, new: newPassword } }),
    },
    {
      ...{ kind: 'password_changed', by: 'an administrator' },
      act: () => byAdministrator('PUT', '/password', { password: newPassword }),
    },
    {
      ...{ kind: 'new_sign_in', by: 'the user' },
      act: async () =>
        expect(await directory.checkPassword(user, { password, browser })).toMatchObject({ outcome: 'verified' }),
    },
    { kind: 'passkey_added', by: 'the user', prepare: addCodeApp, act: () => addPasskey(), values: passkeyName },
    {
      ...{ kind: 'passkey_removed', by: 'the user', values: passkeyName, prepare: () => addPasskey() },
      act: async () => byUser({ remove: { passkey: await findPasskey() } }),
    },
    {
      ...{ kind: 'passkey_removed', by: 'an administrator', values: passkeyName, prepare: () => addPasskey() },
      act: async () => byAdministrator('DELETE', `/methods/passkeys/${await findPasskey()}`),
    },
    { kind: 'code_app_added', by: 'the user', prepare: () => addPasskey(), act: addCodeApp },
    {
      ...{ kind: 'code_app_removed', by: 'the user', prepare: addCodeApp },
      act: () => byUser({ remove: { codeApp: true } }),
    },
    {
      ...{ kind: 'code_app_removed', by: 'an administrator', prepare: addCodeApp },
      act: () => byAdministrator('DELETE', '/methods/code-app'),
    },
    {
      ...{ kind: 'recovery_codes_made', by: 'the user', prepare: addCodeApp },
      act: () => byUser({ recoveryCodes: 'new' }),
    },
    {
      ...{ kind: 'recovery_code_used', by: 'the user', prepare: addCodeApp, values: { left: '9' } },
      act: () => useRecoveryCode(0),
    },
    { kind: 'password_known', by: 'the user', prepare: addCodeApp, act: () => guess(10) },
    {
      ...{ kind: 'counter_behind', by: 'the user' },
      prepare: async () => {
        counting = await addPasskey({ counts: true } as Parameters<typeof createPasskey>[0]);
        const answer = await directory.checkPasskey(counting.get({ challenge }));
        expect(answer).toMatchObject({ outcome: 'verified' });
      },
      act: async () => {
        const answer = await directory.checkPasskey(counting.get({ challenge }, { signCount: 1 }), { browser });
        expect(answer).toMatchObject({ outcome: 'wrong' });
      },
    },
    { kind: 'identity_linked', by: 'the user', act: linkIdentity, values: identityName },
    {
      ...{ kind: 'identity_removed', by: 'the user', values: identityName, prepare: linkIdentity },
      act: () => byUser({ remove: { identity: identityId } }),
    },
    {
      ...{ kind: 'identity_removed', by: 'an administrator', values: identityName, prepare: linkIdentity },
      act: () => byAdministrator('DELETE', `/identities/${identityId}`),
    },
    {
      ...{ kind: 'methods_reset', by: 'an administrator', prepare: () => addPasskey() },
      act: () => byAdministrator('POST', '/methods/reset', {}),
    },
    {
      ...{ kind: 'email_changed', by: 'an administrator' },
      act: () => byAdministrator('PATCH', '', { email: `another-${user.email}`, emailVerified: true }),
    },
  ];
  const described = cases.map((one) => [one.kind, one.by, one] as const);

  it('are all tried here', () => {
    // The account is gone: account-deletion.test.ts.
    const tried = [...cases.map(({ kind }) => kind), 'account_deleted'];
    expect(new Set(tried)).toEqual(new Set(Object.keys(notices)));
  });

  it.each(described)('%s, by %s: one mail to the verified address', async (kind, by, { prepare, act, values = {} }) => {
    user = await addPerson(organization);
    await prepare?.();
    await mailed.takeMails(user.email);
    await act();
    const mails = await mailed.takeMails(user.email);
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([[[user.email], notices[kind].subject]]);
    const [{ text } = { text: '' }] = mails;
    const all: Record<string, string> = { before: user.email, after: `another-${user.email}`, ...values };
    expect(text).toContain(notices[kind].text.replace(/\{(\w+)\}/g, (_place, name: string) => all[name] ?? '?'));
    expect(text).not.toMatch(/\{\w+\}/);
    const lines = text.split('\n');
    expect(lines).toContain(`Account: ${user.username}`);
    // Where an administrator is, is nobody else's business.
    expect(lines.filter((line) => /^(Browser|Network):/.test(line))).toEqual(
      by === 'the user' ? [`Browser: ${browser}`, 'Network: 192.0.2.1'] : [],
    );
    expect(lines.filter((line) => /^Time: .+ \(UTC\)$/.test(line))).toHaveLength(1);
    expect(lines).toContain(`${authUrl}/account/methods`);
    expect(await mailed.takeMails(`another-${user.email}`)).toEqual([]);
  });

  it.each(described)('%s, by %s: none to an address that is not verified', async (_kind, _by, { prepare, act }) => {
    user = await addPerson(organization, { emailVerified: false });
    await prepare?.();
    await act();
    expect(await mailed.takeMails(user.email)).toEqual([]);
    expect(await mailed.takeMails(`another-${user.email}`)).toEqual([]);
  });

  it('of a password that users change by the API reach them too', async () => {
    user = await addPerson(organization);
    await setPassword(organization, user);
    const [mail, ...others] = await mailed.takeMails(user.email);
    expect([mail?.subject, others]).toEqual([notices.password_changed.subject, []]);
    expect(mail?.text).toContain('\nNetwork: 127.0.0.1\n');
  });

  it('of recovery codes say each time how many are left', async () => {
    user = await addPerson(organization);
    await addCodeApp();
    const texts: string[] = [];
    for (let index = 0; index < 10; index += 1) {
      organization.time.now += minute;
      await mailed.takeMails(user.email);
      await useRecoveryCode(index);
      texts.push((await mailed.takeMails(user.email))[0]?.text ?? '');
    }
    expect(texts.map((text) => /You have (\d+) left/.exec(text)?.[1])).toEqual([...'9876543210']);
  });

  it('of a known password come once a day, at the tenth wrong code', async () => {
    user = await addPerson(organization);
    await addCodeApp();
    await mailed.takeMails(user.email);
    await guess(9);
    expect(await mailed.takeMails(user.email)).toEqual([]);
    await guess(1);
    expect(await mailed.takeMails(user.email)).toHaveLength(1);
    await guess(9);
    expect(await mailed.takeMails(user.email)).toEqual([]);
    organization.time.now += 25 * hour;
    await guess(10);
    expect(await mailed.takeMails(user.email)).toHaveLength(1);
  });

  it('of what was not done are not sent', async () => {
    user = await addPerson(organization);
    const before = user;
    await directory.change(user, { password: { old: 'no-such-password', new: newPassword } });
    await directory.change(user, { password: { old: password, new: 'short' } });
    await directory.change(user, { remove: { codeApp: true } });
    await directory.addCodeApp(user, {
      add: { codeApp: { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', code: '000000' } },
    });
    await administrator.ofUser(user, 'PATCH', '', { firstName: 'Ada', email: user.email });
    await administrator.ofUser(user, 'DELETE', '/methods/code-app');
    await administrator.ofUser(user, 'PUT', '/password', { password: 'short' });
    expect((await organization.deps.users.findById(user.id))?.passwordChangedAt).toBe(before.passwordChangedAt);
    expect(await mailed.takeMails(user.email)).toEqual([]);
  });

  it.each([
    ['de-CH', 'de'],
    ['fr', 'fr'],
    ['pt-BR', 'pt'],
    ['ja', 'ja'],
    ['zh-Hant-TW', 'zh'],
    ['en-GB', 'en'],
    ['sv', 'en'],
  ])('to a user of the locale %s are in %s', async (locale, tag) => {
    user = await addPerson(organization, { locale });
    await setPassword(organization, user);
    const [mail] = await mailed.takeMails(user.email);
    expect(mail?.subject).toBe(languages[tag]?.notices.password_changed.subject);
    expect(readHtml(mail)).toContain(`<html lang="${tag}">`);
  });

  it.each(['user@example.com,other@example.com', 'User <user@example.com>', 'us er@example.com'])(
    'are not sent to %j, which is no plain address, nor to a part of it',
    async (email) => {
      user = await addPerson(organization, { email });
      await setPassword(organization, user);
      const links = { name: user.username, language: 'en', address: '192.0.2.9', requestId: 'x' };
      expect(await directory.post(directoryPaths.linkRequests, links)).toEqual({ outcome: 'done' });
      await mailed.settle();
      expect(mailed.mailServer.mails).toEqual([]);
    },
  );

  it('are sent once by two replicas', async () => {
    const replica = await organization.startReplica();
    const people = await Promise.all(Array.from({ length: 20 }, () => addPerson(organization)));
    await Promise.all(
      people.map((one, index) => setPassword(organization, one, index % 2 === 0 ? organization.app : replica.app)),
    );
    await mailed.settle();
    // Whoever claimed one a moment later would send it now.
    await sleep(200);
    const { mails } = mailed.mailServer;
    const sent = mails.splice(0);
    expect(sent.map(({ to }) => to[0]).sort()).toEqual(people.map(({ email }) => email).sort());
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(20);
    await replica.close();
  });

  it('leave no row behind', async () => {
    user = await addPerson(organization);
    await setPassword(organization, user);
    await mailed.mailServer.waitFor(user.email);
    await mailed.settle();
    expect(await mailed.listWaiting()).toEqual([]);
  });
});

describe.each(testDialects)('the form of a mail on %s', (dialect) => {
  let mailed: Mailed;

  beforeEach(async () => {
    const [displayName, helpUrl] = ['Müller & Söhne', 'https://help.example.com/sign-in'];
    mailed = await startMailedOrganization(dialect, { displayName, helpUrl });
  });
  afterEach(() => mailed.close());

  const send = async (more: Partial<NewUser> = {}) => {
    const user = await addPerson(mailed.organization, more);
    await setPassword(mailed.organization, user);
    return mailed.mailServer.waitFor(user.email);
  };
  const headersOf = ({ raw }: ReceivedMail) =>
    (raw.split(/\r?\n\r?\n/, 1)[0] as string).replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);

  it('has one recipient, a subject of fixed words, and a sender; nobody answers it automatically', async () => {
    const mail = await send();
    expect(mail.from).toBe(mailFrom);
    expect(mail.to).toHaveLength(1);
    const headers = headersOf(mail);
    expect(headers.filter((line) => /^(to|cc|bcc):/i.test(line))).toEqual([`To: ${mail.to[0]}`]);
    expect(headers.filter((line) => /^from:/i.test(line))).toEqual([
      expect.stringMatching(/^From: =\?UTF-8\?.+\?= <no-reply@example\.com>$/i),
    ]);
    expect(headers).toContain('Subject: Your password was changed');
    expect(headers).toContain('Auto-Submitted: auto-generated');
    expect(mail.messageId).toMatch(
      /^<[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}@auth\.example\.com>$/,
    );
    expect(headers.filter((line) => /^content-type: multipart\/alternative;/i.test(line))).toHaveLength(1);
  });

  it('has a text with the link once, on a line of its own', async () => {
    const { text } = await send();
    expect(text.split('\n').filter((line) => line.includes('/account/'))).toEqual([`${authUrl}/account/methods`]);
    expect(text).toContain('Organization: Müller & Söhne\nHelp: https://help.example.com/sign-in\n');
  });

  it('has HTML with the same link, no picture, and no address but ours', async () => {
    const html = readHtml(await send());
    expect(html.match(/<a href="[^"]*"/g)).toEqual([`<a href="${authUrl}/account/methods"`]);
    expect(html).toContain('Organization: Müller &amp; Söhne');
    expect(html).not.toMatch(/<(img|script|link|iframe|form)\b|url\(|src=|@import/i);
    const addresses = html.match(/https?:\/\/[^\s"<]+/g) ?? [];
    expect(new Set(addresses)).toEqual(new Set([`${authUrl}/account/methods`, 'https://help.example.com/sign-in']));
  });

  it.each([
    [{ timezone: 'Europe/Zurich' }, 'Time: January 1, 2026 at 1:00 PM (Europe/Zurich)'],
    [{ timezone: 'America/New_York' }, 'Time: January 1, 2026 at 7:00 AM (America/New York)'],
    [{ timezone: 'Asia/Tokyo', locale: 'de' }, '1. Januar 2026 um 21:00 (Asia/Tokyo)'],
    [{}, 'Time: January 1, 2026 at 12:00 PM (UTC)'],
  ])('says the time as the user %j reads it', async (more, expected) => {
    expect((await send(more)).text.replace(/\u202f/g, ' ')).toContain(expected);
  });

  it('escapes in HTML what people chose, and takes none of it for a header', async () => {
    const user = await addPerson(mailed.organization);
    const directory = createDirectoryRequests(mailed.organization);
    const { userHandle } = await directory.post(directoryPaths.methodQueries, { userId: user.id });
    const credential = createPasskey().create({ challenge, userHandle: String(userHandle) });
    const name = '<b>&amp;</b> {left}';
    const expected = { challenge, origin: authUrl, rpId: 'auth.example.com' };
    const added = await directory.change(user, { add: { passkey: { ...expected, credential, name } } });
    expect(added).toMatchObject({ outcome: 'done' });
    const mail = await mailed.mailServer.waitFor(user.email);
    expect(mail.text).toContain(`A passkey was added to your account: ${name}.`);
    expect(readHtml(mail)).toContain('&lt;b&gt;&amp;amp;&lt;/b&gt; {left}.');
    expect(mail.subject).toBe(en.links.first_passkey.subject);
  });
});

/** A port that hands on what comes while it is open, and else turns it away. */
async function openGate(target: number) {
  const relay = createRelay(() => target);
  let isOpen = true;
  let turnedAway = 0;
  const server = createServer((socket) => {
    if (isOpen) return relay.accept(socket);
    turnedAway += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    countTurnedAway: () => turnedAway,
    open() {
      isOpen = true;
    },
    shut() {
      isOpen = false;
      relay.cut();
    },
    async close() {
      relay.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each(testDialects)('a mail that cannot be sent on %s', (dialect) => {
  let mailed: Mailed;
  let mailServer: MailServer;
  let administrator: AdministratorRequests;
  let user: User;
  /** The Message-ID of each try that got so far, and the answer to it. */
  let tried: string[];
  let answer: number | undefined;

  beforeEach(async () => {
    tried = [];
    answer = undefined;
    mailServer = await startMailServer({
      onData(stream, _session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          tried.push(/^Message-ID: (.*)$/im.exec(Buffer.concat(chunks).toString())?.[1]?.trim() ?? '');
          done(answer === undefined ? null : Object.assign(new Error('by the test'), { responseCode: answer }));
        });
      },
    });
    mailed = await startMailedOrganization(dialect, {}, mailServer);
    administrator = await createAdministratorRequests(mailed.organization);
    user = await addPerson(mailed.organization);
  });
  afterEach(() => mailed.close());

  const waitForTries = (count: number) => until(() => tried.length >= count, `try ${count}`);
  const readTries = async () => (await mailed.listWaiting()).map(({ tries }) => tries);

  it('is tried again after 1, 5, 15 and 60 minutes, then hourly, under the same Message-ID', async () => {
    const { time } = mailed.organization;
    answer = 451;
    await setPassword(mailed.organization, user);
    await waitForTries(1);
    const [waiting] = await mailed.listWaiting();
    let count = 1;
    for (const minutes of [1, 5, 15, 60, 60, 60]) {
      time.now += minutes * minute - 1_000;
      await mailed.wake();
      expect([await readTries(), tried.length]).toEqual([[count], count]);
      time.now += 1_000;
      count += 1;
      await mailed.wake();
      await waitForTries(count);
    }
    answer = undefined;
    time.now += hour;
    await mailed.wake();
    await waitForTries(count + 1);
    await mailed.settle();
    expect(new Set(tried)).toEqual(new Set([`<${waiting?.id}@auth.example.com>`]));
    expect(await listFailed(administrator)).toEqual([]);
  });

  it('is given up after a day, with an event', async () => {
    const { time } = mailed.organization;
    const start = time.now;
    answer = 451;
    await setPassword(mailed.organization, user);
    await waitForTries(1);
    while ((await mailed.listWaiting()).length > 0) {
      const { length } = tried;
      const [next] = await mailed.listWaiting();
      time.now = Math.max(time.now, next?.dueAt ?? 0);
      await mailed.wake();
      await until(async () => tried.length > length || (await readTries()).length === 0, 'a try or an end');
      await sleep(20);
      if (time.now > start + 48 * hour) throw new Error('it is never given up');
    }
    expect(time.now - start).toBeGreaterThan(22 * hour);
    expect(time.now - start).toBeLessThanOrEqual(24 * hour + 1_000);
    expect(await waitForFailed(administrator)).toMatchObject([{ details: { mail: 'password_changed' } }]);
  });

  it.each([550, 553])(
    'is given up at once where the recipient is refused by %i, with an event of the user',
    async (code) => {
      mailServer.refuse(code);
      await setPassword(mailed.organization, user);
      await mailed.settle();
      expect(tried).toEqual([]);
      expect(await waitForFailed(administrator)).toMatchObject([
        {
          actor: { kind: 'service', name: 'org-api' },
          subject: { id: user.id },
          details: { mail: 'password_changed' },
        },
      ]);
      const ofUser = (await administrator.listEvents(user)).map(({ type }) => type);
      expect(ofUser).toContain('mail.failed');
      mailed.organization.time.now += 2 * hour;
      await mailed.wake();
      expect(tried).toEqual([]);
    },
  );

  it('is given up where the mail itself is refused by 554', async () => {
    answer = 554;
    await setPassword(mailed.organization, user);
    await mailed.settle();
    expect(tried).toHaveLength(1);
    expect(await listFailed(administrator)).toHaveLength(1);
  });

  it('is tried again where the recipient is refused by 450', async () => {
    mailServer.refuse(450);
    await setPassword(mailed.organization, user);
    await until(async () => (await readTries())[0] === 1, 'the first try');
    mailed.organization.time.now += minute;
    await mailed.wake();
    await waitForTries(1);
    await mailed.settle();
    expect(await listFailed(administrator)).toEqual([]);
  });

  it('holds no other mail up', async () => {
    mailServer.refuse(450);
    await setPassword(mailed.organization, user);
    await until(async () => (await readTries())[0] === 1, 'the first try');
    const other = await addPerson(mailed.organization);
    await setPassword(mailed.organization, other);
    await waitForTries(1);
    await until(async () => (await mailed.listWaiting()).length === 1, 'the other mail');
  });
});

describe.each(testDialects)('where the mail server is away, on %s', (dialect) => {
  let mailServer: MailServer;
  let gate: Awaited<ReturnType<typeof openGate>>;
  let organization: Organization;
  let administrator: AdministratorRequests;
  let reader: ReturnType<typeof createMailReader>;
  let user: User;

  beforeEach(async () => {
    mailServer = await startMailServer();
    gate = await openGate(mailServer.port);
    const mailTarget = readTarget(`smtp://127.0.0.1:${gate.port}?tls=off`);
    organization = await startOrganization(dialect, { mailTarget, mailFrom });
    administrator = await createAdministratorRequests(organization);
    reader = createMailReader(organization, mailServer);
    user = await addPerson(organization);
    gate.shut();
  });
  afterEach(async () => {
    await organization.close();
    await gate.close();
    await mailServer.close();
  });

  const askForLink = async () => {
    const { post } = createDirectoryRequests(organization);
    const request = { name: user.username, language: 'en', address: '192.0.2.9', requestId: 'x' };
    const before = gate.countTurnedAway();
    expect(await post(directoryPaths.linkRequests, request)).toEqual({ outcome: 'done' });
    await untilTried('reset', before);
  };
  /** A try counts before it begins: it is over where it was turned away. */
  const untilTried = (kind: string, before = 0) =>
    until(async () => {
      const isTried = (await reader.listWaiting()).some((mail) => mail.kind === kind && mail.tries > 0);
      return isTried && gate.countTurnedAway() > before;
    }, 'a try');

  it('mails wait until it is back, under the same id', async () => {
    await setPassword(organization, user);
    await untilTried('password_changed');
    const [waiting] = await reader.listWaiting();
    organization.time.now += minute;
    await reader.wake();
    await until(async () => (await reader.listWaiting())[0]?.tries === 2, 'the second try');
    gate.open();
    organization.time.now += 5 * minute;
    await reader.wake();
    const mail = await mailServer.waitFor(user.email);
    expect(mail.messageId).toBe(`<${waiting?.id}@auth.example.com>`);
    await reader.settle();
    expect(mailServer.mails).toEqual([]);
  });

  it('nothing that is stored holds the token of a link that waits', async () => {
    await askForLink();
    const { database } = organization.deps;
    const tables = ['mails', 'mailed_links', 'audit_events'];
    const rows = await Promise.all(
      tables.map((table) => database.query<Record<string, unknown>>(`SELECT * FROM ${table}`)),
    );
    const values = rows.flat().flatMap((row) => Object.values(row));
    expect(rows.slice(0, 2).map(({ length }) => length)).toEqual([1, 1]);
    gate.open();
    organization.time.now += minute;
    await reader.wake();
    const token = tokenOf(await mailServer.waitFor(user.email));
    const bytes = Buffer.from(token, 'base64url');
    for (const value of values) {
      const content = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
      expect(content.includes(token) || content.includes(bytes) || content.includes(bytes.toString('hex'))).toBe(false);
    }
  });

  it('a link that is over is not mailed any more', async () => {
    await askForLink();
    organization.time.now += 31 * minute;
    gate.open();
    await reader.wake();
    await reader.settle();
    expect(mailServer.mails).toEqual([]);
    expect(await waitForFailed(administrator)).toMatchObject([{ details: { mail: 'reset' } }]);
  });

  it('a link that is void meanwhile is not mailed any more', async () => {
    await askForLink();
    const set = await administrator.ofUser(user, 'PUT', '/password', { password: newPassword });
    expect(set.statusCode).toBe(204);
    organization.time.now += minute;
    gate.open();
    await reader.wake();
    await reader.settle();
    expect(mailServer.mails.map(({ subject }) => subject)).toEqual([notices.password_changed.subject]);
  });

  it('the deletion of a user takes what waits and the links with it', async () => {
    await setPassword(organization, user);
    await untilTried('password_changed');
    user = (await organization.deps.users.findById(user.id)) as User;
    await askForLink();
    expect([(await reader.listWaiting()).length, await reader.countLinks(user)]).toEqual([2, 1]);
    expect((await administrator.ofUser(user, 'DELETE', '')).statusCode).toBe(204);
    expect([await reader.listWaiting(), await reader.countLinks(user)]).toEqual([[], 0]);
    gate.open();
    organization.time.now += hour;
    await reader.wake();
    expect(mailServer.mails).toEqual([]);
  });
});

describe('a mail server', () => {
  const start = async (url: string, mailServer: MailServer, overrides: object = {}) => {
    const organization = await startOrganization('sqlite', { mailTarget: readTarget(url), mailFrom, ...overrides });
    const user = await addPerson(organization);
    return { organization, user, ...createMailReader(organization, mailServer) };
  };

  it('that never answers lets no request wait', async () => {
    const held: (() => void)[] = [];
    const mailServer = await startMailServer({ onConnect: (_session, done) => void held.push(() => done()) });
    const { organization, user, settle } = await start(mailServer.url, mailServer);
    const started = performance.now();
    await setPassword(organization, user);
    expect(performance.now() - started).toBeLessThan(2_000);
    await until(() => held.length > 0, 'a connection');
    for (const go of held) go();
    await settle();
    await organization.close();
    await mailServer.close();
  });

  it('that refuses our sign-in is tried again: no mail is lost', async () => {
    let isRight = false;
    const mailServer = await startMailServer({
      ...{ authOptional: false, allowInsecureAuth: true },
      onAuth: ({ username, password: given }, _session, done) =>
        isRight && username === 'us:er' && given === 'p@ss'
          ? done(null, { user: username })
          : done(Object.assign(new Error('no'), { responseCode: 535 })),
    });
    const url = mailServer.url.replace('smtp://', 'smtp://us%3Aer:p%40ss@');
    const { organization, user, listWaiting, wake } = await start(url, mailServer);
    await setPassword(organization, user);
    await until(async () => (await listWaiting())[0]?.tries === 1, 'the first try');
    isRight = true;
    organization.time.now += minute;
    await wake();
    await mailServer.waitFor(user.email);
    await organization.close();
    await mailServer.close();
  });

  it.each([
    ['has no STARTTLS', ['STARTTLS']],
    ['has a certificate that nobody trusts', [] as string[]],
  ])('gets nothing where it %s', async (_case, disabledCommands) => {
    const { certificate, key, remove } = await makeCertificates('localhost');
    const [cert, privateKey] = [await readFile(certificate, 'utf8'), await readFile(key, 'utf8')];
    const mailServer = await startMailServer({ disabledCommands, cert, key: privateKey });
    const url = `smtp://localhost:${mailServer.port}`;
    const { organization, user, listWaiting } = await start(url, mailServer);
    await setPassword(organization, user);
    await until(async () => (await listWaiting())[0]?.tries === 1, 'the first try');
    await sleep(300);
    expect(mailServer.mails).toEqual([]);
    expect(await listWaiting()).toMatchObject([{ kind: 'password_changed', tries: 1 }]);
    await organization.close();
    await mailServer.close();
    await remove();
  });

  it.each([
    ['STARTTLS', false],
    ['TLS from the first byte', true],
  ])('whose certificate MAIL_CA_FILE vouches for gets mails by %s', async (_case, secure) => {
    const { ca, certificate, key, remove } = await makeCertificates('localhost');
    const read = (file: string) => readFile(file, 'utf8');
    let isEncrypted: boolean | undefined;
    const mailServer = await startMailServer({
      ...{ secure, disabledCommands: [], key: await read(key), cert: await read(certificate) },
      onMailFrom(_address, session, done) {
        isEncrypted = session.secure;
        done();
      },
    });
    const url = `${secure ? 'smtps' : 'smtp'}://localhost:${mailServer.port}`;
    const { organization, user } = await start(url, mailServer, { mailCa: await read(ca) });
    await setPassword(organization, user);
    await mailServer.waitFor(user.email);
    expect(isEncrypted).toBe(true);
    await organization.close();
    await mailServer.close();
    await remove();
  });

  it('that is a folder gets one file a mail, whole, and readable by its owner alone', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'gatehouse-mails-')), 'mails');
    const { organization, user, settle } = await start(`file:${folder}`, { mails: [] } as unknown as MailServer);
    await setPassword(organization, user);
    const { post } = createDirectoryRequests(organization);
    const request = { name: user.username, language: 'en', address: '192.0.2.9', requestId: 'x' };
    await post(directoryPaths.linkRequests, request);
    await settle();
    const files = await readdir(folder);
    expect(files).toHaveLength(2);
    for (const file of files) {
      const content = await readFile(join(folder, file), 'utf8');
      expect(content).toContain(`\nMessage-ID: <${file.replace(/\.eml$/, '')}@auth.example.com>\n`);
      expect(content).toContain(`To: ${user.email}\n`);
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    }
    expect(files.filter((file) => !/^[0-9a-f-]{36}\.eml$/.test(file))).toEqual([]);
    await organization.close();
    await rm(join(folder, '..'), { recursive: true });
  });
});

function readHtml(mail: ReceivedMail | undefined): string {
  const [, part = ''] = (mail?.raw ?? '').split(/^content-type: text\/html.*$/im);
  const [head = '', ...rest] = part.split(/\r?\n\r?\n/);
  const body = rest.join('\n\n');
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  const bytes = body
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
