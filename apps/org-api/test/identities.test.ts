import { directoryPaths, type Identity } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import {
  type AdministratorRequests,
  type Answer,
  asksForMore,
  bytesOf,
  createPasskey,
  type DirectoryRequests,
  familiarBrowserOf,
  holdStatement,
  proven,
} from './support/methods.ts';
import { bearer, type Organization } from './support/organization.ts';
import { describeSignIn, issuer, startAtTwoReplicas } from './support/upstream-sign-ins.ts';

const password = 'a-password-of-identities';
const hour = 3_600_000;
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const linkedSubject = 'An account elsewhere can sign you in now';
const removedSubject = 'An account elsewhere was unlinked';
const unknown = { outcome: 'unknown' };
const changed = { outcome: 'changed' };
const refused = (fault: string) => ({ outcome: 'refused', fault });

let names = 0;
const nextName = () => {
  names += 1;
  return `member${names}`;
};

interface Account {
  issuer: string;
  subject: string;
}

describe.each(testDialects)('identities on %s', (dialect) => {
  let started: Awaited<ReturnType<typeof startAtTwoReplicas>>;
  let mailed: typeof started.mailed;
  let organization: Organization;
  let directory: DirectoryRequests;
  let replicas: DirectoryRequests[];
  let administrator: AdministratorRequests;
  let user: User;
  let account: Account;

  beforeAll(async () => {
    started = await startAtTwoReplicas(dialect);
    ({ mailed, organization, directory, replicas, administrator } = started);
  });
  afterAll(() => started?.close());
  beforeEach(async () => {
    organization.time.now += 24 * hour;
    user = await addPerson();
    account = accountOf(user);
    // Nothing happens in the millisecond in which the user was made.
    organization.time.now += 60_000;
  });

  const addPerson = (more: object = {}) =>
    organization.addUser({ username: `${nextName()}@example.com`, password, emailVerified: true, ...more });
  const accountOf = ({ username }: User, at = issuer): Account => ({ issuer: at, subject: `subject of ${username}` });
  const signIn = (of: Account = account, more: object = {}, by = directory) =>
    by.post(directoryPaths.upstreamSignIns, describeSignIn(of, more));
  const link = (
    to: User = user,
    of: Account = account,
    { beganAt = organization.time.now - 60_000, ...more }: { beganAt?: number; [member: string]: unknown } = {},
    by = directory,
  ) => {
    const { id: userId, passwordChangedAt } = to;
    return signIn(of, { beganAt, link: { userId, passwordChangedAt, ...more } }, by);
  };
  const linked = async (to: User = user, of: Account = account): Promise<string> => {
    const answer = await link(to, of);
    expect(answer).toMatchObject({ outcome: 'verified' });
    return String(answer.identityId);
  };
  const remove = (method: object, more: object = { enabledIssuers: [issuer] }) =>
    directory.change(user, { remove: method, ...more });
  const list = async (of: User = user) =>
    (await administrator.ofUser(of, 'GET', '/identities')).json<{ identities: Identity[] }>().identities;
  const unlink = async (id: string, of: User = user) => {
    const answer = await administrator.ofUser(of, 'DELETE', `/identities/${id}`);
    return [answer.statusCode, answer.statusCode === 204 ? '' : answer.json<{ detail: string }>().detail];
  };
  const readUser = async (of: User = user) => (await organization.deps.users.findById(of.id)) as User;
  /** The user as auth-server finds it. */
  const findAsServer = async () => {
    const { users } = (await directory.post(directoryPaths.userQueries, { ids: [user.id] })) as {
      users?: { identities?: string[]; updatedAt: number }[];
    };
    return users?.[0];
  };
  const eventsOf = async (type: string) =>
    (await administrator.listEvents(user)).filter((event) => event.type === type);
  const takeMail = async (subject: string) =>
    (await mailed.takeMails(user.email)).find((mail) => mail.subject === subject);
  const countRows = async (where: string, values: unknown[]) => {
    const sql = `SELECT COUNT(*) AS found FROM identities WHERE ${where}`;
    return Number((await organization.deps.database.query<{ found: number }>(sql, values))[0]?.found);
  };
  const outcomesOf = (answers: readonly Answer[]) =>
    answers.map(({ outcome, fault }) => String(fault ?? outcome)).sort();

  describe('of an account that nobody linked', () => {
    it('are unknown, also where a user has its address, and no user is made or changed', async () => {
      const shown = { shown: user.email };
      const before = await readUser();
      expect(await directory.post(directoryPaths.upstreamSignIns, describeSignIn({ ...account, ...shown }))).toEqual(
        unknown,
      );
      expect([await readUser(), await list()]).toEqual([before, []]);
      expect(await findAsServer()).not.toHaveProperty('identities');
    });

    it('take one statement on one table to read a user, and none on theirs', async () => {
      const { database } = organization.deps;
      const { query } = database;
      const statements: string[] = [];
      database.query = (sql, values) => {
        statements.push(sql);
        return query.call(database, sql, values) as never;
      };
      // The filler of search terms may read meanwhile, which only adds: the fewest of three count.
      const countFewest = async (form: RegExp): Promise<number> => {
        const counts: number[] = [];
        for (let tries = 0; tries < 3; tries += 1) {
          statements.length = 0;
          await readUser();
          counts.push(statements.filter((sql) => form.test(sql)).length);
        }
        return Math.min(...counts);
      };
      try {
        expect(await countFewest(/^SELECT user_id, id FROM identities/)).toBe(0);
        expect(await countFewest(/^SELECT .* FROM users WHERE id IN/)).toBe(1);
        await linked();
        expect(await countFewest(/^SELECT user_id, id FROM identities/)).toBe(1);
      } finally {
        database.query = query;
      }
    });
  });

  describe('that a user links', () => {
    it('sign in, are listed, and are told: a new version of the user, an event, a mail', async () => {
      const before = await readUser();
      const answer = await link();
      const id = String(answer.identityId);
      expect(answer).toEqual({
        outcome: 'verified',
        identityId: id,
        user: expect.objectContaining({ id: user.id, username: user.username, identities: [id] }),
      });
      expect((await findAsServer())?.identities).toEqual([id]);
      expect((await readUser()).updatedAt).toBeGreaterThan(before.updatedAt);
      const listed = { id, issuer, upstream: 'example', subject: account.subject, linkedAt: isoTime };
      expect(await list()).toEqual([listed]);
      organization.time.now += 1_000;
      const again = await signIn();
      expect(again).toMatchObject({ outcome: 'verified', identityId: id, user: { id: user.id } });
      expect(again).not.toHaveProperty('secondStep');
      const lastUsedAt = new Date(organization.time.now).toISOString();
      expect(await list()).toEqual([{ ...listed, lastUsedAt }]);
      expect(await eventsOf('identity.linked')).toEqual([
        expect.objectContaining({
          actor: { kind: 'user', id: user.id, name: user.username },
          subject: { kind: 'user', id: user.id, name: user.username },
          details: { issuer, upstream: 'example' },
        }),
      ]);
      const mail = await takeMail(linkedSubject);
      for (const words of ['Example Login', 'someone@example.net', 'Firefox on Linux', '192.0.2.', 'unlink it']) {
        expect(mail?.text).toContain(words);
      }
    });

    it('do so once: the same account again is verified, without another event or mail', async () => {
      const id = await linked();
      await takeMail(linkedSubject);
      expect(await link()).toMatchObject({ outcome: 'verified', identityId: id });
      expect([await eventsOf('identity.linked'), await takeMail(linkedSubject)]).toEqual([
        [expect.anything()],
        undefined,
      ]);
    });

    it('are told in the language of the user, and as plain text whatever the account is called', async () => {
      const german = await addPerson({ locale: 'de' });
      const shown = 'a\r\nb\u202ec\ud83d';
      const { id: userId, passwordChangedAt } = german;
      const body = describeSignIn({ ...accountOf(german), ...{ shown } });
      await directory.post(directoryPaths.upstreamSignIns, {
        ...body,
        link: { userId, passwordChangedAt },
      });
      const [mail] = await mailed.takeMails(german.email);
      expect(mail?.subject).toBe('Ein Konto bei einem anderen Dienst kann Sie jetzt anmelden');
      expect(mail?.text).toContain('a  b c ');
    });

    it('are not linked where the password changed, or the user is disabled, gone or a Robot', async () => {
      const robot = await organization.addUser({ username: `${nextName()}@example.com`, userType: 'Robot' });
      const disabled = await addPerson({ enabled: false });
      const gone = await addPerson();
      await administrator.ofUser(gone, 'DELETE');
      expect(await link(user, account, { passwordChangedAt: user.passwordChangedAt - 1 })).toEqual(changed);
      for (const other of [robot, disabled, gone]) expect(await link(other)).toEqual(changed);
      expect(await signIn()).toEqual(unknown);
    });

    it('are not linked where the password changes between check and statement', async () => {
      const held = holdStatement(organization, /^INSERT INTO identities/);
      const linking = link();
      await held.reached;
      await administrator.ofUser(user, 'PUT', '/password', { password: 'another-password-of-identities' });
      held.release();
      expect(await linking).toEqual(changed);
      expect(await signIn()).toEqual(unknown);
    });

    it('belong to one user alone', async () => {
      const other = await addPerson();
      await linked();
      expect(await link(other)).toEqual(refused('other_user'));
      expect(await signIn()).toMatchObject({ user: { id: user.id } });
    });

    it('are one an issuer, compared exactly', async () => {
      await linked();
      expect(await link(user, { ...account, subject: 'another' })).toEqual(refused('same_issuer'));
      await linked(user, { ...account, issuer: `${issuer}/` });
      await linked(user, { ...account, issuer: issuer.toUpperCase() });
      expect(await signIn({ ...account, subject: account.subject.toUpperCase() })).toEqual(unknown);
      expect(await signIn({ ...account, subject: `${account.subject} ` })).toEqual(unknown);
      expect(await list()).toHaveLength(3);
    });

    it('are ten at most, also at the same moment at two replicas', async () => {
      const answers = await Promise.all(
        Array.from({ length: 14 }, (_, index) =>
          link(user, accountOf(user, `${issuer}/${index}`), {}, replicas[index % 2] as DirectoryRequests),
        ),
      );
      expect(outcomesOf(answers)).toEqual([...Array(4).fill('too_many'), ...Array(10).fill('verified')]);
      expect(await list()).toHaveLength(10);
      const [one] = await list();
      expect(await unlink(one?.id ?? '')).toEqual([204, '']);
      await linked(user, accountOf(user, `${issuer}/new`));
    });

    it('go to one of several users who link one account at the same moment', async () => {
      const people = await Promise.all(Array.from({ length: 8 }, () => addPerson()));
      const answers = await Promise.all(
        people.map((one, index) => link(one, account, {}, replicas[index % 2] as DirectoryRequests)),
      );
      expect(outcomesOf(answers)).toEqual([...Array(7).fill('other_user'), 'verified']);
    });

    it('are one where a user links one account, or one issuer, several times at the same moment', async () => {
      const same = await Promise.all(replicas.map((by) => link(user, account, {}, by)));
      expect(outcomesOf(same)).toEqual(['verified', 'verified']);
      const other = await addPerson();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          link(other, { issuer, subject: `${other.id} ${index}` }, {}, replicas[index % 2] as DirectoryRequests),
        ),
      );
      expect(outcomesOf(answers)).toEqual([...Array(5).fill('same_issuer'), 'verified']);
    });
  });

  describe('of a user who signs in by one', () => {
    it('demand the second step, as a right password does', async () => {
      await linked();
      await directory.addPasskey(user, createPasskey());
      const { methodsVersion } = await readUser();
      const check = { password, ...asksForMore };
      expect(await directory.checkPassword(user, check)).toMatchObject({ secondStep: { methodsVersion } });
      expect(await signIn()).toMatchObject({ outcome: 'verified', secondStep: { methodsVersion } });
    });

    it('say so where the user is disabled, and note no use', async () => {
      await linked();
      await administrator.ofUser(user, 'PATCH', '', { enabled: false });
      expect(await signIn()).toMatchObject({ outcome: 'verified', user: { id: user.id, enabled: false } });
      expect((await list())[0]).not.toHaveProperty('lastUsedAt');
    });

    it('tell of a sign-in at a new place, not at a familiar one, nor before the second step', async () => {
      const subject = 'New sign-in to your account';
      await linked();
      await takeMail(linkedSubject);
      await signIn(account, { knownBrowsers: [familiarBrowserOf(user)] });
      expect(await takeMail(subject)).toBeUndefined();
      await signIn(account, { address: '198.51.100.1' });
      expect(await takeMail(subject)).toBeDefined();
      organization.time.now += 25 * hour;
      await signIn(account, { address: '198.51.100.1' });
      expect(await takeMail(subject)).toBeUndefined();
      await directory.addPasskey(user, createPasskey());
      await mailed.takeMails(user.email);
      await signIn(account, { address: '203.0.113.9' });
      expect(await takeMail(subject)).toBeUndefined();
    });

    it('tell of a new place, and know it then, where no second step follows there', async () => {
      const subject = 'New sign-in to your account';
      await linked();
      await directory.addPasskey(user, createPasskey());
      const isTold = async (more: object) => {
        organization.time.now += 25 * hour;
        await mailed.takeMails(user.email);
        expect(await signIn(account, more)).toMatchObject({ outcome: 'verified' });
        return (await takeMail(subject)) !== undefined;
      };
      const there = { address: '203.0.113.10', reachesMfa: true };
      expect([await isTold(there), await isTold(there)]).toEqual([true, false]);
    });

    it('make no place known of a user who has to set a second step up', async () => {
      const subject = 'New sign-in to your account';
      await linked();
      const isTold = async (more: object) => {
        organization.time.now += 25 * hour;
        await mailed.takeMails(user.email);
        await signIn(account, { address: '203.0.113.11', secondStepFor: ['everybody'], ...more });
        return (await takeMail(subject)) !== undefined;
      };
      expect([await isTold({}), await isTold({}), await isTold({ reachesMfa: true })]).toEqual([true, true, true]);
      expect([await isTold({}), await isTold({ secondStepFor: ['SystemAdministrator'] })]).toEqual([false, false]);
    });

    it('are void with the user, also where they were linked while it was deleted', async () => {
      await linked();
      expect((await administrator.ofUser(user, 'DELETE')).statusCode).toBe(204);
      expect(await countRows('user_id = ?', [bytesOf(user)])).toBe(0);
      const late = await addPerson();
      await linked(late, accountOf(late));
      await organization.deps.database.execute('DELETE FROM users WHERE id = ?', [bytesOf(late)]);
      expect(await signIn(accountOf(late))).toEqual(unknown);
      expect(await countRows('user_id = ?', [bytesOf(late)])).toBe(0);
      await linked(await addPerson(), account);
    });
  });

  describe('that are unlinked', () => {
    it('by an administrator sign nobody in: a new version of the user, an event, a mail', async () => {
      const id = await linked();
      const before = await readUser();
      organization.time.now += 1_000;
      expect(await unlink(id)).toEqual([204, '']);
      expect([await signIn(), await list()]).toEqual([unknown, []]);
      expect(await findAsServer()).not.toHaveProperty('identities');
      const after = await readUser();
      expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
      expect(after.passwordChangedAt).toBe(before.passwordChangedAt);
      expect(await eventsOf('identity.unlinked')).toEqual([
        expect.objectContaining({
          actor: expect.objectContaining({ name: 'administrator@example.com' }),
          subject: { kind: 'user', id: user.id, name: user.username },
          details: { issuer, upstream: 'example' },
        }),
      ]);
      const mail = await takeMail(removedSubject);
      for (const words of ['Example Login', 'someone@example.net']) expect(mail?.text).toContain(words);
      expect(mail?.text).not.toContain('Network:');
    });

    it('by their user likewise', async () => {
      const id = await linked();
      expect(await remove({ identity: id }, {})).toMatchObject({ outcome: 'done', user: { id: user.id } });
      expect([await signIn(), await list()]).toEqual([unknown, []]);
      expect(await eventsOf('identity.unlinked')).toEqual([
        expect.objectContaining({
          actor: { kind: 'user', id: user.id, name: user.username },
          details: { issuer, upstream: 'example' },
        }),
      ]);
      expect((await takeMail(removedSubject))?.text).toContain('Network:');
      expect(await remove({ identity: id })).toEqual(changed);
    });

    it('are linked again by an attempt that began afterwards alone, under another id', async () => {
      const id = await linked();
      const other = await addPerson();
      await unlink(id);
      const unlinkedAt = organization.time.now;
      for (const to of [user, other]) {
        for (const beganAt of [unlinkedAt - 1, unlinkedAt]) {
          expect(await link(to, account, { beganAt })).toEqual(refused('unlinked'));
        }
      }
      expect(await link(other, account, { beganAt: unlinkedAt + 1 })).toMatchObject({ user: { id: other.id } });
      const [again] = await list(other);
      expect(again?.id).not.toBe(id);
      expect(await signIn()).toMatchObject({ identityId: again?.id, user: { id: other.id } });
      expect(await link(user, account, { beganAt: unlinkedAt + 2 })).toEqual(refused('other_user'));
    });

    it('are linked by what a replica of auth-server of before says, which names the begin with the user', async () => {
      await unlink(await linked());
      const unlinkedAt = organization.time.now;
      const linkSince = (beganAt: number) =>
        signIn(account, {
          beganAt: undefined,
          link: { userId: user.id, passwordChangedAt: user.passwordChangedAt, beganAt },
        });
      expect(await linkSince(unlinkedAt)).toEqual(refused('unlinked'));
      expect(await linkSince(unlinkedAt + 1)).toMatchObject({ user: { id: user.id } });
    });

    it('go to one of several who link one again at the same moment', async () => {
      await unlink(await linked());
      const people = await Promise.all(Array.from({ length: 6 }, () => addPerson()));
      organization.time.now += 120_000;
      const answers = await Promise.all(
        people.map((one, index) => link(one, account, {}, replicas[index % 2] as DirectoryRequests)),
      );
      expect(outcomesOf(answers).filter((outcome) => outcome === 'verified')).toHaveLength(1);
      expect(await countRows('subject = ? AND user_id IS NOT NULL', [account.subject])).toBe(1);
    });

    it('expire after an hour; those that are linked do not', async () => {
      const other = await addPerson();
      await linked(other, accountOf(other));
      await unlink(await linked());
      expect(await countRows('expires_at = ? AND user_id IS NULL', [organization.time.now + hour])).toBe(1);
      expect(await countRows('expires_at IS NULL AND user_id = ?', [bytesOf(other)])).toBe(1);
    });

    it('are those that there are, of this user: 404', async () => {
      const other = await addPerson();
      const id = await linked(other, accountOf(other));
      const none = [404, 'this user has no such identity'];
      expect([await unlink(id), await unlink('none'), await unlink(user.id)]).toEqual([none, none, none]);
      expect(await remove({ identity: id })).toEqual(changed);
      expect(await list(other)).toHaveLength(1);
    });
  });

  describe('as ways to sign in:', () => {
    const takePassword = async () => {
      expect(await remove({ password: true })).toMatchObject({ outcome: 'done' });
      user = await readUser();
    };

    it('the password goes where one of an enabled upstream is left, and a new one is set', async () => {
      await linked();
      expect(await remove({ password: true }, {})).toEqual(refused('last_way_in'));
      expect(await remove({ password: true }, { enabledIssuers: ['https://other.example.net'] })).toEqual(
        refused('last_way_in'),
      );
      await takePassword();
      expect(user).toMatchObject({ passwordHash: undefined, secondStep: false });
      const signedIn = await signIn();
      expect(signedIn).toMatchObject({ outcome: 'verified', user: { secondStep: false } });
      expect(signedIn).not.toHaveProperty('secondStep');
      expect(await directory.checkPassword(user, { password })).toMatchObject({ outcome: 'wrong' });
      expect(await directory.change(user, { password: { new: 'a-first-password-of-old' } })).toMatchObject({
        outcome: 'done',
        user: { passwordChangedAt: user.passwordChangedAt },
      });
      expect(await directory.checkPassword(user, { password: 'a-first-password-of-old' })).toMatchObject({
        outcome: 'verified',
      });
    });

    it('the password of a user with a second step goes likewise, and the second step stays', async () => {
      await linked();
      await directory.addCodeApp(user);
      await takePassword();
      expect(user).toMatchObject({ passwordHash: undefined, secondStep: true });
      expect(await signIn()).toMatchObject({ secondStep: { methodsVersion: user.methodsVersion } });
      expect(await remove({ codeApp: true })).toMatchObject({ outcome: 'done', user: { secondStep: false } });
    });

    it('the last passkey goes where one is left', async () => {
      await linked();
      await directory.addPasskey(user, createPasskey());
      await takePassword();
      const [passkey] = (await administrator.readMethods(user)).passkeys;
      expect(await remove({ passkey: passkey?.id }, {})).toEqual(refused('last_way_in'));
      expect(await remove({ passkey: passkey?.id })).toMatchObject({ outcome: 'done', user: { secondStep: false } });
    });

    it('the last one stays, for its user and for an administrator', async () => {
      const id = await linked();
      await takePassword();
      expect(await remove({ identity: id })).toEqual(refused('last_way_in'));
      expect(await unlink(id)).toEqual([409, 'this is the only way in which this user can sign in']);
      const other = accountOf(user, 'https://other.example.net');
      await linked(user, other);
      expect(await remove({ identity: id })).toEqual(refused('last_way_in'));
      expect(await remove({ identity: id }, { enabledIssuers: [issuer, other.issuer] })).toMatchObject({
        outcome: 'done',
      });
      expect(await signIn(other)).toMatchObject({ outcome: 'verified' });
    });

    it('none is one for a SystemAdministrator, who keeps a password or a passkey', async () => {
      await linked();
      await administrator.ofUser(user, 'PATCH', '', { roles: ['SystemAdministrator'] });
      user = await readUser();
      expect(await remove({ password: true })).toEqual(refused('last_way_in'));
    });

    it('of two changes at the same moment one passes, so that one way is left', async () => {
      const id = await linked();
      const held = holdStatement(organization, /^UPDATE identities SET user_id = NULL/);
      const unlinking = remove({ identity: id });
      await held.reached;
      const removal = { remove: { password: true }, enabledIssuers: [issuer] };
      expect(await replicas[1]?.change(user, removal)).toMatchObject({ outcome: 'done' });
      held.release();
      expect(await unlinking).toEqual(changed);
      expect((await readUser()).passwordHash).toBeUndefined();
      expect(await signIn()).toMatchObject({ outcome: 'verified', identityId: id });
    });
  });

  describe('in the data of an account', () => {
    const describeAccount = async () =>
      (await directory.post(directoryPaths.accountData, { userId: user.id })).account as { identities?: Identity[] };

    it('are those of the user, or an empty list', async () => {
      expect((await describeAccount()).identities).toEqual([]);
      await linked();
      expect((await describeAccount()).identities).toEqual(await list());
    });
  });

  describe('at the interface of administrators', () => {
    const send = async (by: User, method: 'GET' | 'DELETE') => {
      const id = (await list())[0]?.id ?? '';
      const path = `/organization/api/organization/user/userId/${encodeURIComponent(user.username)}/identities`;
      return organization.app.inject({
        method,
        url: method === 'GET' ? path : `${path}/${id}`,
        headers: bearer(await organization.accessToken(by)),
      });
    };

    it('are for a SystemAdministrator alone, and kept nowhere', async () => {
      await linked();
      const reader = await addPerson({ roles: ['DirectoryReader'] });
      const idpAdministrator = await addPerson({ roles: ['IdpAdministrator'] });
      for (const by of [user, reader, idpAdministrator]) {
        for (const method of ['GET', 'DELETE'] as const) expect((await send(by, method)).statusCode).toBe(403);
      }
      expect(await list()).toHaveLength(1);
      const read = await administrator.ofUser(user, 'GET', '/identities');
      expect([read.statusCode, read.headers['cache-control']]).toEqual([200, 'no-store']);
    });

    it('are none of a Robot, and of nobody: 400 and 404', async () => {
      const robot = await organization.addUser({ username: `${nextName()}@example.com`, userType: 'Robot' });
      const statusOf = async (of: Pick<User, 'username'>) =>
        (await administrator.ofUser(of, 'GET', '/identities')).statusCode;
      expect([await statusOf(robot), await statusOf({ username: 'nobody@example.com' })]).toEqual([400, 404]);
    });
  });

  it.each([
    ['an issuer that is too long', { account: { issuer: 'i'.repeat(513) } }],
    ['a subject that is too long', { account: { subject: 's'.repeat(513) } }],
    ['an account without a subject', { account: { subject: undefined } }],
    ['a member that is not known', { email: 'user@example.com' }],
  ])('are asked for by well-formed questions: not %s', async (_what, change: Record<string, unknown>) => {
    const body: Record<string, unknown> = { ...describeSignIn(account), ...change };
    if (change.account !== undefined) body.account = { ...describeSignIn(account).account, ...change.account };
    expect((await directory.send(directoryPaths.upstreamSignIns, body)).statusCode).toBe(400);
  });

  it('are asked for by auth-server alone', async () => {
    const payload = describeSignIn(account, { link: proven(user) });
    const answer = await organization.app.inject({ method: 'POST', url: directoryPaths.upstreamSignIns, payload });
    expect(answer.statusCode).toBe(401);
  });
});
