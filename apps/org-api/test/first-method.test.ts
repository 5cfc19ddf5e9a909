import { directoryPaths, longestGoOn, type NewUser } from '@gatehouse/shared';
import { showCode, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../src/mails/messages/en.ts';
import type { User } from '../src/users/user.ts';
import { startMailedOrganization, tokenOf } from './support/mails.ts';
import {
  type AdministratorRequests,
  type Answer,
  address,
  asksForMore,
  codeAt,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
  familiarBrowserOf,
  proven,
  secret,
} from './support/methods.ts';
import { type Organization, startOrganization } from './support/organization.ts';

const password = 'a-password-of-first-methods';
const newPassword = 'another-password-of-first-methods';
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const browser = 'Firefox on Windows';
const binding = 'binding-of-the-browser';
const done = { outcome: 'done' };
const gone = { outcome: 'gone' };
const linkNeeded = { outcome: 'link_needed' };
const { links: linkTexts, notices } = en;

type Mailed = Awaited<ReturnType<typeof startMailedOrganization>>;
type Subject = { subject: string };

let names = 0;
async function addPerson(organization: Organization, more: Partial<NewUser> = {}): Promise<User> {
  names += 1;
  const [username, email] = [`person${names}@example.com`, `mailbox${names}@example.com`];
  const user = await organization.addUser({ username, email, emailVerified: true, password, ...more });
  // Nothing happens in the millisecond in which the password was set.
  organization.time.now += 1_000;
  return user;
}

let networks = 0;
const nextAddress = () => {
  networks += 1;
  return `10.1.${(networks >> 8) & 255}.${networks & 255}`;
};

const subjectsOf = (mails: readonly Subject[]) => mails.map(({ subject }) => subject);

function createSteps(organization: Organization, directory: DirectoryRequests) {
  const caller = { requestId: 'request-of-the-user', browser };
  return {
    checkPassword: async (user: User, text = password) =>
      directory.checkPassword(user, { password: text, ...asksForMore }),
    /** From a browser that this organization never saw. */
    addCodeApp: (user: User, more: object = {}) => directory.addCodeApp(user, { browser, knownBrowsers: [], ...more }),
    addPasskey: (user: User, more: object = {}) =>
      directory.addPasskey(user, createPasskey(), undefined, { browser, knownBrowsers: [], ...more }),
    needsLink: async ({ id: userId }: User, more: object = {}) =>
      (await directory.post(directoryPaths.methodQueries, { userId, caller: { address, knownBrowsers: [], ...more } }))
        .needsLink,
    askForLink: ({ id: userId, passwordChangedAt }: User, more: object = {}) =>
      directory.post(directoryPaths.linkRequests, {
        ...{ ...caller, address: nextAddress(), language: 'en' },
        ...{ signedIn: { userId, passwordChangedAt }, setUp: { binding }, goOn: '/account/code-app', ...more },
      }),
    use: (token: string, more: object = {}) =>
      directory.post(directoryPaths.linkUses, { ...caller, token, address: nextAddress(), ...more }),
    readUser: async ({ id }: Pick<User, 'id'>) => (await organization.deps.users.findById(id)) as User,
  };
}

describe.each(testDialects)('the first second step on %s', (dialect) => {
  let mailed: Mailed;
  let organization: Organization;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let steps: ReturnType<typeof createSteps>;
  let user: User;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect);
    ({ organization } = mailed);
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
    steps = createSteps(organization, directory);
  });
  afterAll(() => mailed.close());
  beforeEach(async () => {
    // All limits of an hour are over.
    organization.time.now += 2 * hour;
    user = await addPerson(organization);
  });

  const takeMails = () => mailed.takeMails(user.email);
  const listEvents = async (type: string) => (await administrator.listEvents(user)).filter((one) => one.type === type);
  const hasSecondStep = async (one = user) => (await administrator.readMethods(one)).secondStep;
  const signInBefore = async (ago: number) => {
    expect(await steps.checkPassword(user)).toMatchObject({ outcome: 'verified' });
    organization.time.now += ago;
  };
  const browserSince = (since: number) => ({ ...familiarBrowserOf(user), since });

  describe('waits for a mailed link', () => {
    it('where browser and network are both new, whichever method it is', async () => {
      expect(await steps.needsLink(user)).toBe(true);
      expect(await steps.addCodeApp(user)).toEqual(linkNeeded);
      expect(await steps.addPasskey(user)).toEqual(linkNeeded);
      expect([await hasSecondStep(), await takeMails(), await mailed.countLinks(user)]).toEqual([false, [], 0]);
      expect(await listEvents('code_app.added')).toEqual([]);
      expect((await steps.readUser(user)).methodsVersion).toBe(user.methodsVersion);
    });

    it('before the proof is looked at, so that nobody tries codes', async () => {
      const add = { codeApp: { secret, code: '000000' } };
      expect(await directory.change(user, { add, knownBrowsers: [] })).toEqual(linkNeeded);
      expect(await directory.change(user, { add })).toEqual({ outcome: 'wrong' });
    });

    it('until a day after the first sign-in in this network, to the millisecond', async () => {
      await signInBefore(day - 1);
      expect([await steps.needsLink(user), await steps.addCodeApp(user)]).toEqual([true, linkNeeded]);
      organization.time.now += 1;
      expect(await steps.needsLink(user)).toBe(false);
      expect(await steps.addCodeApp(user)).toMatchObject(done);
    });

    it('in every other network, and from the names of other users in this one', async () => {
      await signInBefore(day);
      expect(await steps.needsLink(user, { address: '192.0.2.2' })).toBe(true);
      expect(await steps.addCodeApp(user, { address: '192.0.2.2' })).toEqual(linkNeeded);
      const other = await addPerson(organization);
      expect(await steps.addCodeApp(other)).toEqual(linkNeeded);
    });

    it('until a day after the first sign-in at this browser, to the millisecond', async () => {
      const since = organization.time.now;
      organization.time.now += day - 1;
      const knownBrowsers = [browserSince(since)];
      expect(await steps.addCodeApp(user, { knownBrowsers })).toEqual(linkNeeded);
      organization.time.now += 1;
      expect(await steps.needsLink(user, { knownBrowsers })).toBe(false);
      expect(await steps.addCodeApp(user, { knownBrowsers })).toMatchObject(done);
    });

    it.each<[string, (own: ReturnType<typeof familiarBrowserOf>) => object]>([
      ['of another user', (own) => ({ ...own, userId: 'another-user' })],
      ['with the password of before', (own) => ({ ...own, passwordChangedAt: own.passwordChangedAt - 1 })],
      ['that is known since just now', (own) => ({ ...own, since: organization.time.now })],
    ])('at a browser %s', async (_case, change) => {
      const knownBrowsers = [change(familiarBrowserOf(user))];
      expect(await steps.needsLink(user, { knownBrowsers })).toBe(true);
      expect(await steps.addCodeApp(user, { knownBrowsers })).toEqual(linkNeeded);
    });

    it('in a network from which only a wrong password came, however long ago', async () => {
      expect(await steps.checkPassword(user, 'a-wrong-password')).toMatchObject({ outcome: 'wrong' });
      organization.time.now += day;
      expect(await steps.addCodeApp(user)).toEqual(linkNeeded);
    });

    it('but not with an address that is not verified', async () => {
      user = await addPerson(organization, { emailVerified: false });
      expect(await steps.needsLink(user)).toBe(false);
      expect(await steps.addCodeApp(user)).toMatchObject(done);
      expect(await steps.askForLink(await addPerson(organization, { emailVerified: false }))).toEqual({
        outcome: 'changed',
      });
    });

    it('but not with an address that takes no mail', async () => {
      names += 1;
      user = await addPerson(organization, { email: `"mailbox${names}"@example.com` });
      expect(await steps.needsLink(user)).toBe(false);
      expect(await steps.addCodeApp(user)).toMatchObject(done);
    });

    it('but not the second one', async () => {
      await directory.addCodeApp(user);
      const after = await steps.readUser(user);
      expect(await steps.needsLink(after)).toBe(false);
      expect(await steps.addPasskey(after)).toMatchObject(done);
    });
  });

  describe('has a link that goes on with it', () => {
    const obtain = async (more: object = {}) => {
      expect(await steps.askForLink(user, more)).toEqual(done);
      return tokenOf((await takeMails()).find(({ subject }) => subject === linkTexts.set_up.subject));
    };
    const useHere = (token: string, more: object = {}) => steps.use(token, { fields: {}, binding, ...more });

    it('which is mailed to the stored address and says browser, network and how long it works', async () => {
      await steps.askForLink(user, { address: '198.51.100.7' });
      const [mail, ...others] = await takeMails();
      expect([mail?.to, mail?.subject, others]).toEqual([[user.email], linkTexts.set_up.subject, []]);
      for (const part of [linkTexts.set_up.text, browser, '198.51.100.7', user.username]) {
        expect(mail?.text).toContain(part);
      }
    });

    it('which is shown as often as it is opened, and works once, in the browser that asked', async () => {
      const token = await obtain();
      for (let turn = 0; turn < 3; turn += 1) {
        expect(await steps.use(token)).toMatchObject({ outcome: 'open', purpose: 'set_up', username: user.username });
      }
      const { id: userId, passwordChangedAt } = user;
      const goesOn = { ...done, purpose: 'set_up', userId, passwordChangedAt, goOn: '/account/code-app' };
      expect(await useHere(token)).toMatchObject(goesOn);
      expect([await useHere(token), await steps.use(token)]).toEqual([gone, gone]);
    });

    it.each<[string, object]>([
      ['another browser', { binding: 'another-binding' }],
      ['a browser without a cookie', { binding: undefined }],
      ['a browser with an empty one', { binding: '' }],
    ])('which does nothing in %s, and works still', async (_case, more) => {
      const token = await obtain();
      expect(await useHere(token, more)).toEqual({ outcome: 'other_browser' });
      expect(await useHere(token)).toMatchObject(done);
    });

    it('which goes on in the browser that asked last, where it is mailed again', async () => {
      const token = await obtain();
      expect(await obtain({ setUp: { binding: 'another-binding' }, goOn: '/account/passkeys' })).toBe(token);
      expect(await useHere(token)).toEqual({ outcome: 'other_browser' });
      expect(await useHere(token, { binding: 'another-binding' })).toMatchObject({ goOn: '/account/passkeys' });
    });

    it('which goes on at the account where no page is named, and with the longest request', async () => {
      expect(await useHere(await obtain({ goOn: undefined }))).toMatchObject({ goOn: '/account' });
      const goOn = `/oauth/authorize?state=${'x'.repeat(longestGoOn)}`.slice(0, longestGoOn);
      expect(await useHere(await obtain({ goOn }))).toMatchObject({ goOn });
    });

    it('which works for 30 minutes, to the millisecond', async () => {
      const token = await obtain();
      const [row] = await organization.deps.database.query<{ created_at: number }>(
        'SELECT created_at FROM mailed_links WHERE purpose = ? ORDER BY created_at DESC',
        ['set_up'],
      );
      organization.time.now = Number(row?.created_at) + 30 * minute - 1;
      expect(await steps.use(token)).toMatchObject({ outcome: 'open' });
      organization.time.now += 1;
      expect([await steps.use(token), await useHere(token)]).toEqual([gone, gone]);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['password', () => administrator.ofUser(user, 'PUT', '/password', { password: newPassword })],
      ['address', () => administrator.ofUser(user, 'PATCH', '', { email: `new-${user.email}`, emailVerified: true })],
    ])('which ends with a change of the %s', async (_case, change) => {
      const token = await obtain();
      await change();
      expect([await steps.use(token), await useHere(token)]).toEqual([gone, gone]);
    });

    it('which one of twenty at once uses', async () => {
      const token = await obtain();
      const answers = await Promise.all(Array.from({ length: 20 }, () => useHere(token)));
      expect(answers.filter(({ outcome }) => outcome === 'done')).toHaveLength(1);
      expect(answers.filter(({ outcome }) => outcome === 'gone')).toHaveLength(19);
    });

    it('which keeps browser and page out of the table in clear', async () => {
      await obtain();
      const rows = await organization.deps.database.query<{ data: string }>(
        "SELECT data FROM mailed_links WHERE purpose = 'set_up'",
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter(({ data }) => data.includes(binding) || data.includes('/account'))).toEqual([]);
    });

    it('which is for nobody who did not sign in', async () => {
      const { id: userId, passwordChangedAt } = user;
      const signedIn = { userId, passwordChangedAt: passwordChangedAt - 1 };
      expect(await steps.askForLink(user, { signedIn })).toEqual({ outcome: 'changed' });
      expect(await steps.askForLink(user, { signedIn: undefined })).not.toEqual(done);
      expect(await takeMails()).toEqual([]);
    });

    it('which lets the method be added in the browser, whose first sign-in counts as one of long ago', async () => {
      await useHere(await obtain());
      const knownBrowsers = [browserSince(0)];
      expect(await steps.addCodeApp(user, { knownBrowsers })).toMatchObject(done);
    });
  });

  describe('is told with a link that removes it', () => {
    const findToken = async (kind: 'first_code_app' | 'first_passkey') => {
      const mails = await takeMails();
      expect(subjectsOf(mails)).toEqual([linkTexts[kind].subject]);
      return tokenOf(mails[0]);
    };
    const addCodeApp = async () => {
      const answer = await directory.addCodeApp(user, { browser });
      expect(answer).toMatchObject(done);
      return { token: await findToken('first_code_app'), recoveryCodes: answer.recoveryCodes ?? [] };
    };
    const addPasskey = async () => {
      const passkey = createPasskey();
      expect(await directory.addPasskey(user, passkey, undefined, { browser })).toMatchObject(done);
      return { token: await findToken('first_passkey'), passkey };
    };
    const remove = (token: string, more: object = {}) =>
      steps.use(token, { fields: { username: user.username }, ...more });
    const expectGone = async (token: string) =>
      expect([await steps.use(token), await remove(token)]).toEqual([gone, gone]);

    it('once, in the language of the user, with time, browser, network and account', async () => {
      user = await addPerson(organization, { locale: 'de-AT' });
      await directory.addCodeApp(user, { browser });
      const [mail, ...others] = await takeMails();
      expect([mail?.to, others]).toEqual([[user.email], []]);
      expect(mail?.subject).toBe('Ihr Konto hat jetzt einen zweiten Schritt: eine Code-App');
      for (const part of [browser, address, user.username]) expect(mail?.text).toContain(part);
    });

    it('a code app: the old password alone signs in again, and the codes are gone', async () => {
      const { token, recoveryCodes } = await addCodeApp();
      expect(await steps.use(token)).toMatchObject({ outcome: 'open', purpose: 'first_method' });
      expect(await hasSecondStep()).toBe(true);
      const before = await steps.readUser(user);
      expect((await steps.checkPassword(user)).secondStep).toBeDefined();

      expect(await remove(token)).toMatchObject({ ...done, purpose: 'first_method' });
      const { secondStep, ...verified } = await steps.checkPassword(user);
      expect([verified.outcome, secondStep]).toEqual(['verified', undefined]);
      expect(await administrator.readMethods(user)).toMatchObject({
        ...{ codeApp: null, recoveryCodes: null, secondStep: false, password: { changedAt: expect.anything() } },
      });
      const after = await steps.readUser(user);
      expect([after.passwordHash, after.passwordChangedAt > before.passwordChangedAt]).toEqual([
        user.passwordHash,
        true,
      ]);
      expect(await directory.checkCode(after, recoveryCodes[0] ?? '')).toEqual({ outcome: 'wrong' });
      await expectGone(token);
    });

    it('a passkey: neither it nor a session of then does anything any more', async () => {
      const { token, passkey } = await addPasskey();
      expect(await remove(token)).toMatchObject(done);
      expect((await administrator.readMethods(user)).passkeys).toEqual([]);
      const challenge = Buffer.alloc(64, 7).toString('base64url');
      expect(await directory.checkPasskey(passkey.get({ challenge }))).toMatchObject({ outcome: 'wrong' });
      expect(await directory.addCodeApp(user)).toEqual({ outcome: 'changed' });
      const profile = { ...proven(user), changes: { nickname: 'Nick' } };
      expect(await directory.post(directoryPaths.profileChanges, profile)).toMatchObject({ outcome: 'changed' });
      const { secondStep, ...verified } = await steps.checkPassword(user);
      expect([verified.outcome, secondStep]).toEqual(['verified', undefined]);
    });

    it('by the username in any case, and by no other', async () => {
      const { token } = await addCodeApp();
      for (const fields of [{}, { username: '' }, { username: user.email }, { username: `${user.username}x` }]) {
        expect(await steps.use(token, { fields })).toEqual({ outcome: 'wrong_name' });
      }
      expect(await hasSecondStep()).toBe(true);
      expect(await steps.use(token, { fields: { username: user.username.toUpperCase() } })).toMatchObject(done);
      expect(await hasSecondStep()).toBe(false);
    });

    it('in the audit trail by an actor without a name, and by a notice', async () => {
      const { token } = await addPasskey();
      await remove(token, { address: '198.51.100.9' });
      expect(await listEvents('passkey.removed')).toMatchObject([
        {
          ...{ actor: { kind: 'anonymous' }, subject: { kind: 'user', id: user.id, name: user.username } },
          ...{ address: '198.51.100.9', request: 'request-of-the-user' },
        },
      ]);
      const mails = await takeMails();
      expect(subjectsOf(mails)).toEqual([notices.passkey_removed.subject]);
      expect(mails[0]?.text).toContain('198.51.100.9');
      expect(JSON.stringify(await administrator.listEvents(user))).not.toContain(token);
    });

    it('for 72 hours, to the millisecond', async () => {
      const { token } = await addCodeApp();
      organization.time.now += 72 * hour - 1;
      expect(await steps.use(token)).toMatchObject({ outcome: 'open' });
      organization.time.now += 1;
      await expectGone(token);
      expect(await hasSecondStep()).toBe(true);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['password', () => administrator.ofUser(user, 'PUT', '/password', { password: newPassword })],
      ['address', () => administrator.ofUser(user, 'PATCH', '', { email: `new-${user.email}`, emailVerified: true })],
    ])('until a change of the %s', async (_case, change) => {
      const { token } = await addCodeApp();
      await change();
      await expectGone(token);
      expect(await hasSecondStep()).toBe(true);
    });

    it('to nobody without a verified address', async () => {
      user = await addPerson(organization, { emailVerified: false });
      expect(await directory.addCodeApp(user)).toMatchObject(done);
      expect([await takeMails(), await mailed.countLinks(user)]).toEqual([[], 0]);
    });

    it('the first alone, where another one was added meanwhile', async () => {
      const { token } = await addCodeApp();
      const passkey = createPasskey();
      expect(await directory.addPasskey(await steps.readUser(user), passkey)).toMatchObject(done);
      expect(subjectsOf(await takeMails())).toEqual([notices.passkey_added.subject]);
      expect(await remove(token)).toMatchObject(done);
      const { codeApp, passkeys, secondStep, recoveryCodes } = await administrator.readMethods(user);
      expect([codeApp, passkeys.length, secondStep, recoveryCodes?.left]).toEqual([null, 1, true, 10]);
      expect((await steps.checkPassword(user)).secondStep).toBeDefined();
    });

    it('which does nothing once the method is gone, and leaves the sessions', async () => {
      const { token } = await addCodeApp();
      const before = await steps.readUser(user);
      expect(await directory.change(before, { remove: { codeApp: true } })).toMatchObject(done);
      const after = await steps.readUser(user);
      expect(await remove(token)).toEqual(gone);
      expect((await steps.readUser(user)).passwordChangedAt).toBe(after.passwordChangedAt);
    });

    it('which removes nothing that was added later', async () => {
      const { token } = await addCodeApp();
      expect(await directory.change(await steps.readUser(user), { remove: { codeApp: true } })).toMatchObject(done);
      await takeMails();
      const { token: next } = await addCodeApp();
      await expectGone(token);
      expect(await hasSecondStep()).toBe(true);
      expect(await remove(next)).toMatchObject(done);
    });

    it('so that at most three links are open, however often a method comes and goes', async () => {
      for (let turn = 0; turn < 5; turn += 1) {
        organization.time.now += minute;
        expect(await directory.addCodeApp(user)).toMatchObject(done);
        const added = await steps.readUser(user);
        expect(await directory.change(added, { remove: { codeApp: true } })).toMatchObject(done);
      }
      await mailed.settle();
      expect(await mailed.countLinks(user)).toBeLessThanOrEqual(3);
    });

    it('even where the password was removed meanwhile: another one can be set by mail then', async () => {
      const { token } = await addPasskey();
      const added = await steps.readUser(user);
      expect(await directory.change(added, { remove: { password: true } })).toMatchObject(done);
      expect(await remove(token)).toMatchObject(done);
      expect(await administrator.readMethods(user)).toMatchObject({ passkeys: [], password: null, secondStep: false });
      await takeMails();
      await directory.post(directoryPaths.linkRequests, {
        ...{ name: user.username, address: nextAddress(), requestId: 'request-of-the-user', language: 'en' },
      });
      const [mail] = await takeMails();
      const reset = await steps.use(tokenOf(mail), { fields: { password: newPassword } });
      expect(reset).toMatchObject(done);
      expect(await steps.checkPassword(user, newPassword)).toMatchObject({ outcome: 'verified' });
    });

    it('which one of ten at once uses', async () => {
      const { token } = await addCodeApp();
      const answers = await Promise.all(Array.from({ length: 10 }, () => remove(token)));
      expect(answers.filter(({ outcome }) => outcome === 'done')).toHaveLength(1);
      expect(subjectsOf(await takeMails())).toEqual([notices.code_app_removed.subject]);
      expect(await listEvents('code_app.removed')).toHaveLength(1);
    });

    it('but not the second one, nor one in the place of the first', async () => {
      await addCodeApp();
      expect(await directory.addPasskey(await steps.readUser(user), createPasskey())).toMatchObject(done);
      const other = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' };
      const code = showCode(other.secret, 0, organization.time.now);
      const add = { codeApp: { ...other, code } };
      expect(await directory.change(await steps.readUser(user), { add })).toMatchObject(done);
      expect(subjectsOf(await takeMails()).sort()).toEqual(
        [notices.passkey_added.subject, notices.code_app_added.subject].sort(),
      );
    });
  });
});

it.each(testDialects)('without mails, the first second step waits for no link on %s', async (dialect) => {
  const organization = await startOrganization(dialect);
  const directory = createDirectoryRequests(organization);
  const steps = createSteps(organization, directory);
  const user = await addPerson(organization);
  expect(await steps.needsLink(user)).toBe(false);
  expect(await steps.askForLink(user)).toEqual({ outcome: 'off' });
  const add = { codeApp: { secret, code: codeAt(organization.time.now) } };
  const added: Answer = await directory.change(user, { add, knownBrowsers: [] });
  expect(added).toMatchObject(done);
  const [row] = await organization.deps.database.query<{ links: number }>('SELECT COUNT(*) AS links FROM mailed_links');
  expect(Number(row?.links)).toBe(0);
  await organization.close();
});
