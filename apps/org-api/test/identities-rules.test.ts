import { createId } from '@gatehouse/service-kit';
import { directoryPaths, type Identity } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import {
  type AdministratorRequests,
  type Answer,
  bytesOf,
  createPasskey,
  type DirectoryRequests,
  familiarBrowserOf,
  holdStatement,
} from './support/methods.ts';
import type { Organization } from './support/organization.ts';
import { describeSignIn, issuer, startAtTwoReplicas } from './support/upstream-sign-ins.ts';

const password = 'a-password-of-rules';
const hour = 3_600_000;
const linkedSubject = 'An account elsewhere can sign you in now';
const newSignInSubject = 'New sign-in to your account';
const unknown = { outcome: 'unknown' };
const verified = { outcome: 'verified' };
const noRules = { linksByEmail: false, createsUsers: false, sync: 'first', mappedGroups: [] };
const links = { ...noRules, linksByEmail: true };
const creates = { ...noRules, createsUsers: true };
const both = { ...links, ...{ createsUsers: true } };

let names = 0;
const next = (prefix: string) => {
  names += 1;
  return `${prefix}${names}`;
};

interface Event {
  type: string;
  actor: object;
  details?: object;
}

describe.each(testDialects)('accounts at upstreams by rules on %s', (dialect) => {
  let started: Awaited<ReturnType<typeof startAtTwoReplicas>>;
  let mailed: typeof started.mailed;
  let organization: Organization;
  let directory: DirectoryRequests;
  let replicas: DirectoryRequests[];
  let administrator: AdministratorRequests;
  let user: User;
  let subject: string;

  beforeAll(async () => {
    started = await startAtTwoReplicas(dialect);
    ({ mailed, organization, directory, replicas, administrator } = started);
  });
  afterAll(() => started?.close());
  beforeEach(async () => {
    organization.time.now += 24 * hour;
    user = await addPerson();
    subject = next('subject');
    // Nothing happens in the millisecond in which the user was made.
    organization.time.now += 60_000;
  });

  const addPerson = (more: object = {}) =>
    organization.addUser({ username: `${next('member')}@example.com`, password, emailVerified: true, ...more });
  const askedBy = (email: string | undefined, rules: object | undefined, account: object = {}) =>
    describeSignIn({ subject, ...(email !== undefined && { verifiedEmail: email }), ...account }, rules && { rules });
  /** A sign-in by an account whose verified address this is. */
  const signIn = (email: string | undefined, rules?: object, account: object = {}, by = directory) =>
    by.post(directoryPaths.upstreamSignIns, askedBy(email, rules, account));
  const linked = async (to = user, account: object = {}): Promise<User> => {
    const { id: userId, passwordChangedAt } = to;
    const link = { userId, passwordChangedAt };
    expect(
      await directory.post(directoryPaths.upstreamSignIns, { ...askedBy(undefined, undefined, account), link }),
    ).toMatchObject(verified);
    return readUser(to);
  };
  const readUser = async (of: Pick<User, 'id'> = user) => (await organization.deps.users.findById(of.id)) as User;
  const findUser = (username: string) => organization.deps.users.findByUsername(username);
  const change = async (of: User, changes: object) => {
    expect((await administrator.ofUser(of, 'PATCH', '', changes)).statusCode).toBe(200);
  };
  const list = async (of: Pick<User, 'username'> = user) =>
    (await administrator.ofUser(of, 'GET', '/identities')).json<{ identities: Identity[] }>().identities;
  const eventsOf = async (type: string, of: Pick<User, 'username'> = user) =>
    ((await administrator.listEvents(of)) as unknown as Event[]).filter((event) => event.type === type);
  const subjectsOf = async (email: string) => (await mailed.takeMails(email)).map((mail) => mail.subject);
  const countUsers = async () =>
    Number(
      (await organization.deps.database.query<{ found: number }>('SELECT COUNT(*) AS found FROM users'))[0]?.found,
    );
  const countIdentities = async () => {
    const sql = 'SELECT COUNT(*) AS found FROM identities WHERE subject = ?';
    return Number((await organization.deps.database.query<{ found: number }>(sql, [subject]))[0]?.found);
  };
  const usersOf = (answers: readonly Answer[]) => new Set(answers.map((answer) => answer.user?.id));

  describe('that link by address', () => {
    it('find the one user who has it, and tell of it: a version, an event, a mail, and a sign-in at a new place', async () => {
      const before = await readUser();
      const answer = await signIn(user.email, links);
      const id = String(answer.identityId);
      expect(answer).toMatchObject({ ...verified, user: { id: user.id, identities: [id] } });
      expect((await readUser()).updatedAt).toBeGreaterThan(before.updatedAt);
      expect(await list()).toEqual([
        expect.objectContaining({ id, issuer, subject, lastUsedAt: new Date(organization.time.now).toISOString() }),
      ]);
      expect(await eventsOf('identity.linked')).toEqual([
        expect.objectContaining({
          actor: { kind: 'user', id: user.id, name: user.username },
          details: { issuer, upstream: 'example' },
        }),
      ]);
      expect((await subjectsOf(user.email)).sort()).toEqual([linkedSubject, newSignInSubject]);
    });

    it('do so once: from then on issuer and subject decide, not the address', async () => {
      await signIn(user.email.toUpperCase(), links);
      const other = await addPerson();
      expect(await signIn(other.email, both)).toMatchObject({ ...verified, user: { id: user.id } });
      expect(await signIn(undefined)).toMatchObject({ ...verified, user: { id: user.id } });
      expect([await eventsOf('identity.linked'), await list(other)]).toEqual([[expect.anything()], []]);
    });

    it('demand the second step of the user, before which no place is known', async () => {
      await directory.addPasskey(user, createPasskey());
      await mailed.takeMails(user.email);
      expect(await signIn(user.email, links)).toMatchObject({ ...verified, secondStep: { methodsVersion: 1 } });
      expect(await subjectsOf(user.email)).toEqual([linkedSubject]);
    });

    it.each<[string, () => Promise<unknown>]>([
      [
        'is not verified here, so that a stranger may have made the account',
        () => change(user, { emailVerified: false }),
      ],
      ['is that of an administrator', () => change(user, { roles: ['SystemAdministrator'] })],
      ['is that of a user with another role', () => change(user, { roles: ['DirectoryReader'] })],
      ['is that of a disabled user', () => change(user, { enabled: false })],
      ['is that of two users', () => addPerson({ email: user.email.toUpperCase() })],
      ['is that of two users, one unverified', () => addPerson({ email: user.email, emailVerified: false })],
      ['is that of a user with an account of this issuer', () => linked(user, { subject: next('subject') })],
      [
        'is the username alone of a user',
        () => change(user, { email: `${next('other')}@example.com`, emailVerified: true }),
      ],
    ])('stay unknown where the address %s', async (_what, prepare) => {
      await prepare();
      const before = [await countUsers(), await readUser()];
      await mailed.takeMails(user.email);
      expect(await signIn(user.email, both)).toEqual(unknown);
      expect([await countUsers(), await readUser()]).toEqual(before);
      expect([await countIdentities(), await subjectsOf(user.email)]).toEqual([0, []]);
    });

    it('stay unknown where a Robot has the address', async () => {
      const robot = await organization.addUser({
        ...{ username: `${next('robot')}@example.com`, userType: 'Robot', emailVerified: true },
      });
      expect(await signIn(robot.email, both)).toEqual(unknown);
    });

    it('find the one enabled user of several with the address', async () => {
      await addPerson({ email: user.email, enabled: false });
      await organization.addUser({
        ...{ username: `${next('robot')}@example.com`, email: user.email, userType: 'Robot' },
      });
      expect(await signIn(user.email, links)).toMatchObject({ ...verified, user: { id: user.id } });
    });

    it('take no letter for another one, as folding does', async () => {
      const kim = await addPerson({ username: `kim${next('k')}@example.com` });
      expect(await signIn(kim.email.replace('k', '\u212a'), links)).toEqual(unknown);
      expect(await signIn(kim.email.replace('k', 'K'), links)).toMatchObject({ user: { id: kim.id } });
    });

    it.each<[string, object | undefined, boolean]>([
      ['no rule says so', noRules, true],
      ['there are no rules', undefined, true],
      ['the word of the upstream does not count', both, false],
    ])('stay unknown where %s', async (_what, rules, hasEmail) => {
      expect(await signIn(hasEmail ? user.email : undefined, rules)).toEqual(unknown);
      expect(await list()).toEqual([]);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['the user gets a role', () => change(user, { roles: ['IdpAdministrator'] })],
      ['the user gets another address', () => change(user, { email: `${next('other')}@example.com` })],
      ['the address is verified no more', () => change(user, { emailVerified: false })],
      ['the user is disabled', () => change(user, { enabled: false })],
      ['another user gets the address', () => addPerson({ email: user.email })],
    ])('stay unknown where, between look and statement, %s', async (_what, happen) => {
      const held = holdStatement(organization, /^INSERT INTO identities/);
      const signingIn = signIn(user.email, links);
      await held.reached;
      await happen();
      held.release();
      expect(await signingIn).toEqual(unknown);
      expect(await list()).toEqual([]);
    });

    it('stay unknown where the user gets a role meanwhile, also where the account was unlinked before', async () => {
      const { identityId } = await signIn(user.email, links);
      await administrator.ofUser(user, 'DELETE', `/identities/${String(identityId)}`);
      organization.time.now += 1;
      const held = holdStatement(organization, /^UPDATE identities SET id = /);
      const signingIn = signIn(user.email, links);
      await held.reached;
      await change(user, { roles: ['IdpAdministrator'] });
      held.release();
      expect(await signingIn).toEqual(unknown);
      expect(await list()).toEqual([]);
    });

    it('look again where the record changes in another way meanwhile', async () => {
      const held = holdStatement(organization, /^INSERT INTO identities/);
      const signingIn = signIn(user.email, links);
      await held.reached;
      await change(user, { firstName: 'Ursula' });
      held.release();
      expect(await signingIn).toMatchObject({ ...verified, user: { id: user.id, firstName: 'Ursula' } });
    });

    it('link one of several accounts of an issuer, and one account once, at the same moment at two replicas', async () => {
      const same = await Promise.all(
        Array.from({ length: 4 }, (_, index) => signIn(user.email, links, {}, replicas[index % 2])),
      );
      expect([usersOf(same), await list()]).toEqual([new Set([user.id]), [expect.anything()]]);
      const other = await addPerson();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          signIn(other.email, links, { subject: next('subject') }, replicas[index % 2]),
        ),
      );
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual([...Array(5).fill('unknown'), 'verified']);
      expect(await list(other)).toHaveLength(1);
    });

    it('are linked again once they were unlinked, under another id', async () => {
      const first = await signIn(user.email, links);
      const path = `/identities/${String(first.identityId)}`;
      expect((await administrator.ofUser(user, 'DELETE', path)).statusCode).toBe(204);
      expect(await signIn(user.email, noRules)).toEqual(unknown);
      organization.time.now += 1;
      const again = await signIn(user.email, links);
      expect(again).toMatchObject({ ...verified, user: { id: user.id } });
      expect(again.identityId).not.toBe(first.identityId);
    });

    it.each([
      ['link by address', links, () => user.email],
      ['make users', creates, () => `${next('later')}@example.com`],
    ] as const)('do not %s in a sign-in that began before the account was unlinked', async (_what, rules, emailOf) => {
      await linked();
      const [identity] = await list();
      expect((await administrator.ofUser(user, 'DELETE', `/identities/${identity?.id}`)).statusCode).toBe(204);
      const unlinkedAt = organization.time.now;
      organization.time.now += 1_000;
      const email = emailOf();
      const beganAt = (at: number) =>
        directory.post(directoryPaths.upstreamSignIns, { ...askedBy(email, rules), beganAt: at });
      expect([await beganAt(unlinkedAt - 1_000), await beganAt(unlinkedAt)]).toEqual([unknown, unknown]);
      expect(await beganAt(unlinkedAt + 1)).toMatchObject({ ...verified, user: { email } });
    });

    it.each([
      ['link by address', links, () => user.email],
      ['make users', creates, () => `${next('later')}@example.com`],
    ] as const)(
      '%s where a replica of auth-server of before does not say when the sign-in began',
      async (_what, rules, emailOf) => {
        const email = emailOf();
        const body = { ...askedBy(email, rules), beganAt: undefined };
        expect(await directory.post(directoryPaths.upstreamSignIns, body)).toMatchObject({
          ...verified,
          user: { email },
        });
      },
    );
  });

  describe('that make users', () => {
    let email: string;

    beforeEach(() => {
      email = `New.${next('person')}@example.com`;
    });

    it('make one with the address as username, verified, without roles and password, and tell of it', async () => {
      const members = { firstName: 'Nora', lastName: 'New', locale: 'de-CH' };
      const answer = await signIn(email, creates, { members });
      const created = (await findUser(email)) as User;
      const identities = [String(answer.identityId)];
      expect(answer).toMatchObject({ ...verified, user: { id: created.id, username: email, identities } });
      expect(created).toMatchObject({
        ...{ username: email, email, emailVerified: true, userType: 'Person', enabled: true, roles: [], ...members },
        ...{ passwordHash: undefined, secondStep: false, timezone: 'UTC', identities },
      });
      const [byService] = await eventsOf('user.created', created);
      expect(byService).toMatchObject({
        ...{ actor: { kind: 'service', name: 'org-api' }, subject: { id: created.id, name: email } },
        ...{ details: { upstream: 'example' }, request: 'request-of-the-user' },
      });
      expect(await eventsOf('identity.linked', created)).toMatchObject([{ details: { issuer, upstream: 'example' } }]);
      expect(await eventsOf('user.changed', created)).toEqual([]);
      expect(await subjectsOf(email)).toEqual([]);
      expect(await list(created)).toHaveLength(1);
      expect(await signIn(undefined)).toMatchObject({ ...verified, user: { id: created.id } });
      expect(await directory.checkPassword(created, { password })).toMatchObject({ outcome: 'wrong' });
    });

    it('make one with empty names where the upstream says none', async () => {
      await signIn(email, creates);
      expect(await findUser(email)).toMatchObject({ firstName: '', lastName: '', locale: 'en' });
    });

    it.each<[string, (taken: string) => object]>([
      ['as username', (taken) => ({ username: taken, email: `${next('other')}@example.com` })],
      ['as address', (taken) => ({ email: taken, emailVerified: false })],
      ['and is disabled', (taken) => ({ username: taken, enabled: false })],
      ['in another case', (taken) => ({ username: taken.toUpperCase() })],
    ])('make none where a user has the address %s', async (_what, describeTaken) => {
      await addPerson(describeTaken(email));
      const before = await countUsers();
      expect(await signIn(email, creates)).toEqual(unknown);
      expect([await countUsers(), await countIdentities()]).toEqual([before, 0]);
    });

    it.each([
      ['no address', 'nobody'],
      ['an address that no mail takes', 'a<b@example.com'],
      ['an address with a space', 'a b@example.com'],
      ['an address that is too long in lower case', `${'\u0130'.repeat(130)}@example.com`],
    ])('make none of %s', async (_what, text) => {
      const before = await countUsers();
      expect(await signIn(text, creates)).toEqual(unknown);
      expect([await countUsers(), await countIdentities()]).toEqual([before, 0]);
    });

    it('make one user of several sign-ins at the same moment at two replicas', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) => signIn(email, creates, {}, replicas[index % 2])),
      );
      const created = (await findUser(email)) as User;
      expect(usersOf(answers)).toEqual(new Set([created.id]));
      expect(await eventsOf('user.created', created)).toHaveLength(1);
      expect(await list(created)).toHaveLength(1);
    });

    it('make one user of several accounts with one address at the same moment', async () => {
      const before = await countUsers();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          signIn(email, creates, { issuer: `${issuer}/${index}` }, replicas[index % 2]),
        ),
      );
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual([...Array(5).fill('unknown'), 'verified']);
      expect([await countUsers(), await countIdentities()]).toEqual([before + 1, 1]);
    });

    it('finish what a process that was killed began', async () => {
      const { execute } = organization.deps.database;
      organization.deps.database.execute = (sql, values) =>
        sql.startsWith('INSERT INTO users') ? Promise.reject(new Error('killed')) : execute(sql, values);
      const killed = await directory.send(directoryPaths.upstreamSignIns, askedBy(email, creates));
      organization.deps.database.execute = execute;
      expect([killed.statusCode, await countIdentities(), await findUser(email)]).toEqual([500, 1, undefined]);
      const answer = await signIn(email, creates);
      expect(answer).toMatchObject({ ...verified, user: { username: email } });
      expect([await countIdentities(), await list((await findUser(email)) as User)]).toEqual([
        1,
        [expect.objectContaining({ id: answer.identityId })],
      ]);
    });

    it('find a user who was made before all else was done', async () => {
      const held = holdStatement(organization, /^INSERT INTO users/);
      const first = signIn(email, creates);
      await held.reached;
      expect(await signIn(email, creates, {}, replicas[1])).toMatchObject(verified);
      held.release();
      expect(await first).toMatchObject({ ...verified, user: { username: email } });
      expect(await eventsOf('user.created', { username: email })).toHaveLength(1);
    });

    it('keep the account where a sign-in without rules comes in between', async () => {
      const held = holdStatement(organization, /^INSERT INTO users/);
      const first = signIn(email, creates);
      await held.reached;
      expect(await signIn(email, noRules, {}, replicas[1])).toEqual(unknown);
      expect(await countIdentities()).toBe(0);
      held.release();
      expect(await first).toMatchObject({ ...verified, user: { username: email } });
      expect(await signIn(undefined)).toMatchObject({ ...verified, user: { username: email } });
    });

    it('take no id of a user who was deleted', async () => {
      const { user: before } = await signIn(email, creates);
      const created = (await findUser(email)) as User;
      const rows = 'UPDATE identities SET subject = subject WHERE user_id = ?';
      const held = holdStatement(organization, /^DELETE FROM identities/);
      const deleting = administrator.ofUser(created, 'DELETE');
      await held.reached;
      expect(await organization.deps.database.execute(rows, [bytesOf(created)])).toBe(1);
      const again = await signIn(email, creates, {}, replicas[1]);
      expect(again).toMatchObject({ ...verified, user: { username: email } });
      expect(again.user?.id).not.toBe(before?.id);
      held.release();
      expect((await deleting).statusCode).toBe(204);
      expect(await signIn(undefined)).toMatchObject({ ...verified, user: { id: again.user?.id } });
    });
  });

  describe('that say members of the record', () => {
    const always = { ...noRules, sync: 'always' };

    it('change it at each sign-in where the rules say so: a version, an event by the service', async () => {
      await linked();
      const members = { firstName: 'Ursula', nickname: 'Uschi', phoneNumber: '+41446681800' };
      const answer = await signIn(undefined, always, { members });
      expect(answer).toMatchObject({ ...verified, user: { ...members, phoneNumberVerified: false } });
      expect(await eventsOf('user.changed')).toEqual([
        expect.objectContaining({
          actor: { kind: 'service', name: 'org-api' },
          subject: { kind: 'user', id: user.id, name: user.username },
          details: { fields: Object.keys(members), upstream: 'example' },
        }),
      ]);
      const before = await readUser();
      organization.time.now += 1_000;
      await signIn(undefined, always, { members });
      expect((await readUser()).updatedAt).toBe(before.updatedAt);
      await signIn(undefined, always, { members: { ...members, firstName: 'Ulla' } });
      expect((await eventsOf('user.changed'))[0]?.details).toMatchObject({ fields: ['firstName'] });
    });

    it('change it where the account is linked by its user, too', async () => {
      const { id: userId, passwordChangedAt } = user;
      const link = { userId, passwordChangedAt };
      const body = { ...askedBy(undefined, always, { members: { firstName: 'Ursula' } }), link };
      expect(await directory.post(directoryPaths.upstreamSignIns, body)).toMatchObject({
        user: { firstName: 'Ursula' },
      });
    });

    it('change it at the first sign-in alone where the rules say so: linked by address, not by the user', async () => {
      const members = { firstName: 'Ursula' };
      expect(await signIn(user.email, links, { members })).toMatchObject({ user: members });
      expect(await signIn(user.email, links, { members: { firstName: 'Ulla' } })).toMatchObject({ user: members });
      const other = await addPerson();
      const account = { subject: next('subject'), members };
      await linked(other, account);
      expect(await signIn(undefined, links, account)).toMatchObject({ user: { firstName: '' } });
    });

    it('leave out those that a record does not take, and those that are none of theirs', async () => {
      await linked();
      const before = await readUser();
      const refused = {
        ...{ firstName: 7, lastName: 'a\u0000b', nickname: '', locale: 'not a tag', timezone: 'Mars/Olympus' },
        ...{ picture: 'http://plain.example.com/', birthdate: '1985-13-01', phoneNumber: null, gender: ['x'] },
        ...{ username: 'other@example.com', email: 'other@example.com', emailVerified: false, enabled: false },
        ...{ roles: ['SystemAdministrator'], userType: 'Robot', groups: [], organization: 'X', constructor: 'x' },
        ...{ id: createId(), passwordHash: 'x', phoneNumberVerified: true, hasOwnProperty: 'x' },
      };
      expect(await signIn(undefined, always, { members: refused })).toMatchObject(verified);
      expect([await readUser(), await eventsOf('user.changed')]).toEqual([before, []]);
      await signIn(undefined, always, { members: { ...refused, middleName: 'Maria' } });
      expect(await readUser()).toMatchObject({
        middleName: 'Maria',
        username: user.username,
        roles: [],
        enabled: true,
      });
    });

    it('change nothing of a disabled user', async () => {
      await linked();
      await change(user, { enabled: false });
      await signIn(undefined, always, { members: { firstName: 'Ursula' } });
      expect((await readUser()).firstName).toBe('');
    });
  });

  describe('that say groups', () => {
    const addGroup = async () => {
      const name = next('Group ');
      const answer = await administrator.send('POST', 'group', { name });
      expect(answer.statusCode).toBe(201);
      return { ...answer.json<{ id: string }>(), name };
    };
    const put = (of: User, groups: { name: string }[]) => change(of, { groups: groups.map(({ name }) => name) });
    const groupEvents = async ({ id }: { id: string }) => {
      const answer = await administrator.send('GET', 'audit-events?limit=200&type=group.members_changed');
      const { events } = answer.json<{ events: (Event & { subject: { id: string } })[] }>();
      return events.filter((event) => event.subject.id === id);
    };

    it('put the user in and take the user out, in mapped groups that there are alone, whatever their case', async () => {
      await linked();
      const [stays, comes, goes, other] = [await addGroup(), await addGroup(), await addGroup(), await addGroup()];
      await put(user, [stays, goes, other]);
      const mappedGroups = [stays, comes, goes].map(({ name }) => name.toUpperCase());
      const rules = { ...noRules, mappedGroups: [...mappedGroups, 'no group'] };
      const groups = [stays.name, comes.name.toLowerCase(), 'no group', other.name];
      const before = await readUser();
      const answer = await signIn(undefined, rules, { groups });
      const names = [stays.name, comes.name, other.name].sort();
      expect(answer).toMatchObject({ ...verified, user: { groups: names } });
      expect((await readUser()).groups).toEqual(names);
      expect((await readUser()).updatedAt).toBeGreaterThan(before.updatedAt);
      const described = { actor: { kind: 'service', name: 'org-api' } };
      const upstream = 'example';
      expect((await groupEvents(comes)).map(({ actor, details }) => ({ actor, details }))).toEqual([
        { ...described, details: { added: [user.username], removed: [], upstream } },
      ]);
      expect((await groupEvents(goes))[0]).toMatchObject({
        ...described,
        details: { added: [], removed: [user.username], upstream },
      });
      expect([await groupEvents(stays), await groupEvents(other)]).toEqual([[expect.anything()], [expect.anything()]]);
      const { updatedAt } = await readUser();
      await signIn(undefined, rules, { groups });
      expect((await readUser()).updatedAt).toBe(updatedAt);
    });

    it('change nothing where they are absent, and take all mapped ones away where they are none', async () => {
      await linked();
      const [mapped, other] = [await addGroup(), await addGroup()];
      await put(user, [mapped, other]);
      const rules = { ...noRules, mappedGroups: [mapped.name] };
      expect(await signIn(undefined, rules)).toMatchObject({ user: { groups: [mapped.name, other.name].sort() } });
      expect(await signIn(undefined, rules, { groups: [] })).toMatchObject({ user: { groups: [other.name] } });
    });

    it('do so for users who are made or linked, and for administrators', async () => {
      const group = await addGroup();
      const account = { groups: [group.name] };
      const rules = { ...both, mappedGroups: [group.name] };
      const groups = { user: { groups: [group.name] } };
      expect(await signIn(`${next('made')}@example.com`, rules, account)).toMatchObject(groups);
      expect(await signIn(user.email, rules, { ...account, subject: next('subject') })).toMatchObject(groups);
      const admin = await addPerson({ roles: ['IdpAdministrator'] });
      const own = { subject: next('subject') };
      await linked(admin, own);
      expect(await signIn(undefined, rules, { ...account, ...own })).toMatchObject(groups);
    });

    it('sign in where the user is in as many groups as may be, and put the user into none', async () => {
      await linked();
      const [group, left] = [await addGroup(), await addGroup()];
      await put(user, [left]);
      const { database } = organization.deps;
      const rows = Array.from({ length: 999 }, (_, index) => index + 2);
      const sql = `INSERT INTO group_members (group_id, user_id, number, added_at) VALUES ${rows.map(() => '(?, ?, ?, 1)').join(', ')}`;
      await database.execute(
        sql,
        rows.flatMap((number) => [bytesOf({ id: createId() }), bytesOf(user), number]),
      );
      const rules = { ...noRules, mappedGroups: [group.name] };
      expect(await signIn(undefined, rules, { groups: [group.name] })).toMatchObject({ user: { groups: [left.name] } });
      expect(await groupEvents(group)).toEqual([]);
    });
  });

  it.each<[string, object]>([
    ['rules without one of their members', { rules: { linksByEmail: true } }],
    ['rules with a member that is not known', { rules: { ...noRules, trust: true } }],
    ['members that are no object', { account: { members: 'x' } }],
    ['groups that are no list', { account: { groups: 'x' } }],
  ])('are asked for by well-formed questions: not %s', async (_what, change) => {
    const { account, ...rest } = change as { account?: object };
    const body = { ...askedBy(user.email, noRules, account), ...rest };
    expect((await directory.send(directoryPaths.upstreamSignIns, body)).statusCode).toBe(400);
  });

  it('tell of a sign-in at a familiar place nothing', async () => {
    await linked();
    await mailed.takeMails(user.email);
    const body = { ...askedBy(user.email, both), knownBrowsers: [familiarBrowserOf(user)] };
    expect(await directory.post(directoryPaths.upstreamSignIns, body)).toMatchObject(verified);
    expect(await subjectsOf(user.email)).toEqual([]);
  });
});
