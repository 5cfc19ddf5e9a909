import type { NewUser } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../src/mails/messages/en.ts';
import type { User } from '../src/users/user.ts';
import { startMailedOrganization } from './support/mails.ts';
import {
  type Answer,
  address,
  asksForMore,
  challenge,
  codeAt,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
  familiarBrowserOf,
} from './support/methods.ts';
import type { Organization } from './support/organization.ts';

const password = 'a-password-of-new-sign-ins';
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const browser = 'Firefox on Windows';
const { subject: newSignIn, text: newSignInText } = en.notices.new_sign_in;
const verified = { outcome: 'verified' };

type Mailed = Awaited<ReturnType<typeof startMailedOrganization>>;

let names = 0;
async function addPerson(organization: Organization, more: Partial<NewUser> = {}): Promise<User> {
  names += 1;
  const [username, email] = [`person${names}@example.com`, `mailbox${names}@example.com`];
  const user = await organization.addUser({ username, email, emailVerified: true, password, ...more });
  organization.time.now += 1_000;
  return user;
}

describe.each(testDialects)('a sign-in from a new browser and a new network on %s', (dialect) => {
  let mailed: Mailed;
  let organization: Organization;
  let directory: DirectoryRequests;
  let user: User;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect, { notifyNewSignIn: true });
    ({ organization } = mailed);
    directory = createDirectoryRequests(organization);
  });
  afterAll(() => mailed.close());
  beforeEach(async () => {
    organization.time.now += 2 * hour;
    user = await addPerson(organization);
  });

  const readUser = async () => (await organization.deps.users.findById(user.id)) as User;
  const checkPassword = (more: object = {}) =>
    directory.checkPassword(user, { password, browser, ...asksForMore, ...more });
  const signIn = async (more: object = {}) => expect(await checkPassword(more)).toMatchObject(verified);
  /** How many mails say so since the last call. */
  const countTold = async () => {
    const mails = await mailed.takeMails(user.email);
    return mails.filter(({ subject }) => subject === newSignIn).length;
  };
  /** What a sign-in by the password leads to for a user with a second step. */
  const startSecondStep = async (more: object = {}) => {
    const { secondStep } = (await checkPassword(more)) as Answer & { secondStep?: { methodsVersion: number } };
    if (secondStep === undefined) throw new Error('no second step is asked for');
    return { methodsVersion: secondStep.methodsVersion };
  };
  /** Adds a second step, long before anything that follows. */
  const addCodeApp = async () => {
    expect(await directory.addCodeApp(user)).toMatchObject({ outcome: 'done' });
    organization.time.now += hour;
    user = await readUser();
    await mailed.takeMails(user.email);
  };
  const addPasskey = async () => {
    const passkey = createPasskey();
    expect(await directory.addPasskey(user, passkey)).toMatchObject({ outcome: 'done' });
    user = await readUser();
    await mailed.takeMails(user.email);
    return passkey;
  };

  it('is told at the verified address, with time, browser, network and account', async () => {
    await signIn({ address: '2001:db8:1:2:3:4:5:6' });
    const [mail, ...others] = await mailed.takeMails(user.email);
    expect([mail?.to, mail?.subject, others]).toEqual([[user.email], newSignIn, []]);
    for (const part of [newSignInText, `Browser: ${browser}`, 'Network: 2001:db8:1:2::/64', user.username]) {
      expect(mail?.text).toContain(part);
    }
    expect(mail?.text).toMatch(/^Time: .+ \(UTC\)$/m);
  });

  it('is told without the line of the browser where there is none', async () => {
    await signIn({ browser: undefined });
    const [mail] = await mailed.takeMails(user.email);
    expect([mail?.subject, mail?.text.includes('Browser:')]).toEqual([newSignIn, false]);
  });

  it('is told once an hour, wherever the next one comes from', async () => {
    await signIn();
    await signIn({ address: '192.0.2.2' });
    organization.time.now += hour - 1;
    await signIn({ address: '192.0.2.3' });
    expect(await countTold()).toBe(1);
    organization.time.now += 1;
    await signIn({ address: '192.0.2.4' });
    expect(await countTold()).toBe(1);
  });

  it('is told to each user for itself', async () => {
    await signIn();
    expect(await countTold()).toBe(1);
    user = await addPerson(organization);
    await signIn();
    expect(await countTold()).toBe(1);
  });

  it.each([2, 5, 20])('is told once where %d come at the same moment', async (count) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, turn) => checkPassword({ address: `192.0.2.${10 + turn}` })),
    );
    expect(answers.filter(({ outcome }) => outcome === 'verified')).toHaveLength(count);
    expect(await countTold()).toBe(1);
  });

  it.each([2, 5, 20])('is told once where %d are decided about at the same moment', async (count) => {
    const { mailBudget } = organization.deps.mails;
    const decisions = await Promise.all(Array.from({ length: count }, () => mailBudget.mayTellSignIn(user.id)));
    expect(decisions.filter((mayTell) => mayTell)).toHaveLength(1);
    organization.time.now += hour;
    expect([await mailBudget.mayTellSignIn(user.id), await mailBudget.mayTellSignIn(user.id)]).toEqual([true, false]);
  });

  it('is told no more a day after the first one in this network, to the millisecond', async () => {
    await signIn();
    expect(await countTold()).toBe(1);
    organization.time.now += day - 1;
    await signIn();
    expect(await countTold()).toBe(1);
    organization.time.now += hour;
    await signIn();
    expect(await countTold()).toBe(0);
    await signIn({ address: '192.0.2.2' });
    expect(await countTold()).toBe(1);
  });

  it('is told again where the last one in this network was more than 30 days ago', async () => {
    await signIn();
    organization.time.now += 30 * day;
    await mailed.takeMails(user.email);
    await signIn();
    expect(await countTold()).toBe(1);
  });

  it('is no new one at a browser that is known for a day', async () => {
    const known = familiarBrowserOf(user);
    await signIn({ knownBrowsers: [known] });
    await signIn({ knownBrowsers: [{ ...known, since: organization.time.now - day }], address: '192.0.2.2' });
    expect(await countTold()).toBe(0);
    await signIn({ knownBrowsers: [{ ...known, since: organization.time.now - day + 1 }], address: '192.0.2.3' });
    expect(await countTold()).toBe(1);
  });

  it.each<[string, object]>([
    ['of another user', { userId: 'another-user' }],
    ['with another password', { passwordChangedAt: 1 }],
  ])('is a new one at a browser %s', async (_case, change) => {
    await signIn({ knownBrowsers: [{ ...familiarBrowserOf(user), ...change }] });
    expect(await countTold()).toBe(1);
  });

  it('is told to nobody whose password was wrong', async () => {
    expect(await checkPassword({ password: 'a-wrong-password' })).toMatchObject({ outcome: 'wrong' });
    expect(await countTold()).toBe(0);
  });

  it.each<[string, Partial<NewUser>]>([
    ['whose address is not verified', { emailVerified: false }],
    ['who is disabled', { enabled: false }],
  ])('is told to nobody %s', async (_case, more) => {
    user = await addPerson(organization, more);
    await checkPassword();
    expect(await countTold()).toBe(0);
  });

  describe('of a user with a second step', () => {
    it('is told after the code alone, not after the password', async () => {
      await addCodeApp();
      const step = await startSecondStep();
      expect(await countTold()).toBe(0);
      expect(await directory.checkCode(user, '000000', { ...step, browser })).toEqual({ outcome: 'wrong' });
      expect(await countTold()).toBe(0);
      const code = codeAt(organization.time.now);
      expect(await directory.checkCode(user, code, { ...step, browser })).toMatchObject(verified);
      const [mail] = await mailed.takeMails(user.email);
      expect([mail?.subject, mail?.text.includes(`Browser: ${browser}`)]).toEqual([newSignIn, true]);
    });

    it('makes the network no familiar one by the password alone', async () => {
      await addCodeApp();
      await startSecondStep();
      organization.time.now += day;
      const step = await startSecondStep();
      const code = codeAt(organization.time.now);
      expect(await directory.checkCode(user, code, step)).toMatchObject(verified);
      expect(await countTold()).toBe(1);
    });

    it('is not told of a code from a browser that is known for long', async () => {
      await addCodeApp();
      const knownBrowsers = [familiarBrowserOf(user)];
      const step = await startSecondStep({ knownBrowsers });
      const code = codeAt(organization.time.now);
      expect(await directory.checkCode(user, code, { ...step, knownBrowsers })).toMatchObject(verified);
      expect(await countTold()).toBe(0);
    });

    it('is not told of a code of a session that goes on', async () => {
      await addCodeApp();
      expect(await directory.checkCode(user, codeAt(organization.time.now))).toMatchObject(verified);
      expect(await countTold()).toBe(0);
    });

    it('is told after the passkey alone, not after the password', async () => {
      const passkey = await addPasskey();
      const step = await startSecondStep();
      expect(await countTold()).toBe(0);
      const { id: userId, passwordChangedAt } = user;
      const first = { userId, passwordChangedAt, ...step };
      expect(await directory.checkPasskey(passkey.get({ challenge }), { first, browser })).toMatchObject(verified);
      expect(await countTold()).toBe(1);
    });

    it('is not told of a passkey of a session that goes on', async () => {
      const passkey = await addPasskey();
      const { id: userId, passwordChangedAt } = user;
      const first = { userId, passwordChangedAt };
      expect(await directory.checkPasskey(passkey.get({ challenge }), { first })).toMatchObject(verified);
      expect(await countTold()).toBe(0);
    });
  });

  it('is told after a passkey that signs in alone', async () => {
    const passkey = await addPasskey();
    expect(await directory.checkPasskey(passkey.get({ challenge }), { browser })).toMatchObject(verified);
    const [mail] = await mailed.takeMails(user.email);
    expect(mail?.subject).toBe(newSignIn);
    for (const part of [`Browser: ${browser}`, `Network: ${address}`]) expect(mail?.text).toContain(part);
  });

  it('is not told of a passkey that is wrong', async () => {
    const passkey = await addPasskey();
    const credential = passkey.get({ challenge: 'another' });
    expect(await directory.checkPasskey(credential, { browser })).toMatchObject({ outcome: 'wrong' });
    expect(await countTold()).toBe(0);
  });

  it('is told in the language of the user', async () => {
    user = await addPerson(organization, { locale: 'de-AT' });
    await signIn();
    const [mail] = await mailed.takeMails(user.email);
    expect([mail?.subject, mail?.raw.includes('<html lang=3D"de">') || mail?.raw.includes('<html lang="de">')]).toEqual(
      ['Neue Anmeldung bei Ihrem Konto', true],
    );
  });

  it('is not told by an administration that changes the password, but by the sign-in after it', async () => {
    await signIn();
    organization.time.now += 2 * day;
    await mailed.takeMails(user.email);
    const known = familiarBrowserOf(user);
    const next = 'another-password-of-new-sign-ins';
    const administrator = await createAdministratorRequests(organization);
    expect((await administrator.ofUser(user, 'PUT', '/password', { password: next })).statusCode).toBe(204);
    await signIn({ password: next, address: '192.0.2.200', knownBrowsers: [known] });
    expect(await countTold()).toBe(1);
  });
});

it.each(testDialects)('a new sign-in is told to nobody where NOTIFY_NEW_SIGN_IN is false, on %s', async (dialect) => {
  const mailed = await startMailedOrganization(dialect, { notifyNewSignIn: false });
  const user = await addPerson(mailed.organization);
  const directory = createDirectoryRequests(mailed.organization);
  expect(await directory.checkPassword(user, { password, browser })).toMatchObject(verified);
  expect(await mailed.takeMails(user.email)).toEqual([]);
  await mailed.close();
});
