import { setTimeout as sleep } from 'node:timers/promises';
import { type AccountData, directoryPaths, profileFields, type UserDetails } from '@gatehouse/shared';
import { type Altered, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import {
  type AdministratorRequests,
  type Answer,
  address,
  asksForMore,
  bytesOf,
  challenge,
  codeAt,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
  proven,
  secret,
} from './support/methods.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const password = 'a-password-of-accounts';
const newPassword = 'another-password-of-accounts';
const breached = 'a-password-of-a-breach';
const minute = 60_000;
const lastWayIn = { outcome: 'refused', fault: 'last_way_in' };
const changed = { outcome: 'changed' };

/** Nobody may change the gender of the own record here. */
const usersMayChange = profileFields.filter((field) => field !== 'gender');

type Passkey = ReturnType<typeof createPasskey>;

describe.each(testDialects)('the account of a user on %s', (dialect) => {
  let organization: Organization;
  let replica: Awaited<ReturnType<Organization['startReplica']>>;
  let directory: DirectoryRequests;
  let replicas: DirectoryRequests[];
  let administrator: AdministratorRequests;
  let users = 0;
  let user: User;

  beforeAll(async () => {
    const isBreached = async (given: string) => given === breached;
    organization = await startOrganization(dialect, { usersMayChange, passwordMinLength: 15, isBreached });
    replica = await organization.startReplica();
    directory = createDirectoryRequests(organization);
    replicas = [directory, createDirectoryRequests(organization, replica)];
    administrator = await createAdministratorRequests(organization);
  });
  afterAll(async () => {
    await replica.close();
    await organization.close();
  });
  beforeEach(async () => {
    users += 1;
    organization.time.now += 10 * minute;
    user = await organization.addUser({ username: `holder${users}@example.com`, password });
    organization.time.now += minute;
  });

  const change = (changes: object) => directory.change(user, changes);
  const remove = (method: object) => change({ remove: method });
  const setPassword = (text: string, old = password) => change({ password: { old, new: text } });
  const changeProfile = (changes: object) =>
    directory.post(directoryPaths.profileChanges, { ...proven(user), changes });
  const readUser = async () => (await organization.deps.users.findById(user.id)) as User;
  /** Goes on as a user who signed in again. */
  const signInAgain = async () => {
    user = await readUser();
  };
  const readMethods = () => administrator.readMethods(user);
  const asAdministrator = async (method: 'PATCH' | 'DELETE', path: string, payload?: object) =>
    (await administrator.ofUser(user, method, path, payload)).statusCode;
  const readHashes = async () => {
    const sql = 'SELECT password_hash, guarded_hash FROM users WHERE id = ?';
    return (await organization.deps.database.query<object>(sql, [bytesOf(user)]))[0];
  };
  const addPasskey = async (options?: Parameters<typeof createPasskey>[0]) => {
    const passkey = createPasskey(options);
    expect(await directory.addPasskey(user, passkey)).toMatchObject({ outcome: 'done' });
    return { passkey, id: (await readMethods()).passkeys.at(-1)?.id as string };
  };
  const addCodeApp = async () => {
    const { outcome, recoveryCodes = [] } = await directory.addCodeApp(user);
    expect(outcome).toBe('done');
    return recoveryCodes;
  };
  /** A user whose passkey is the only way in. */
  const leavePasskeyAlone = async () => {
    const added = await addPasskey();
    expect(await remove({ password: true })).toMatchObject({ outcome: 'done' });
    return added;
  };
  const checkPassword = async (text = password) =>
    (await directory.checkPassword(user, { password: text, ...asksForMore })).outcome;
  const signIn = async (passkey: Passkey, altered?: Altered) =>
    (await directory.checkPasskey(passkey.get({ challenge }, altered))).outcome;
  const describeAccount = async (events?: object): Promise<AccountData> => {
    const { account } = await directory.post(directoryPaths.accountData, {
      userId: user.id,
      ...(events && { events }),
    });
    return account as AccountData;
  };
  const readRecord = async () => (await describeAccount()).user;
  /** Sends requests to both replicas so close together that some begin between two statements of others. */
  const atOnce = (count: number, send: (to: DirectoryRequests, index: number) => Promise<Answer>) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        await sleep(index / 3);
        return send(replicas[Math.floor(index / 2) % 2] as DirectoryRequests, index);
      }),
    );
  const countDone = (answers: Answer[]) => answers.filter(({ outcome }) => outcome === 'done').length;

  describe('of methods that the user removes', () => {
    it('loses a passkey: the others stay, and what was issued before stays valid', async () => {
      const [kept, removed] = [await addPasskey(), await addPasskey()];
      await addCodeApp();
      const { passwordChangedAt, id } = user;
      const done = { outcome: 'done', user: { id, passwordChangedAt, secondStep: true }, recoveryCodes: [] };
      expect(await remove({ passkey: removed.id })).toMatchObject(done);
      expect(await readMethods()).toMatchObject({
        passkeys: [{ id: kept.id }],
        codeApp: expect.anything(),
        recoveryCodes: { left: 10 },
        password: { changedAt: new Date(passwordChangedAt).toISOString() },
      });
      expect([await signIn(removed.passkey), await signIn(kept.passkey)]).toEqual(['wrong', 'verified']);
    });

    it('loses the code app: its codes are wrong, and the recovery codes stay with the passkey', async () => {
      const { passkey } = await addPasskey();
      await addCodeApp();
      expect(await remove({ codeApp: true })).toMatchObject({
        ...{ outcome: 'done', user: { passwordChangedAt: user.passwordChangedAt, secondStep: true } },
      });
      organization.time.now += 30_000;
      expect((await directory.checkCode(user, codeAt(organization.time.now))).outcome).toBe('wrong');
      expect(await readMethods()).toMatchObject({ codeApp: null, recoveryCodes: { left: 10 }, secondStep: true });
      expect(await signIn(passkey)).toBe('verified');
    });

    it('loses the only passkey, while the code app stays the second step', async () => {
      const { id } = await addPasskey();
      await addCodeApp();
      expect(await remove({ passkey: id })).toMatchObject({ outcome: 'done', user: { secondStep: true } });
      expect(await readHashes()).toEqual({ password_hash: null, guarded_hash: user.passwordHash });
      expect(await readMethods()).toMatchObject({ passkeys: [], recoveryCodes: { left: 10 }, secondStep: true });
    });

    it.each(['a passkey', 'a code app'])(
      'loses the last second step, %s: the password suffices again',
      async (kind) => {
        const method = kind === 'a passkey' ? { passkey: (await addPasskey()).id } : { codeApp: true };
        if (kind === 'a code app') await addCodeApp();
        expect(await readHashes()).toEqual({ password_hash: null, guarded_hash: user.passwordHash });
        expect(await remove(method)).toMatchObject({
          ...{ outcome: 'done', user: { passwordChangedAt: user.passwordChangedAt, secondStep: false } },
        });
        expect(await readHashes()).toEqual({ password_hash: user.passwordHash, guarded_hash: null });
        expect(await readMethods()).toMatchObject({ recoveryCodes: null, secondStep: false });
        expect(await directory.checkPassword(user, { password })).toMatchObject({ outcome: 'verified' });
      },
    );

    it('loses the password: the passkey alone signs in, and what was issued before stays valid', async () => {
      const { passkey } = await addPasskey();
      expect(await remove({ password: true })).toMatchObject({
        ...{ outcome: 'done', user: { passwordChangedAt: user.passwordChangedAt, secondStep: true } },
      });
      expect(await checkPassword()).toBe('wrong');
      expect(await signIn(passkey)).toBe('verified');
      expect(await readMethods()).toMatchObject({ password: null, passkeys: [{}], recoveryCodes: { left: 10 } });
      expect(await readHashes()).toEqual({ password_hash: null, guarded_hash: '' });
    });

    it('has no password again where a code app comes and goes', async () => {
      const { passkey } = await leavePasskeyAlone();
      await addCodeApp();
      expect(await remove({ codeApp: true })).toMatchObject({ outcome: 'done' });
      expect([await checkPassword(), await checkPassword('')]).toEqual(['wrong', 'wrong']);
      expect(await signIn(passkey)).toBe('verified');
      expect((await readMethods()).password).toBeNull();
    });

    it.each<[string, () => Promise<object>]>([
      ['a password alone', async () => ({ password: true })],
      [
        'a password with a code app',
        async () => {
          await addCodeApp();
          return { password: true };
        },
      ],
      [
        'a password with a passkey that never verified its user',
        async () => {
          await addPasskey({ verifies: false });
          return { password: true };
        },
      ],
      ['the only passkey', async () => ({ passkey: (await leavePasskeyAlone()).id })],
      [
        'the passkey that verified its user of two',
        async () => {
          const { id } = await leavePasskeyAlone();
          await addPasskey({ verifies: false });
          return { passkey: id };
        },
      ],
      [
        'the only passkey beside a code app',
        async () => {
          const { id } = await leavePasskeyAlone();
          await addCodeApp();
          return { passkey: id };
        },
      ],
    ])('keeps the last way in: %s', async (_case, prepare) => {
      const method = await prepare();
      const before = await readMethods();
      expect(await remove(method)).toEqual(lastWayIn);
      expect(await readMethods()).toEqual(before);
    });

    it('loses a passkey that never verified its user, also where another one is the only way in', async () => {
      const { id } = await leavePasskeyAlone();
      const other = await addPasskey({ verifies: false });
      expect(await remove({ passkey: other.id })).toMatchObject({ outcome: 'done' });
      expect((await readMethods()).passkeys).toMatchObject([{ id }]);
    });

    it('may lose the password once a passkey, which did not do so first, verified its user', async () => {
      const { passkey } = await addPasskey({ verifies: false });
      const first = { userId: user.id, passwordChangedAt: user.passwordChangedAt };
      await directory.checkPasskey(passkey.get({ challenge }, { flags: 1 | 4 }), { first });
      expect(await remove({ password: true })).toMatchObject({ outcome: 'done' });
      expect(await signIn(passkey, { flags: 1 | 4 })).toBe('verified');
    });

    it('stays as it is where the method is not there, or is another user’s', async () => {
      const foreign = await addPasskey();
      user = await organization.addUser({ username: `other-holder${users}@example.com`, password });
      for (const passkey of [foreign.id, 'no-passkey', user.id]) expect(await remove({ passkey })).toEqual(changed);
      expect(await remove({ codeApp: true })).toEqual(changed);
      await leavePasskeyAlone();
      expect(await remove({ password: true })).toEqual(changed);
      expect(await signIn(foreign.passkey)).toBe('verified');
    });

    it('stays as it is after a change of the password, for a disabled user and for a Robot', async () => {
      const { id } = await addPasskey();
      await addPasskey();
      await addCodeApp();
      const before = await readMethods();
      const expectNoChange = async () => {
        const changes = [{ remove: { passkey: id } }, { remove: { codeApp: true } }, { remove: { password: true } }];
        const others = [
          { rename: { passkey: id, name: 'x' } },
          { recoveryCodes: 'new' },
          { password: { new: newPassword, old: password } },
        ];
        for (const one of [...changes, ...others]) expect(await change(one)).toEqual(changed);
        expect(await changeProfile({ nickname: 'x' })).toEqual(changed);
      };
      const { passwordChangedAt } = user;
      user = { ...user, passwordChangedAt: passwordChangedAt - 1 };
      await expectNoChange();
      user = { ...user, passwordChangedAt };
      expect(await asAdministrator('PATCH', '', { enabled: false })).toBe(200);
      await expectNoChange();
      expect(await readMethods()).toEqual(before);
      user = await organization.addUser({ username: `robot${users}@example.com`, userType: 'Robot' });
      await expectNoChange();
    });

    it('is not changed by a request that says no change, or one that says an unknown one', async () => {
      expect(await change({})).toEqual(changed);
      for (const nonsense of [{ remove: {} }, { remove: { passkey: 'x', codeApp: true } }, { recoveryCodes: 'old' }]) {
        const answer = await directory.send(directoryPaths.methodChanges, { ...proven(user), ...nonsense });
        expect(answer.statusCode).toBe(400);
      }
    });
  });

  describe('without a password', () => {
    it('counts as that of a SystemAdministrator still: the last one is 409', async () => {
      const roles = ['SystemAdministrator'] as const;
      user = await organization.addUser({ username: `chief${users}@example.com`, password, roles: [...roles] });
      await leavePasskeyAlone();
      expect(await asAdministrator('PATCH', '', { roles: [] })).toBe(409);
      expect(await asAdministrator('PATCH', '', { enabled: false })).toBe(409);
      expect(await asAdministrator('DELETE', '')).toBe(409);
      const { username } = await organization.addUser({
        username: `next${users}@example.com`,
        password,
        roles: [...roles],
      });
      expect(await asAdministrator('PATCH', '', { roles: [] })).toBe(200);
      await organization.deps.database.execute('DELETE FROM users WHERE username = ?', [username]);
    });

    it('takes one without an old one, which ends nothing and which a second step follows', async () => {
      await leavePasskeyAlone();
      organization.time.now += 1;
      const { passwordChangedAt } = user;
      expect(await change({ password: { new: newPassword } })).toMatchObject({
        ...{ outcome: 'done', user: { passwordChangedAt }, recoveryCodes: [] },
      });
      expect(await readHashes()).toEqual({ password_hash: null, guarded_hash: expect.stringMatching(/^\$argon2id\$/) });
      const checked = await directory.checkPassword(user, { password: newPassword, ...asksForMore });
      expect(checked).toMatchObject({ outcome: 'verified', secondStep: { methodsVersion: expect.any(Number) } });
      expect(await directory.checkPassword(user, { password: newPassword })).toMatchObject({ outcome: 'wrong' });
    });
  });

  describe('by an administrator', () => {
    it('loses the password: what was issued before is void, and the event names who did it', async () => {
      const { passkey } = await addPasskey();
      expect(await asAdministrator('DELETE', '/methods/password')).toBe(204);
      expect(await readUser()).toMatchObject({ passwordHash: undefined, passwordChangedAt: organization.time.now });
      expect([await checkPassword(), await signIn(passkey)]).toEqual(['wrong', 'verified']);
      expect((await administrator.listEvents(user))[0]).toMatchObject({
        ...{ type: 'password.removed', actor: { kind: 'user', name: 'administrator@example.com' } },
        subject: { kind: 'user', id: user.id, name: user.username },
      });
      expect(await asAdministrator('DELETE', '/methods/password')).toBe(404);
    });

    it('keeps the last way in: 409', async () => {
      expect(await asAdministrator('DELETE', '/methods/password')).toBe(409);
      const { passkey, id } = await addPasskey();
      expect(await asAdministrator('DELETE', '/methods/password')).toBe(204);
      await signInAgain();
      expect(await asAdministrator('DELETE', `/methods/passkeys/${id}`)).toBe(409);
      expect(await signIn(passkey)).toBe('verified');
      expect(await readUser()).toEqual(user);
    });

    it('has no password to lose where the user is a Robot or nobody', async () => {
      const robot = await organization.addUser({ username: `machine${users}@example.com`, userType: 'Robot' });
      expect((await administrator.ofUser(robot, 'DELETE', '/methods/password')).statusCode).toBe(400);
      const nobody = { username: 'nobody@example.com' };
      expect((await administrator.ofUser(nobody, 'DELETE', '/methods/password')).statusCode).toBe(404);
    });
  });

  describe('of passkeys', () => {
    it.each(['My phone', 'ü', '😀'.repeat(64)])('gives one the name %j', async (name) => {
      const [{ id }, other] = [await addPasskey(), await addPasskey()];
      const done = { outcome: 'done', user: { id: user.id }, recoveryCodes: [] };
      expect(await change({ rename: { passkey: id, name } })).toMatchObject(done);
      expect((await readMethods()).passkeys).toMatchObject([
        { id, name },
        { id: other.id, name: 'Chrome on Linux' },
      ]);
      expect(await readUser()).toMatchObject({ passwordChangedAt: user.passwordChangedAt });
    });

    it.each(['', 'x'.repeat(65), 'two\nlines', '\u0000', 'left\u202eright', '\ud800'])(
      'does not take the name %j',
      async (name) => {
        const { id } = await addPasskey();
        const body = { ...proven(user), rename: { passkey: id, name } };
        expect((await directory.send(directoryPaths.methodChanges, body)).statusCode).toBe(400);
        expect((await readMethods()).passkeys).toMatchObject([{ name: 'Chrome on Linux' }]);
      },
    );

    it('does not name those of others, or none', async () => {
      const { id } = await addPasskey();
      const holder = user;
      user = await organization.addUser({ username: `renamer${users}@example.com`, password });
      for (const passkey of [id, user.id, '']) {
        expect(await change({ rename: { passkey, name: 'Mine' } })).toEqual(changed);
      }
      expect((await administrator.readMethods(holder)).passkeys).toMatchObject([{ name: 'Chrome on Linux' }]);
    });
  });

  describe('of recovery codes', () => {
    it('has ten new ones: those of before are wrong, also those that were left', async () => {
      const before = await addCodeApp();
      await directory.checkCode(user, before[0] as string);
      const { outcome, recoveryCodes = [] } = await change({ recoveryCodes: 'new' });
      expect([outcome, new Set(recoveryCodes).size]).toEqual(['done', 10]);
      for (const code of recoveryCodes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
      expect((await readMethods()).recoveryCodes).toEqual({
        ...{ left: 10, createdAt: new Date(organization.time.now).toISOString() },
      });
      expect((await directory.checkCode(user, before[1] as string)).outcome).toBe('wrong');
      expect((await directory.checkCode(user, recoveryCodes[9] as string)).outcome).toBe('verified');
      expect(await readUser()).toMatchObject({ passwordChangedAt: user.passwordChangedAt });
    });

    it('has new ones after all were used or removed', async () => {
      await addPasskey();
      expect(await asAdministrator('DELETE', '/methods/recovery-codes')).toBe(204);
      await signInAgain();
      expect((await change({ recoveryCodes: 'new' })).recoveryCodes).toHaveLength(10);
      expect((await readMethods()).recoveryCodes).toMatchObject({ left: 10 });
    });

    it('has none where there is no second step that they stand in for', async () => {
      expect(await change({ recoveryCodes: 'new' })).toEqual({ outcome: 'refused', fault: 'no_second_step' });
      expect((await readMethods()).recoveryCodes).toBeNull();
    });
  });

  describe('of a password', () => {
    it('takes another with the old one, which is wrong from then on', async () => {
      expect(await setPassword(newPassword)).toMatchObject({
        ...{ outcome: 'done', user: { id: user.id, passwordChangedAt: organization.time.now }, recoveryCodes: [] },
      });
      expect([await checkPassword(), await checkPassword(newPassword)]).toEqual(['wrong', 'verified']);
      expect(await setPassword('a-third-password-of-it', newPassword)).toEqual(changed);
      await signInAgain();
      expect(await setPassword('a-third-password-of-it', newPassword)).toMatchObject({ outcome: 'done' });
    });

    it('keeps its second step and recovery codes', async () => {
      await addCodeApp();
      expect(await setPassword(newPassword)).toMatchObject({ outcome: 'done', user: { secondStep: true } });
      const checked = await directory.checkPassword(user, { password: newPassword, ...asksForMore });
      expect(checked).toMatchObject({ outcome: 'verified', secondStep: expect.anything() });
      expect(await readMethods()).toMatchObject({ codeApp: expect.anything(), recoveryCodes: { left: 10 } });
    });

    it('does not take one without the right old one, which is slowed after ten guesses', async () => {
      expect(await change({ password: { new: newPassword } })).toEqual({ outcome: 'wrong' });
      for (let guesses = 1; guesses < 10; guesses += 1) {
        expect(await setPassword(newPassword, `wrong-${guesses}`)).toEqual({ outcome: 'wrong' });
      }
      expect(await setPassword(newPassword)).toEqual({ outcome: 'limited', retryAfter: 300 });
      expect(await readUser()).toEqual(user);
      organization.time.now += 5 * minute;
      expect(await setPassword(newPassword)).toMatchObject({ outcome: 'done' });
    });

    it('counts guesses of a browser in which the user signed in for that browser alone', async () => {
      const knownBrowsers = [{ id: 'browser', userId: user.id, passwordChangedAt: user.passwordChangedAt }];
      for (let guesses = 0; guesses < 11; guesses += 1) await setPassword(newPassword, 'wrong');
      expect((await setPassword(newPassword)).outcome).toBe('limited');
      const own = { password: { old: password, new: newPassword }, knownBrowsers };
      expect(await change(own)).toMatchObject({ outcome: 'done' });
    });

    it.each([
      ['password_too_short', 'x-14-character'],
      ['password_too_short', '😀'.repeat(14)],
      ['password_too_long', '😀'.repeat(1025)],
      ['password_common', 'MailCreated5240'],
      ['password_breached', breached],
    ])('does not take one that is no good: %s', async (fault, text) => {
      expect(await setPassword(text)).toEqual({ outcome: 'refused', fault });
      expect(await readUser()).toEqual(user);
    });

    it.each([
      ['fifteen characters', '😀'.repeat(15)],
      ['spaces', ' a password with spaces '],
      ['1024 characters', 'y'.repeat(1024)],
    ])('takes one of %s as it is', async (_kind, text) => {
      expect(await setPassword(text)).toMatchObject({ outcome: 'done' });
      expect([await checkPassword(text), await checkPassword(text.slice(0, -1))]).toEqual(['verified', 'wrong']);
    });

    it('says what is no good before it asks for the old one', async () => {
      expect(await setPassword('short', 'wrong')).toEqual({ outcome: 'refused', fault: 'password_too_short' });
    });

    it.each<[string, (of: User) => string]>([
      ['the username', ({ username }) => username],
      ['the local part of the username', ({ username }) => username.split('@')[0] as string],
      ['the e-mail address', ({ email }) => email],
      ['the full name', ({ firstName, lastName }) => `${firstName} ${lastName}`],
      ['the full name without a space', ({ firstName, lastName }) => `${firstName}${lastName}`],
    ])('does not take %s, nor that with four characters more', async (_name, nameOf) => {
      user = await organization.addUser({
        ...{ username: `Resembling.Person.${users}@names.example.com`, email: 'bart@elsewhere.example.com' },
        ...{ firstName: 'Bartholomew', lastName: 'Featherstonehaugh', password },
      });
      organization.time.now += 1;
      const name = nameOf(user);
      for (const text of [name, name.toUpperCase(), name.toLowerCase(), `${name}!`, `${name.toUpperCase()}2026`]) {
        expect(await setPassword(text)).toEqual({ outcome: 'refused', fault: 'password_resembles_name' });
      }
      expect(await checkPassword()).toBe('verified');
      expect(await setPassword(`${name}-2026`)).toMatchObject({ outcome: 'done' });
    });

    it('does not take a name with four characters more of any kind', async () => {
      const refused = { outcome: 'refused', fault: 'password_resembles_name' };
      expect(await setPassword(`${user.username}😀😀😀😀`)).toEqual(refused);
      expect(await setPassword(`${user.username}😀😀😀😀😀`)).toMatchObject({ outcome: 'done' });
    });

    it('takes one that does not begin with a name, or that is one cut short', async () => {
      expect(await setPassword(`my-${user.username}`)).toMatchObject({ outcome: 'done' });
      await signInAgain();
      const text = user.username.slice(0, -1);
      expect(await setPassword(text, `my-${user.username}`)).toMatchObject({ outcome: 'done' });
    });

    it('keeps to the same rules at the API', async () => {
      const names = { firstName: 'Bartholomew', lastName: 'Featherstone' };
      const username = `person-of-the-api${users}@example.com`;
      const person = await organization.addUser({ ...names, username, password });
      const refused = expect.objectContaining({ errors: [expect.objectContaining({ field: 'password' })] });
      for (const text of ['x-14-character', breached, 'BartholomewFeatherstone1', `${username}1`]) {
        const created = await administrator.send('POST', 'user', { ...names, username, password: text });
        expect([created.statusCode, created.json()]).toEqual([400, refused]);
        const set = await administrator.ofUser(person, 'PUT', '/password', { password: text });
        expect([set.statusCode, set.json()]).toEqual([400, refused]);
      }
      expect((await administrator.ofUser(person, 'PUT', '/password', { password: newPassword })).statusCode).toBe(204);
    });

    it('is not set at the API by a user who has none to prove', async () => {
      const { passkey } = await leavePasskeyAlone();
      const answer = await organization.app.inject({
        method: 'PUT',
        url: `/organization/api/organization/user/userId/${user.username}/password`,
        headers: bearer(await organization.accessToken(user, { acr: 'phr', auth_time: organization.time.now / 1000 })),
        payload: { password: newPassword, oldPassword: 'anything' },
      });
      expect([answer.statusCode, await checkPassword(newPassword)]).toEqual([400, 'wrong']);
      expect(await signIn(passkey)).toBe('verified');
    });
  });

  describe('at the same moment', () => {
    const rounds = [1, 2, 3, 4, 5];

    it.each(rounds)('keeps one of two passkeys that are removed (%i)', async () => {
      const [one, two] = [await leavePasskeyAlone(), await addPasskey()];
      const answers = await atOnce(40, (to, index) =>
        to.change(user, { remove: { passkey: index % 2 === 0 ? one.id : two.id } }),
      );
      expect((await readMethods()).passkeys).toHaveLength(1);
      expect(countDone(answers)).toBe(1);
    });

    it.each(rounds)('keeps the password or the passkey of which both are removed (%i)', async () => {
      const { id } = await addPasskey();
      const answers = await atOnce(40, (to, index) =>
        to.change(user, { remove: index % 2 === 0 ? { passkey: id } : { password: true } }),
      );
      const { password: left, passkeys } = await readMethods();
      expect([left !== null, passkeys.length > 0].sort()).toEqual([false, true]);
      expect(countDone(answers)).toBe(1);
    });

    it.each<[string, (id: string) => object]>([
      ['a passkey', (passkey) => ({ passkey })],
      ['a code app', () => ({ codeApp: true })],
      ['a password', () => ({ password: true })],
    ])('loses %s once, of forty removals', async (_kind, methodOf) => {
      const { id } = await addPasskey();
      await addPasskey();
      await addCodeApp();
      const answers = await atOnce(40, (to) => to.change(user, { remove: methodOf(id) }));
      expect(countDone(answers)).toBe(1);
      expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['done', 'changed']));
    });

    it('takes one of the names that a passkey is given', async () => {
      const { id } = await addPasskey();
      const names = ['One', 'Two'];
      const answers = await atOnce(2, (to, index) => to.change(user, { rename: { passkey: id, name: names[index] } }));
      expect(countDone(answers)).toBe(2);
      expect(names).toContain((await readMethods()).passkeys[0]?.name);
    });

    it('has one set of recovery codes', async () => {
      await addCodeApp();
      const answers = await atOnce(40, (to) => to.change(user, { recoveryCodes: 'new' }));
      expect(countDone(answers)).toBeGreaterThan(0);
      const sql = 'SELECT salt FROM recovery_codes WHERE user_id = ?';
      const rows = await organization.deps.database.query<{ salt: Buffer }>(sql, [bytesOf(user)]);
      expect([rows.length, new Set(rows.map(({ salt }) => salt.toString('hex'))).size]).toEqual([10, 1]);
    });

    it('takes one of several new passwords', async () => {
      const texts = Array.from({ length: 8 }, (_, index) => `a-password-of-race-${index}`);
      const answers = await atOnce(8, (to, index) =>
        to.change(user, { password: { old: password, new: texts[index] } }),
      );
      expect(countDone(answers)).toBe(1);
      const won = texts[answers.findIndex(({ outcome }) => outcome === 'done')];
      expect(await checkPassword(won)).toBe('verified');
    });

    it('loses no member of a profile that changes', async () => {
      const members = ['nickname', 'middleName', 'birthdate', 'website'] as const;
      const values = { nickname: 'N', middleName: 'M', birthdate: '1985', website: 'https://example.com/' };
      await atOnce(40, (to, index) => {
        const name = members[index % members.length] as (typeof members)[number];
        const changes = { [name]: values[name] };
        return to.post(directoryPaths.profileChanges, { ...proven(user), changes });
      });
      expect(await readRecord()).toMatchObject(values);
    });
  });

  describe('in the audit trail', () => {
    const findEvent = async (type: string) =>
      (await administrator.listEvents(user)).find((event) => event.type === type);
    const byUser = () => {
      const party = { kind: 'user', id: user.id, name: user.username };
      return { actor: party, subject: party, address, request: 'request-of-the-user' };
    };

    it('has what the user did to methods, with address and request, and no secret', async () => {
      const { id } = await addPasskey();
      const removed = await addPasskey();
      const before = await addCodeApp();
      await change({ rename: { passkey: id, name: 'Hush phone' } });
      await remove({ passkey: removed.id });
      const { recoveryCodes = [] } = await change({ recoveryCodes: 'new' });
      await remove({ codeApp: true });
      await remove({ password: true });
      for (const [type, details] of [
        ['passkey.renamed', { passkey: id }],
        ['passkey.removed', { passkey: removed.id }],
        ['recovery_codes.made', {}],
        ['code_app.removed', {}],
        ['password.removed', {}],
      ] as const) {
        expect(await findEvent(type)).toMatchObject({ ...byUser(), outcome: 'succeeded', details });
      }
      const text = JSON.stringify(await administrator.listEvents(user));
      for (const code of [...before, ...recoveryCodes]) expect(text).not.toContain(code.slice(0, 9));
      for (const hush of ['Hush phone', secret, password]) expect(text).not.toContain(hush);
    });

    it('has changes of a password, and wrong old ones, without any password', async () => {
      await setPassword(newPassword, 'a-wrong-old-password');
      await setPassword('short');
      await setPassword(newPassword);
      expect(await findEvent('user.password_change_refused')).toMatchObject({
        ...{ ...byUser(), outcome: 'refused', reason: 'wrong_credentials' },
      });
      expect(await findEvent('user.password_changed')).toMatchObject({ ...byUser(), outcome: 'succeeded' });
      const events = await administrator.listEvents(user);
      expect(events.map(({ type }) => type).sort()).toEqual(['user.password_change_refused', 'user.password_changed']);
      for (const hush of [password, newPassword, 'a-wrong-old-password', 'short']) {
        expect(JSON.stringify(events)).not.toContain(hush);
      }
    });

    it('has the members of the profile that changed, without their values', async () => {
      await changeProfile({ nickname: 'Hush name', timezone: 'Europe/Zurich' });
      const details = { fields: ['nickname', 'timezone'] };
      expect(await findEvent('user.profile_changed')).toMatchObject({ ...byUser(), outcome: 'succeeded', details });
      expect(JSON.stringify(await administrator.listEvents(user))).not.toMatch(/Hush|Zurich/);
    });

    it('has nothing of what was not done', async () => {
      const { id } = await addPasskey({ verifies: false });
      const before = await administrator.listEvents(user);
      await remove({ password: true });
      await remove({ passkey: user.id });
      await change({ rename: { passkey: user.id, name: 'x' } });
      await change({ password: { new: 'short', old: password } });
      await changeProfile({});
      await changeProfile({ gender: 'x', nickname: 'x' });
      user = { ...user, passwordChangedAt: 1 };
      await remove({ passkey: id });
      expect(await administrator.listEvents(user)).toEqual(before);
    });
  });

  describe('as the user sees it', () => {
    it('has the record, the methods and the rules, and no secret', async () => {
      const { username } = user;
      await asAdministrator('PATCH', '', { nickname: 'Uschi', phoneNumber: '+41446681800', phoneNumberVerified: true });
      await addPasskey();
      await addCodeApp();
      const details = `user/allDetails/userId/${encodeURIComponent(username)}`;
      const account = await describeAccount();
      expect(account).toEqual({
        user: (await administrator.send('GET', details)).json<UserDetails>(),
        methods: await readMethods(),
        identities: [],
        mayChange: usersMayChange,
        passwordMinLength: 15,
      });
      expect(account.user).toMatchObject({ username, nickname: 'Uschi', phoneNumberVerified: true });
      expect(account.methods).toMatchObject({ passkeys: [{}], codeApp: {}, secondStep: true });
      expect(JSON.stringify(account)).not.toMatch(/argon2|[hH]ash|publicKey|secret/);
    });

    it.each(['nobody', '01890000-0000-7000-8000-000000000000'])('is none of an unknown user: %s', async (userId) => {
      const events = { from: 0, limit: 10 };
      expect(await directory.post(directoryPaths.accountData, { userId, events })).toEqual({});
    });

    it('has what the user did and what was done to the user, the newest first', async () => {
      user = await organization.addUser({
        username: `clerk${users}@example.com`,
        password,
        roles: ['SystemAdministrator'],
      });
      const other = await organization.addUser({ username: `other-person${users}@example.com` });
      await asAdministrator('PATCH', '', { firstName: 'Ada' });
      organization.time.now += minute;
      await changeProfile({ nickname: 'A' });
      await administrator.ofUser(other, 'PATCH', '', { firstName: 'Bea' });
      organization.time.now += minute;
      const headers = bearer(await organization.accessToken(user));
      const url = `/organization/api/organization/user/userId/${other.username}`;
      await organization.app.inject({ method: 'DELETE', url, headers });
      const { events = [] } = await describeAccount({ from: 0, limit: 100 });
      const party = { kind: 'user', id: user.id, name: user.username };
      expect(events).toMatchObject([
        { type: 'user.deleted', actor: party, subject: { id: other.id } },
        { type: 'user.profile_changed', actor: party, subject: party, address },
        { type: 'user.changed', actor: { name: 'administrator@example.com' }, subject: party },
      ]);
      expect(events[0]?.time).toBe(new Date(organization.time.now).toISOString());
    });

    it('has events by pages, and from an instant on', async () => {
      const starts: number[] = [];
      for (const nickname of ['A', 'B', 'C', 'D', 'E']) {
        organization.time.now += minute;
        starts.push(organization.time.now);
        await changeProfile({ nickname });
      }
      const all = (await describeAccount({ from: 0, limit: 100 })).events ?? [];
      expect(all.map(({ time }) => Date.parse(time))).toEqual(starts.toReversed());
      const pages: unknown[][] = [];
      let after: string | undefined;
      for (let turn = 0; turn < 4; turn += 1) {
        const { events = [] } = await describeAccount({ from: 0, limit: 2, ...(after && { after }) });
        pages.push(events);
        after = events.at(-1)?.id ?? after;
      }
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 1, 0]);
      expect(pages.flat()).toEqual(all);
      const later = await describeAccount({ from: starts[3], limit: 100 });
      expect(later.events).toEqual(all.slice(0, 2));
    });

    it.each([{ from: 0, limit: 0 }, { from: 0, limit: 1001 }, { limit: 10 }, { from: 0.5, limit: 1 }])(
      'is not shown with events %j',
      async (events) => {
        const answer = await directory.send(directoryPaths.accountData, { userId: user.id, events });
        expect(answer.statusCode).toBe(400);
      },
    );
  });

  describe('of a profile', () => {
    const values = {
      ...{ firstName: 'Ada', middleName: 'Maria', lastName: 'Ünal', nickname: 'Uschi 😀' },
      ...{ profile: 'https://people.example.com/ada', picture: 'https://people.example.com/ada.png' },
      ...{ website: 'https://ada.example.com', birthdate: '0000-02-29', locale: 'de-CH', timezone: 'Europe/Zurich' },
      ...{ phoneNumber: '+41446681801', address: { formatted: '1 Example Way\n8001 Zürich', country: 'Switzerland' } },
    };
    const always: Partial<typeof values> = { firstName: '', lastName: '', locale: 'en', timezone: 'UTC' };

    it('has each member that users may change here in its list', () => {
      expect(Object.keys(values).sort()).toEqual([...usersMayChange].sort());
    });

    it.each(Object.entries(values))('takes %s', async (name, value) => {
      const changedAt = organization.time.now;
      const done = { outcome: 'done', user: { [name]: value, passwordChangedAt: user.passwordChangedAt } };
      expect(await changeProfile({ [name]: value })).toMatchObject(done);
      expect(await readRecord()).toMatchObject({ [name]: value, updatedAt: new Date(changedAt).toISOString() });
    });

    it.each(Object.keys(values).filter((name) => !(name in always)))('removes %s by null', async (name) => {
      const before = await readRecord();
      await changeProfile(values);
      const answer = await changeProfile({ [name]: null });
      expect(answer).toMatchObject({ outcome: 'done' });
      expect(answer.user).not.toHaveProperty(name);
      const after: Partial<UserDetails> = await readRecord();
      expect(after).not.toHaveProperty(name);
      const { [name as 'nickname']: _removed, ...others } = values;
      expect(after).toMatchObject(others);
      expect(before).not.toHaveProperty(name);
    });

    it.each(Object.keys(always))('always has %s, so null is refused', async (name) => {
      expect(await changeProfile({ [name]: null })).toEqual({ outcome: 'refused', fields: [name] });
      expect(await readRecord()).toMatchObject(always);
    });

    it('takes several members at once, and none', async () => {
      expect(await changeProfile(values)).toMatchObject({
        outcome: 'done',
        user: { id: user.id, nickname: 'Uschi 😀' },
      });
      const before = await readRecord();
      expect(before).toMatchObject(values);
      expect(await changeProfile({})).toMatchObject({ outcome: 'done', user: { id: user.id } });
      expect(await readRecord()).toEqual(before);
    });

    it.each<[string, unknown]>([
      ['gender', 'female'],
      ['email', 'other@example.com'],
      ['emailVerified', true],
      ['phoneNumberVerified', true],
      ['roles', ['SystemAdministrator']],
      ['enabled', false],
      ['organization', 'Another'],
      ['username', 'other@example.com'],
      ['passwordHash', 'x'],
      ['id', '01890000-0000-7000-8000-000000000000'],
      ['constructor', 'x'],
    ])('does not take %s, nor anything with it', async (name, value) => {
      const before = await readUser();
      const changes = { nickname: 'lost', [name]: value };
      expect(await changeProfile(changes)).toEqual({ outcome: 'refused', fields: [name] });
      expect(await readUser()).toEqual(before);
    });

    it.each<[string, unknown]>([
      ['timezone', 'Mars/Base'],
      ['timezone', 'UTC '],
      ['locale', 'not a language'],
      ['firstName', 'two\nlines'],
      ['nickname', 'a bell \u0007'],
      ['nickname', ''],
      ['nickname', 5],
      ['website', 'http://example.com'],
      ['picture', 'https://user@example.com/'],
      ['birthdate', '1985-02-29'],
      ['phoneNumber', '044 668 18 00'],
      ['phoneNumber', '+0'],
      ['address', {}],
      ['address', 'Zurich'],
      ['address', { planet: 'Mars' }],
    ])('does not take %s where it is %j', async (name, value) => {
      expect(await changeProfile({ lastName: 'lost', [name]: value })).toEqual({ outcome: 'refused', fields: [name] });
      expect(await readUser()).toEqual(user);
    });

    it('does not take what is too long', async () => {
      const tooLong = {
        ...{ firstName: 'x'.repeat(256), nickname: '😀'.repeat(256), timezone: 'x'.repeat(65), locale: 'x'.repeat(36) },
        ...{ picture: `https://example.com/${'x'.repeat(2048)}`, phoneNumber: '+1234567890123456' },
        address: { formatted: 'x'.repeat(1025) },
      };
      const { outcome, fields } = await changeProfile(tooLong);
      expect([outcome, new Set(fields as string[])]).toEqual(['refused', new Set(Object.keys(tooLong))]);
      expect(await readUser()).toEqual(user);
    });

    it('names every member that is at fault', async () => {
      const { fields } = await changeProfile({ gender: 'x', nickname: '', timezone: 'Mars/Base', locale: 'en' });
      expect(fields).toEqual(expect.arrayContaining(['gender', 'nickname', 'timezone']));
      expect(fields).toHaveLength(3);
    });

    it('has a phone number that is not verified after the user changed it', async () => {
      const verified = { phoneNumber: '+41446681800', phoneNumberVerified: true };
      expect(await asAdministrator('PATCH', '', verified)).toBe(200);
      await changeProfile({ phoneNumber: '+41446681800' });
      expect(await readRecord()).toMatchObject(verified);
      await changeProfile({ phoneNumber: '+41446681801' });
      expect(await readRecord()).toMatchObject({ phoneNumber: '+41446681801', phoneNumberVerified: false });
      await changeProfile({ phoneNumber: null });
      expect(await readRecord()).not.toHaveProperty('phoneNumberVerified');
    });

    it('has an address that is replaced as a whole', async () => {
      await changeProfile({ address: values.address });
      await changeProfile({ address: { locality: 'Bern' } });
      expect((await readRecord()).address).toEqual({ locality: 'Bern' });
    });
  });
});
