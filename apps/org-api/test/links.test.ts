import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { directoryPaths, type NewUser } from '@gatehouse/shared';
import { createTestDatabase, linkOf, startStatementRecorder, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { de } from '../src/mails/messages/de.ts';
import { en } from '../src/mails/messages/en.ts';
import { fr } from '../src/mails/messages/fr.ts';
import type { User } from '../src/users/user.ts';
import { readTarget, startMailedOrganization, tokenOf, until } from './support/mails.ts';
import {
  type AdministratorRequests,
  type Answer,
  asksForMore,
  codeAt,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
} from './support/methods.ts';
import { type Organization, startOrganization } from './support/organization.ts';

const password = 'a-password-of-links';
const newPassword = 'another-password-of-links';
const minute = 60_000;
const hour = 60 * minute;
const done = { outcome: 'done' };
const gone = { outcome: 'gone' };

type Mailed = Awaited<ReturnType<typeof startMailedOrganization>>;

let networks = 0;
/** Of a network that asked for nothing before. */
const nextAddress = () => {
  networks += 1;
  return `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}`;
};

let names = 0;
async function addPerson(organization: Organization, more: Partial<NewUser> = {}): Promise<User> {
  names += 1;
  const [username, email] = [`person${names}@example.com`, `mailbox${names}@example.com`];
  const own = more.userType === 'Robot' ? {} : { password };
  const user = await organization.addUser({ username, email, emailVerified: true, ...own, ...more });
  // Nothing happens in the millisecond in which the password was set.
  organization.time.now += 1_000;
  return user;
}

function createLinkRequests({ post, send }: DirectoryRequests) {
  const common = { language: 'en', requestId: 'request-of-the-user' };
  return {
    recover: (name: string, more: object = {}) =>
      post(directoryPaths.linkRequests, { ...common, address: nextAddress(), name, ...more }),
    sendRecover: (name: string, more: object = {}) =>
      send(directoryPaths.linkRequests, { ...common, address: nextAddress(), name, ...more }),
    askToVerify: ({ id: userId, passwordChangedAt }: User, more: object = {}) =>
      post(directoryPaths.linkRequests, {
        ...common,
        address: nextAddress(),
        signedIn: { userId, passwordChangedAt },
        ...more,
      }),
    use: (token: string, more: object = {}) =>
      post(directoryPaths.linkUses, { token, address: nextAddress(), requestId: 'request-of-the-user', ...more }),
  };
}

type LinkRequests = ReturnType<typeof createLinkRequests>;

describe.each(testDialects)('mailed links on %s', (dialect) => {
  let mailed: Mailed;
  let organization: Organization;
  let replica: Awaited<ReturnType<Organization['startReplica']>>;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let links: LinkRequests;
  let ofReplica: LinkRequests;
  let user: User;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect);
    ({ organization } = mailed);
    replica = await organization.startReplica();
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
    links = createLinkRequests(directory);
    ofReplica = createLinkRequests(createDirectoryRequests(organization, replica));
  });
  afterAll(async () => {
    await replica.close();
    await mailed.close();
  });
  beforeEach(async () => {
    // All limits of an hour are over.
    organization.time.now += 2 * hour;
    user = await addPerson(organization);
  });

  const readUser = async ({ id }: Pick<User, 'id'> = user) => (await organization.deps.users.findById(id)) as User;
  const takeMails = ({ email }: Pick<User, 'email'> = user) => mailed.takeMails(email);
  const checkPassword = async (text: string) =>
    (await directory.checkPassword(user, { password: text, ...asksForMore })).outcome;
  const change = async (changes: object) => {
    const answer = await administrator.ofUser(user, 'PATCH', '', changes);
    expect(answer.statusCode).toBe(200);
  };
  const setPassword = async (text: string) => {
    const answer = await administrator.ofUser(user, 'PUT', '/password', { password: text });
    expect(answer.statusCode).toBe(204);
  };
  const listEvents = async (type: string) => (await administrator.listEvents(user)).filter((one) => one.type === type);
  const findToken = async () => {
    const mails = await takeMails();
    const isAsked = ({ subject }: { subject: string }) =>
      subject !== en.links.first_passkey.subject && subject !== en.links.first_code_app.subject;
    return tokenOf(mails.find((mail) => isAsked(mail) && mail.text.includes('/account/link?token=')));
  };
  /** The token that is mailed to a user who cannot sign in. */
  const recover = async (more: object = {}) => {
    expect(await links.recover(user.username, more)).toEqual(done);
    return findToken();
  };
  const askToVerify = async () => {
    expect(await links.askToVerify(user)).toEqual(done);
    return findToken();
  };
  const reset = (token: string, fields: object = { password: newPassword }, more: object = {}) =>
    links.use(token, { fields, ...more });
  /** A link that neither shows nor does anything. */
  const expectGone = async (token: string) => {
    expect([await links.use(token), await reset(token)]).toEqual([gone, gone]);
  };

  describe('asked for by a name', () => {
    it.each<[string, (user: User) => string]>([
      ['the username', ({ username }) => username],
      ['the username in another case', ({ username }) => username.toUpperCase()],
      ['the verified address', ({ email }) => email],
      ['the verified address in another case', ({ email }) => email.toUpperCase()],
    ])('are mailed once to the stored address: by %s', async (_case, nameOf) => {
      names += 1;
      user = await addPerson(organization, { email: `Mixed.Case${names}@example.com` });
      expect(await links.recover(nameOf(user))).toEqual(done);
      const mails = await takeMails();
      expect(mails.map(({ to, subject }) => [to, subject])).toEqual([[[user.email], 'Set a new password']]);
      expect(tokenOf(mails[0])).toMatch(/^[\w-]{43}$/);
    });

    it.each<[string, Partial<NewUser>, 'username' | 'email']>([
      ['a user whose address is not verified, by the username', { emailVerified: false }, 'username'],
      ['a user whose address is not verified, by the address', { emailVerified: false }, 'email'],
      ['a disabled user', { enabled: false }, 'username'],
      ['a disabled user, by the address', { enabled: false }, 'email'],
      ['a Robot', { userType: 'Robot' }, 'username'],
    ])('are not mailed to %s', async (_case, more, by) => {
      user = await addPerson(organization, more);
      const answer = await links.sendRecover(user[by]);
      expect([answer.statusCode, answer.payload]).toEqual([200, '{"outcome":"done"}']);
      expect(await takeMails()).toEqual([]);
      expect(await mailed.countLinks(user)).toBe(0);
    });

    it.each(['nobody@example.com', 'no address', '', '\u0000', "' OR 1=1 --", '%', '😀'.repeat(127)])(
      'are answered alike where nobody has the name %j',
      async (name) => {
        const { statusCode, payload, headers } = await links.sendRecover(name);
        const known = await links.sendRecover(user.username);
        expect([statusCode, payload]).toEqual([known.statusCode, known.payload]);
        expect(Object.keys(headers).sort()).toEqual(Object.keys(known.headers).sort());
        expect(await takeMails()).toHaveLength(1);
      },
    );

    it('are mailed to at most five users of one address', async () => {
      const email = `shared${names}@example.com`;
      const people: User[] = [];
      for (let count = 0; count < 7; count += 1) people.push(await addPerson(organization, { email }));
      expect(await links.recover(email)).toEqual(done);
      const mails = await mailed.takeMails(email);
      const named = people.filter(({ username }) => mails.some(({ text }) => text.includes(username)));
      expect([mails.length, named.length]).toEqual([5, 5]);
    });

    it('say the language, the browser and the network of the request, and the account', async () => {
      const more = { language: 'de', browser: 'Firefox on Windows', address: '2001:db8:1:2:3:4:5:6' };
      await links.recover(user.username, more);
      const [mail] = await takeMails();
      expect(mail?.text).toContain('Firefox on Windows');
      expect(mail?.text).toContain('2001:db8:1:2::/64');
      expect(mail?.text).toContain(user.username);
      expect(mail?.subject).toBe(de.links.reset.subject);
    });

    it('are the same within 30 minutes, so that the first mail works too', async () => {
      const first = await recover();
      organization.time.now += 29 * minute;
      expect(await recover()).toBe(first);
      organization.time.now += 2 * minute;
      const second = await recover();
      expect(second).not.toBe(first);
      await expectGone(first);
      expect(await links.use(second)).toMatchObject({ outcome: 'open' });
    });

    it('are in the audit trail, without the token', async () => {
      const token = await recover({ address: '192.0.2.77' });
      await reset(token);
      const events = await administrator.listEvents(user);
      const party = { kind: 'user', id: user.id, name: user.username };
      const request = 'request-of-the-user';
      expect(events.find(({ type }) => type === 'password_reset.requested')).toMatchObject({
        ...{ actor: { kind: 'anonymous' }, subject: party, address: '192.0.2.77', request },
      });
      expect(events.find(({ type }) => type === 'user.password_reset')).toMatchObject({ actor: party, subject: party });
      expect(JSON.stringify(events)).not.toContain(token);
    });

    it('are stored by the hash of the token alone', async () => {
      const token = await recover();
      const { database } = organization.deps;
      const rows = await database.query<Record<string, unknown>>('SELECT * FROM mailed_links');
      const shown = JSON.stringify(rows, (_name, value: unknown) =>
        typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data)
          ? Buffer.from(value.data as number[]).toString('latin1')
          : value,
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(shown).not.toContain(token);
      expect(shown).not.toContain(JSON.stringify(Buffer.from(token, 'base64url').toString('latin1')).slice(1, -1));
    });
  });

  describe('are limited', () => {
    it('to 20 requests an hour of a network, whatever the name', async () => {
      const address = nextAddress();
      for (let count = 0; count < 20; count += 1) {
        expect(await links.recover(`nobody${count}@example.com`, { address })).toEqual(done);
      }
      const limited = { outcome: 'limited', retryAfter: 3_600 };
      expect(await links.recover('nobody@example.com', { address })).toEqual(limited);
      expect(await links.recover(user.username, { address })).toEqual(limited);
      expect(await takeMails()).toEqual([]);
      expect(await links.recover(user.username)).toEqual(done);
      organization.time.now += hour + 1;
      expect(await links.recover(user.username, { address })).toEqual(done);
      expect(await takeMails()).toHaveLength(2);
    });

    it('to 20 requests an hour of a network of 64 bits', async () => {
      const prefix = `2001:db8:${names.toString(16)}:1`;
      for (let count = 1; count <= 20; count += 1) await links.recover('nobody', { address: `${prefix}::${count}` });
      expect(await links.recover('nobody', { address: `${prefix}::ff` })).toMatchObject({ outcome: 'limited' });
      expect(await links.recover('nobody', { address: `2001:db8:${names.toString(16)}:2::1` })).toEqual(done);
    });

    it('to 20 requests an hour to verify, which have a count of their own', async () => {
      user = await addPerson(organization, { emailVerified: false });
      const address = nextAddress();
      for (let count = 0; count < 20; count += 1) expect(await links.askToVerify(user, { address })).toEqual(done);
      expect(await links.askToVerify(user, { address })).toMatchObject({ outcome: 'limited' });
      expect(await links.recover(user.username, { address })).toEqual(done);
    });

    it('to 3 mails an hour to an address: no further mail, the same answer, and an event', async () => {
      for (let count = 0; count < 3; count += 1) {
        expect(await links.recover(count === 0 ? user.email : user.username)).toEqual(done);
        await mailed.settle();
      }
      expect(await listEvents('mail.limited')).toEqual([]);
      expect(await links.recover(user.username)).toEqual(done);
      expect(await takeMails()).toHaveLength(3);
      expect(await listEvents('mail.limited')).toMatchObject([{ details: { mail: 'reset' } }]);
      organization.time.now += hour + 1;
      await links.recover(user.username);
      expect(await takeMails()).toHaveLength(1);
    });

    it('to 10 mails a day to an address', async () => {
      const numbers: number[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        for (let count = 0; count < 3; count += 1) {
          await links.recover(user.username);
          await mailed.settle();
        }
        numbers.push((await takeMails()).length);
        organization.time.now += hour + 1;
      }
      expect(numbers).toEqual([3, 3, 3, 1]);
      organization.time.now += 24 * hour;
      await links.recover(user.username);
      expect(await takeMails()).toHaveLength(1);
    });

    it('but not for a browser in which the user signed in before: strangers use nothing up', async () => {
      for (let count = 0; count < 4; count += 1) {
        await links.recover(user.username);
        await mailed.settle();
      }
      expect(await takeMails()).toHaveLength(3);
      const { id: userId, passwordChangedAt } = user;
      const ask = async (known: object) => {
        const knownBrowsers = [{ id: 'browser-of-the-user', userId, passwordChangedAt, ...known }];
        expect(await links.recover(user.username, { knownBrowsers })).toEqual(done);
        return (await takeMails()).length;
      };
      expect(await ask({ passwordChangedAt: passwordChangedAt - 1 })).toBe(0);
      expect(await ask({ userId: 'another-user' })).toBe(0);
      expect([await ask({}), await ask({}), await ask({}), await ask({})]).toEqual([1, 1, 1, 0]);
    });
  });

  describe('to verify an address', () => {
    beforeEach(async () => {
      user = await addPerson(organization, { emailVerified: false });
    });

    it('are mailed to the stored address of who is signed in', async () => {
      expect(await links.askToVerify(user, { language: 'fr' })).toEqual(done);
      const [mail, ...others] = await takeMails();
      expect([mail?.to, mail?.subject, others]).toEqual([[user.email], fr.links.verify.subject, []]);
      expect(await links.use(tokenOf(mail))).toMatchObject({ outcome: 'open', purpose: 'verify', email: user.email });
    });

    it('are not mailed where it is verified, after a change of the password, or to a disabled user', async () => {
      expect(await links.askToVerify({ ...user, passwordChangedAt: 1 })).toEqual({ outcome: 'changed' });
      await change({ emailVerified: true });
      expect(await links.askToVerify(user)).toEqual({ outcome: 'changed' });
      await change({ emailVerified: false, enabled: false });
      expect(await links.askToVerify(user)).toEqual({ outcome: 'changed' });
      expect(await takeMails()).toEqual([]);
    });

    it('work for the user alone, who is signed in', async () => {
      const token = await askToVerify();
      const other = await addPerson(organization);
      const otherUser = { outcome: 'other_user' };
      expect(await links.use(token, { fields: {} })).toEqual(otherUser);
      expect(await links.use(token, { fields: {}, userId: other.id })).toEqual(otherUser);
      expect(await readUser()).toMatchObject({ emailVerified: false });
      expect(await links.use(token, { fields: {}, userId: user.id })).toMatchObject({
        ...{ outcome: 'done', purpose: 'verify', userId: user.id, email: user.email },
      });
      expect(await readUser()).toMatchObject({ emailVerified: true, passwordChangedAt: user.passwordChangedAt });
      expect(await readUser(other)).toEqual(other);
      expect(await listEvents('email.verified')).toHaveLength(1);
      expect(await links.use(token, { fields: {}, userId: user.id })).toEqual(gone);
    });

    it('work once of 20 at the same moment', async () => {
      const token = await askToVerify();
      const uses = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? links : ofReplica).use(token, { fields: {}, userId: user.id }),
      );
      const outcomes = (await Promise.all(uses)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
      expect(await readUser()).toMatchObject({ emailVerified: true });
    });

    it('do not work where the address is another one now', async () => {
      const token = await askToVerify();
      await change({ email: `another${names}@example.com` });
      expect(await links.use(token, { fields: {}, userId: user.id })).toEqual(gone);
      expect(await readUser()).toMatchObject({ emailVerified: false });
    });

    it('do not set a password', async () => {
      const token = await askToVerify();
      await links.use(token, { fields: { password: newPassword }, userId: user.id });
      expect([await checkPassword(password), await checkPassword(newPassword)]).toEqual(['verified', 'wrong']);
    });

    it('live for 24 hours', async () => {
      const token = await askToVerify();
      organization.time.now += 24 * hour - 5_000;
      expect(await links.use(token)).toMatchObject({ outcome: 'open' });
      organization.time.now += 10_000;
      expect(await links.use(token, { fields: {}, userId: user.id })).toEqual(gone);
    });

    it('are at most three open ones: the oldest ends', async () => {
      const tokens: string[] = [];
      for (let count = 0; count < 4; count += 1) {
        tokens.push(await askToVerify());
        organization.time.now += 31 * minute;
      }
      expect(new Set(tokens).size).toBe(4);
      const looks = await Promise.all(tokens.map((token) => links.use(token)));
      expect(looks.map(({ outcome }) => outcome)).toEqual(['gone', 'open', 'open', 'open']);
    });

    it('end with the use of one', async () => {
      const first = await askToVerify();
      organization.time.now += 31 * minute;
      const second = await askToVerify();
      expect(second).not.toBe(first);
      expect(await links.use(second, { fields: {}, userId: user.id })).toMatchObject(done);
      expect(await links.use(first)).toEqual(gone);
      expect(await links.use(first, { fields: {}, userId: user.id })).toEqual(gone);
    });
  });

  describe('to set a new password', () => {
    it('are looked at, which uses nothing up', async () => {
      const token = await recover({ goOn: 'client_id=my-app&scope=openid' });
      const { id: userId, username, email, passwordChangedAt } = user;
      const shown = {
        purpose: 'reset',
        userId,
        username,
        passwordChangedAt,
        email,
        needsCode: false,
        goOn: 'client_id=my-app&scope=openid',
      };
      for (let count = 0; count < 5; count += 1) expect(await links.use(token)).toEqual({ outcome: 'open', ...shown });
      expect(await readUser()).toEqual(user);
      expect(await reset(token)).toEqual({ outcome: 'done', ...shown });
    });

    it('set it, and end all that was issued before', async () => {
      const token = await recover();
      expect(await reset(token, { password: newPassword }, { browser: 'Safari on iOS' })).toMatchObject(done);
      expect([await checkPassword(password), await checkPassword(newPassword)]).toEqual(['wrong', 'verified']);
      expect((await readUser()).passwordChangedAt).toBe(organization.time.now);
      const [mail] = await takeMails();
      expect(mail).toMatchObject({ to: [user.email], subject: 'Your password was changed' });
      expect(mail?.text).toContain('Safari on iOS');
      await expectGone(token);
    });

    it('work once of 40 at the same moment at two replicas', async () => {
      const token = await recover();
      const uses = Array.from({ length: 40 }, async (_, index) => {
        await sleep(index / 3);
        const text = `${newPassword}-${index}`;
        const by = Math.floor(index / 2) % 2 === 0 ? links : ofReplica;
        return { text, ...(await by.use(token, { fields: { password: text } })) } as Answer & { text: string };
      });
      const answers = await Promise.all(uses);
      const winners = answers.filter(({ outcome }) => outcome === 'done');
      expect(winners).toHaveLength(1);
      const others = answers.filter(({ outcome }) => outcome !== 'done');
      expect(others.filter(({ outcome }) => outcome !== 'gone' && outcome !== 'busy')).toEqual([]);
      expect(await checkPassword(winners[0]?.text as string)).toBe('verified');
      expect(await listEvents('user.password_reset')).toHaveLength(1);
      expect(await takeMails()).toHaveLength(1);
    });

    it('end all other links of the user, and those of nobody else', async () => {
      const first = await recover();
      await change({ emailVerified: false });
      const verify = await askToVerify();
      const mine = user;
      user = await addPerson(organization);
      const foreign = await recover();
      user = mine;
      expect(await reset(first)).toMatchObject(done);
      await expectGone(verify);
      expect(await links.use(foreign)).toMatchObject({ outcome: 'open' });
    });

    it.each<[string, string]>([
      ['password_too_short', 'short'],
      ['password_too_short', ''],
      ['password_too_long', 'x'.repeat(1025)],
      ['password_common', 'password123'],
      ['password_resembles_name', 'the name'],
    ])('refuse with %s, and say the least length: the link goes on', async (fault, text) => {
      const token = await recover();
      const given = fault === 'password_resembles_name' ? user.username : text;
      expect(await reset(token, { password: given })).toEqual({ outcome: 'refused', fault, passwordMinLength: 8 });
      expect(await readUser()).toEqual(user);
      expect(await reset(token)).toMatchObject(done);
    });

    it('refuse no password at all', async () => {
      const token = await recover();
      expect(await reset(token, {})).toMatchObject({ outcome: 'refused', fault: 'password_too_short' });
      expect(await checkPassword(password)).toBe('verified');
    });

    it('leave the second step of a user with a password as it is, and ask for no code', async () => {
      await directory.addCodeApp(user);
      const token = await recover();
      expect(await links.use(token)).toMatchObject({ outcome: 'open', needsCode: false });
      expect(await reset(token)).toMatchObject(done);
      const checked = await directory.checkPassword(user, { password: newPassword, ...asksForMore });
      expect(checked).toMatchObject({ outcome: 'verified', secondStep: expect.anything() });
      expect((await directory.checkPassword(user, { password: newPassword })).outcome).toBe('wrong');
      expect(await administrator.readMethods(user)).toMatchObject({ codeApp: {}, recoveryCodes: { left: 10 } });
    });

    it.each<[string, () => Promise<unknown>]>([
      ['a change of the password by an administrator', () => setPassword('the-password-of-an-administrator')],
      [
        'a change of the password by the user',
        () => directory.change(user, { password: { old: password, new: 'the-password-of-the-user' } }),
      ],
      ['a change of the address', () => change({ email: `elsewhere${names}@example.com`, emailVerified: true })],
      ['the disabling of the user', () => change({ enabled: false })],
      ['the deletion of the user', () => administrator.ofUser(user, 'DELETE', '')],
      [
        'half an hour',
        async () => {
          organization.time.now += 30 * minute + 1;
        },
      ],
    ])('are gone after %s', async (_case, happen) => {
      const token = await recover();
      expect(await links.use(token)).toMatchObject({ outcome: 'open' });
      await happen();
      await expectGone(token);
    });

    it('are gone after a change of the address, also where it is the same again', async () => {
      const token = await recover();
      await change({ email: `elsewhere${names}@example.com` });
      await change({ email: user.email, emailVerified: true });
      await expectGone(token);
    });

    it('live for half an hour', async () => {
      const token = await recover();
      organization.time.now += 30 * minute - 10_000;
      expect(await reset(token)).toMatchObject(done);
    });
  });

  describe('to set a password beside a passkey alone', () => {
    let recoveryCodes: string[];

    beforeEach(async () => {
      const passkey = createPasskey();
      ({ recoveryCodes = [] } = await directory.addPasskey(user, passkey));
      expect(await directory.change(user, { remove: { password: true } })).toMatchObject(done);
      user = await readUser();
    });

    const countCodes = async () => (await administrator.readMethods(user)).recoveryCodes?.left;
    const wrong = { outcome: 'wrong' };

    it('also take a recovery code, which is used up', async () => {
      const token = await recover();
      expect(await links.use(token)).toMatchObject({ outcome: 'open', needsCode: true });
      expect(await reset(token)).toEqual(wrong);
      expect(await reset(token, { password: newPassword, code: '' })).toEqual(wrong);
      expect(await reset(token, { password: newPassword, code: codeAt(organization.time.now) })).toEqual(wrong);
      expect(await reset(token, { password: newPassword, code: '0000-0000-0000-0000' })).toEqual(wrong);
      expect(await administrator.readMethods(user)).toMatchObject({ password: null, recoveryCodes: { left: 10 } });
      const [code = '', again = ''] = recoveryCodes;
      expect(await reset(token, { password: newPassword, code: code.toLowerCase() })).toMatchObject(done);
      expect(await countCodes()).toBe(9);
      const checked = await directory.checkPassword(user, { password: newPassword, ...asksForMore });
      expect(checked).toMatchObject({ outcome: 'verified', secondStep: expect.anything() });
      expect(await reset(token, { password: newPassword, code: again })).toEqual(gone);
      expect(await countCodes()).toBe(9);
      user = await readUser();
      expect(await directory.checkCode(user, code)).toEqual(wrong);
    });

    it('do not take a code app in place of it', async () => {
      await directory.addCodeApp(user);
      const token = await recover();
      organization.time.now += 30_000;
      expect(await reset(token, { password: newPassword, code: codeAt(organization.time.now) })).toEqual(wrong);
      expect((await administrator.readMethods(user)).password).toBeNull();
    });

    it('use no code up where the password is refused', async () => {
      const token = await recover();
      const answer = await reset(token, { password: 'short', code: recoveryCodes[0] });
      expect(answer).toMatchObject({ outcome: 'refused', fault: 'password_too_short' });
      expect(await countCodes()).toBe(10);
    });

    it('work once of four at the same moment, each with another code', async () => {
      const token = await recover();
      const uses = recoveryCodes
        .slice(0, 4)
        .map((code, index) =>
          (index % 2 === 0 ? links : ofReplica).use(token, { fields: { password: newPassword, code } }),
        );
      const outcomes = (await Promise.all(uses)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    });

    it('limit wrong codes, and the right one with them', async () => {
      const token = await recover();
      for (let count = 0; count < 5; count += 1) {
        expect(await reset(token, { password: newPassword, code: `${count}000-0000-0000-0000` })).toEqual(wrong);
      }
      const answer = await reset(token, { password: newPassword, code: recoveryCodes[0] });
      expect(answer).toMatchObject({ outcome: 'limited', retryAfter: expect.any(Number) });
      organization.time.now += 5 * minute + 1;
      expect(await reset(token, { password: newPassword, code: recoveryCodes[0] })).toMatchObject(done);
    });

    it('take the right code in a browser in which the user signed in before, whatever strangers tried', async () => {
      const token = await recover();
      for (let count = 0; count < 6; count += 1) {
        await directory.checkCode(user, `${count}000-0000-0000-0000`);
      }
      const knownBrowsers = [{ id: 'own', userId: user.id, passwordChangedAt: user.passwordChangedAt }];
      const fields = { password: newPassword, code: recoveryCodes[0] };
      expect(await reset(token, fields, { knownBrowsers })).toMatchObject(done);
    });

    it('tell the user of the code, with the browser that used it', async () => {
      const token = await recover();
      const fields = { password: newPassword, code: recoveryCodes[0] };
      expect(await reset(token, fields, { browser: 'Safari on iOS' })).toMatchObject(done);
      const mails = await takeMails();
      expect(mails.map(({ subject }) => subject).sort()).toEqual([
        'A recovery code was used',
        'Your password was changed',
      ]);
      for (const { text } of mails) expect(text).toContain('Safari on iOS');
    });

    it('leave the passkey as it is', async () => {
      const before = (await administrator.readMethods(user)).passkeys;
      const token = await recover();
      await reset(token, { password: newPassword, code: recoveryCodes[0] });
      expect((await administrator.readMethods(user)).passkeys).toEqual(before);
    });
  });

  describe('that are none', () => {
    it.each(['', 'x', 'x'.repeat(43), 'x'.repeat(255), '\u0000', '😀'])('are gone: %j', async (token) => {
      expect(await links.use(token)).toEqual(gone);
      expect(await reset(token)).toEqual(gone);
    });

    it('are limited to 100 in five minutes of a network, in which a right one goes on', async () => {
      const token = await recover();
      const address = nextAddress();
      const tryOne = (index: number) => links.use(`unknown-${index}`, { address });
      for (let turn = 0; turn < 10; turn += 1) {
        const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => tryOne(turn * 10 + index)));
        expect(answers).toEqual(Array(10).fill(gone));
      }
      expect(await tryOne(100)).toEqual({ outcome: 'limited', retryAfter: 300 });
      expect(await links.use('unknown')).toEqual(gone);
      expect(await links.use(token, { address })).toMatchObject({ outcome: 'open' });
      organization.time.now += 5 * minute + 1;
      expect(await tryOne(101)).toEqual(gone);
    });
  });
});

describe.each(testDialects)('the mails that nobody signed in asked for, on %s', (dialect) => {
  let mailed: Mailed;
  let links: LinkRequests;
  let people: User[];

  beforeEach(async () => {
    mailed = await startMailedOrganization(dialect, { mailsPerHour: 3 });
    links = createLinkRequests(createDirectoryRequests(mailed.organization));
    people = [];
    for (let count = 0; count < 6; count += 1) people.push(await addPerson(mailed.organization));
  });
  afterEach(() => mailed.close());

  /** How many mails this network makes by one request for a user. */
  const ask = async (index: number, address: string, more: object = {}) => {
    const { username, email } = people[index] as User;
    expect(await links.recover(username, { address, ...more })).toEqual(done);
    return (await mailed.takeMails(email)).length;
  };

  it('are limited in all, and for one network, but not for known browsers', async () => {
    const [first, second, third] = [nextAddress(), nextAddress(), nextAddress()];
    expect([await ask(0, first), await ask(1, second), await ask(2, third)]).toEqual([1, 1, 1]);
    expect(await ask(3, nextAddress())).toBe(0);
    const { id: userId, passwordChangedAt } = people[4] as User;
    expect(await ask(4, first, { knownBrowsers: [{ id: 'own', userId, passwordChangedAt }] })).toBe(1);
    mailed.organization.time.now += hour + 1;
    expect(await ask(3, first)).toBe(1);
  });

  it('are one of a network, where 2 % are less than one', async () => {
    const address = nextAddress();
    expect([await ask(0, address), await ask(1, address)]).toEqual([1, 0]);
  });

  it('that a network may not have take nothing from other networks', async () => {
    const greedy = nextAddress();
    const numbers: number[] = [];
    for (let index = 0; index < 5; index += 1) numbers.push(await ask(index, greedy));
    expect(numbers).toEqual([1, 0, 0, 0, 0]);
    expect(await ask(5, nextAddress())).toBe(1);
  });
});

describe.each(testDialects)('a change of CREDENTIALS_KEY on %s', (dialect) => {
  const [keyOfThen, keyOfNow] = [randomBytes(32), randomBytes(32)];
  let database: Awaited<ReturnType<typeof createTestDatabase>>;

  beforeEach(async () => {
    database = await createTestDatabase(dialect);
  });
  afterEach(() => database.drop());

  const start = (credentialsKey: Buffer, previousCredentialsKey?: Buffer) =>
    startMailedOrganization(dialect, {
      databaseUrl: parseDatabaseUrl(database.url),
      credentialsKey,
      previousCredentialsKey,
    });
  const request = ({ organization }: Mailed) => createLinkRequests(createDirectoryRequests(organization));
  /** Goes on with another key, on the same rows and at the same time. */
  const rotate = async (before: { organization: Organization }, previous?: Buffer) => {
    const after = await start(keyOfNow, previous);
    after.organization.time.now = before.organization.time.now;
    return after;
  };
  /** A link is made, and its mail cannot be sent. */
  const askWithoutMail = async () => {
    const before = await startOrganization(dialect, {
      ...{ databaseUrl: parseDatabaseUrl(database.url), credentialsKey: keyOfThen },
      ...{ mailTarget: readTarget('smtp://127.0.0.1:1?tls=off'), mailFrom: 'no-reply@example.com' },
    });
    const user = await addPerson(before);
    const links = createLinkRequests(createDirectoryRequests(before));
    await links.recover(user.username);
    const countTried = async () => {
      const sql = "SELECT COUNT(*) AS tried FROM mails WHERE kind = 'reset' AND tries = 1";
      return Number((await before.deps.database.query<{ tried: number }>(sql))[0]?.tried);
    };
    await until(async () => (await countTried()) === 1, 'a try');
    await before.close();
    before.time.now += minute + 1;
    return { before: { organization: before }, user };
  };

  it('leaves links as they are that were mailed before: they work, and are mailed again', async () => {
    const before = await start(keyOfThen);
    const user = await addPerson(before.organization);
    await request(before).recover(user.username, { goOn: 'client_id=my-app' });
    const [first] = await before.takeMails(user.email);
    await before.close();
    const after = await rotate(before, keyOfThen);
    expect(await request(after).use(tokenOf(first))).toMatchObject({ outcome: 'open', goOn: 'client_id=my-app' });
    await request(after).recover(user.username);
    const [second] = await after.takeMails(user.email);
    expect(linkOf(second as { text: string })).toBe(linkOf(first as { text: string }));
    expect(await request(after).use(tokenOf(first), { fields: { password: newPassword } })).toMatchObject(done);
    await after.close();
  });

  it('makes no link fail that was mailed before, where the key of then is not there', async () => {
    const before = await start(keyOfThen);
    const user = await addPerson(before.organization);
    await request(before).recover(user.username, { goOn: 'client_id=my-app' });
    const [mail] = await before.takeMails(user.email);
    await before.close();
    const after = await rotate(before);
    const { statusCode } = await createDirectoryRequests(after.organization).send(directoryPaths.linkUses, {
      ...{ token: tokenOf(mail), address: nextAddress(), requestId: 'request-of-the-user' },
    });
    expect(statusCode).toBe(200);
    await after.close();
  });

  it('leaves links as they are that were not mailed yet', async () => {
    const { before, user } = await askWithoutMail();
    const after = await rotate(before, keyOfThen);
    await after.wake();
    const [mail] = await after.takeMails(user.email);
    expect(await request(after).use(tokenOf(mail), { fields: { password: newPassword } })).toMatchObject(done);
    await after.close();
  });

  it('gives up what was not mailed yet, where the key of then is not there: another request makes another link', async () => {
    const { before, user } = await askWithoutMail();
    const after = await rotate(before);
    await after.wake();
    expect(await after.takeMails(user.email)).toEqual([]);
    await request(after).recover(user.username);
    const [mail] = await after.takeMails(user.email);
    expect(await request(after).use(tokenOf(mail))).toMatchObject({ outcome: 'open' });
    await after.close();
  });
});

it.each(testDialects)('without mails, no link is asked for on %s', async (dialect) => {
  const organization = await startOrganization(dialect);
  const links = createLinkRequests(createDirectoryRequests(organization));
  const user = await addPerson(organization, { emailVerified: false });
  expect(await links.recover(user.username)).toEqual({ outcome: 'off' });
  expect(await links.askToVerify(user)).toEqual({ outcome: 'off' });
  const [row] = await organization.deps.database.query<{ mails: number }>('SELECT COUNT(*) AS mails FROM mails');
  expect(Number(row?.mails)).toBe(0);
  await organization.close();
});

const itOnMysql = testDialects.includes('mysql') ? it : () => {};

// Its statements are recorded between the service and its server.
itOnMysql('a request by a name is kept before anybody is looked up, whoever it is', async () => {
  const database = await createTestDatabase('mysql');
  const recorder = await startStatementRecorder(database.url);
  const mailed = await startMailedOrganization('mysql', { databaseUrl: parseDatabaseUrl(recorder.url) });
  const user = await addPerson(mailed.organization);
  const links = createLinkRequests(createDirectoryRequests(mailed.organization));
  const record = async (name: string) => {
    await mailed.settle();
    recorder.take();
    expect(await links.recover(name)).toEqual(done);
    await mailed.settle();
    const statements = recorder.take();
    const kept = statements.findIndex((statement) => /^INSERT INTO `?mails/i.test(statement));
    expect(kept).toBeGreaterThanOrEqual(0);
    return { before: statements.slice(0, kept), after: statements.slice(kept) };
  };
  // Once more, so that every statement is prepared.
  await record('nobody');
  for (const name of [user.username, user.email, 'nobody@example.com']) {
    const { before, after } = await record(name);
    const looksUp = (statement: string) =>
      /\b(FROM|UPDATE) users\b/i.test(statement) && statement.includes(`'${name}'`);
    expect(before.filter(looksUp)).toEqual([]);
    expect(after.filter(looksUp)).not.toEqual([]);
  }
  await mailed.close();
  await recorder.close();
  await database.drop();
});
