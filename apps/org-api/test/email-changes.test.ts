import { directoryPaths, type NewUser } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { de } from '../src/mails/messages/de.ts';
import { en } from '../src/mails/messages/en.ts';
import type { User } from '../src/users/user.ts';
import { startMailedOrganization, tokenOf } from './support/mails.ts';
import {
  type AdministratorRequests,
  bytesOf,
  createAdministratorRequests,
  createDirectoryRequests,
  type DirectoryRequests,
} from './support/methods.ts';
import { type Organization, startOrganization } from './support/organization.ts';

const password = 'a-password-of-changes';
const minute = 60_000;
const hour = 60 * minute;
const refusableFor = 72 * hour;
const done = { outcome: 'done' };
const gone = { outcome: 'gone' };
const wrong = { outcome: 'wrong' };
const wrongName = { outcome: 'wrong_name' };
const { email_new: ofNew, email_told: ofTold } = en.links;
const changedSubject = en.notices.email_changed.subject;

type Mailed = Awaited<ReturnType<typeof startMailedOrganization>>;

let networks = 0;
/** Of a network that asked for nothing before. */
const nextAddress = () => {
  networks += 1;
  return `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}`;
};

let names = 0;
const nextMailbox = () => {
  names += 1;
  return `new-mailbox${names}@example.com`;
};

function createChangeRequests({ post, send }: DirectoryRequests) {
  const build = ({ id: userId, passwordChangedAt }: User, emailChange: object, more: object = {}) => ({
    ...{ language: 'en', requestId: 'request-of-the-user', address: nextAddress() },
    ...{ signedIn: { userId, passwordChangedAt }, emailChange, ...more },
  });
  return {
    ask: (user: User, emailChange: object, more: object = {}) =>
      post(directoryPaths.linkRequests, build(user, emailChange, more)),
    sendAsk: (user: User, emailChange: object) => send(directoryPaths.linkRequests, build(user, emailChange)),
    use: (token: string, more: object = {}) =>
      post(directoryPaths.linkUses, { token, address: nextAddress(), requestId: 'request-of-the-user', ...more }),
  };
}

type ChangeRequests = ReturnType<typeof createChangeRequests>;

interface EmailChangeRow {
  id: Buffer;
  email: string;
  counts_at: number;
  expires_at: number;
}

describe.each(testDialects)('a change of the own address on %s', (dialect) => {
  let mailed: Mailed;
  let organization: Organization;
  let replica: Awaited<ReturnType<Organization['startReplica']>>;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let changes: ChangeRequests;
  let ofReplica: ChangeRequests;
  let user: User;
  let after: string;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect, { displayName: 'Example Organization' });
    ({ organization } = mailed);
    replica = await organization.startReplica();
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
    changes = createChangeRequests(directory);
    ofReplica = createChangeRequests(createDirectoryRequests(organization, replica));
  });
  afterAll(async () => {
    await replica.close();
    await mailed.close();
  });

  const addPerson = async (more: Partial<NewUser> = {}): Promise<User> => {
    names += 1;
    const [username, email] = [`person${names}@example.com`, `mailbox${names}@example.com`];
    const added = await organization.addUser({ username, email, emailVerified: true, password, ...more });
    // Nothing happens in the millisecond in which the password was set.
    organization.time.now += 1_000;
    return added;
  };

  beforeEach(async () => {
    // All limits of an hour are over.
    organization.time.now += 2 * hour;
    user = await addPerson();
    after = nextMailbox();
  });

  const readUser = async ({ id }: Pick<User, 'id'> = user) => (await organization.deps.users.findById(id)) as User;
  const applyDue = () => organization.deps.links.changeEmail.applyDue();
  const readRow = async (of: Pick<User, 'id'> = user): Promise<EmailChangeRow | undefined> => {
    const sql = 'SELECT * FROM email_changes WHERE user_id = ?';
    return (await organization.deps.database.query<EmailChangeRow>(sql, [bytesOf(of)]))[0];
  };
  /** As a process leaves the row that is killed before it goes on. */
  const writeRow = (assignments: string) =>
    organization.deps.database.execute(`UPDATE email_changes SET ${assignments} WHERE user_id = ?`, [bytesOf(user)]);
  const readChange = async ({ id: userId }: Pick<User, 'id'> = user) => {
    const { account } = (await directory.post(directoryPaths.accountData, { userId })) as {
      account?: { emailChange?: object };
    };
    return account?.emailChange;
  };
  const listEvents = async () => (await administrator.listEvents(user)).reverse();
  const listEventTypes = async () => (await listEvents()).map(({ type }) => type);
  const changeAsAdministrator = async (members: object) => {
    const answer = await administrator.ofUser(user, 'PATCH', '', members);
    expect(answer.statusCode).toBe(200);
  };
  const takeToken = async (email: string) => {
    const mails = await mailed.takeMails(email);
    return tokenOf(mails.find(({ text }) => text.includes('/account/link?token=')));
  };
  /** Begins a change; gives the tokens of both sides. */
  const begin = async (more: object = {}) => {
    expect(await changes.ask(user, { email: after, ...more })).toEqual(done);
    return { toNew: await takeToken(after), toOld: await takeToken(user.email) };
  };
  const confirm = (token: string, userId = user.id, by = changes) =>
    by.use(token, { fields: { decision: 'confirm' }, userId });
  const refuseByName = (token: string, username = user.username, by = changes) =>
    by.use(token, { fields: { decision: 'refuse', username } });
  const refuseSignedIn = (token: string, userId = user.id) =>
    changes.use(token, { fields: { decision: 'refuse' }, userId });
  /** Neither link does anything any more, and nothing waits. */
  const expectEnded = async ({ toNew, toOld }: { toNew: string; toOld: string }) => {
    for (const token of [toNew, toOld]) {
      expect([await changes.use(token), await confirm(token), await refuseByName(token)]).toEqual([gone, gone, gone]);
    }
    await applyDue();
  };
  const expectUnchanged = async () => {
    expect(await readUser()).toMatchObject({ email: user.email, emailVerified: user.emailVerified });
    expect(await listEvents()).not.toContainEqual(expect.objectContaining({ details: { fields: ['email'] } }));
  };

  describe('from a verified address', () => {
    it('mails a link to each side, in the language of the page', async () => {
      expect(await changes.ask(user, { email: after }, { language: 'de' })).toEqual(done);
      const [toNew, ...more] = await mailed.takeMails(after);
      const [toOld, ...others] = await mailed.takeMails(user.email);
      expect([toNew?.subject, toOld?.subject, more, others]).toEqual([
        de.links.email_new.subject,
        de.links.email_old.subject,
        [],
        [],
      ]);
      expect(toOld?.text).toContain(after);
      expect(toOld?.text).toContain(user.username);
    });

    it.each(['the old one first', 'the new one first'])('counts once both sides have confirmed: %s', async (order) => {
      const { toNew, toOld } = await begin();
      const [first, second] = order.startsWith('the old') ? [toOld, toNew] : [toNew, toOld];
      expect(await confirm(first)).toMatchObject(done);
      await applyDue();
      await expectUnchanged();
      expect(await confirm(second)).toMatchObject(done);
      expect(await readUser()).toMatchObject({
        ...{ email: after, emailVerified: true, username: user.username },
        passwordChangedAt: user.passwordChangedAt,
      });
      expect(await readRow()).toBeUndefined();
      expect(await readChange()).toBeUndefined();
    });

    it('is not confirmed by one side twice', async () => {
      const { toNew, toOld } = await begin();
      expect(await confirm(toNew)).toMatchObject(done);
      expect([await confirm(toNew), await changes.use(toNew)]).toEqual([gone, gone]);
      await applyDue();
      await expectUnchanged();
      expect(await changes.use(toOld)).toMatchObject({ outcome: 'open' });
    });

    it('is told to both addresses once it counts', async () => {
      const { toNew, toOld } = await begin();
      await confirm(toOld);
      expect(await mailed.takeMails(user.email)).toEqual([]);
      await confirm(toNew);
      for (const address of [user.email, after]) {
        const mails = await mailed.takeMails(address);
        expect(mails.map(({ subject }) => subject)).toEqual([changedSubject]);
        expect(mails[0]?.text).toContain(`from ${user.email} to ${after}`);
      }
    });

    it('ends all links of the user, once it counts', async () => {
      await changes.ask(user, { email: after });
      const [toNew, toOld] = [await takeToken(after), await takeToken(user.email)];
      await directory.post(directoryPaths.linkRequests, {
        ...{ language: 'en', requestId: 'request-of-the-user', address: nextAddress(), name: user.username },
      });
      const reset = await takeToken(user.email);
      await confirm(toOld);
      expect(await changes.use(reset)).toMatchObject({ outcome: 'open', purpose: 'reset' });
      await confirm(toNew);
      expect(await mailed.countLinks(user)).toBe(0);
      expect(await changes.use(reset)).toEqual(gone);
    });

    it('is in the audit trail in order, without an address', async () => {
      const { toNew, toOld } = await begin();
      organization.time.now += 1;
      await confirm(toOld);
      organization.time.now += 1;
      await confirm(toNew);
      const party = { kind: 'user', id: user.id, name: user.username };
      const events = await listEvents();
      expect(events).toMatchObject([
        { type: 'email_change.requested', actor: party, subject: party, request: 'request-of-the-user' },
        { type: 'email_change.confirmed', actor: party, subject: party, details: { side: 'old' } },
        { type: 'email_change.confirmed', actor: party, subject: party, details: { side: 'new' } },
        { type: 'user.changed', actor: party, subject: party, details: { fields: ['email'] } },
      ]);
      expect(JSON.stringify(events)).not.toContain('mailbox');
    });

    it('says to the new side what waits, to the old side both addresses', async () => {
      const { toNew, toOld } = await begin();
      const about = { userId: user.id, emailChange: { before: user.email, after, mayConfirm: true } };
      for (let count = 0; count < 3; count += 1) {
        expect(await changes.use(toNew)).toMatchObject({ outcome: 'open', purpose: 'email_new', ...about });
        expect(await changes.use(toOld)).toMatchObject({ outcome: 'open', purpose: 'email_old', ...about });
      }
      await expectUnchanged();
    });

    it('is confirmed by nobody but the user, who is signed in', async () => {
      const { toNew, toOld } = await begin();
      const other = await addPerson();
      for (const token of [toNew, toOld]) {
        expect(await changes.use(token, { fields: { decision: 'confirm' } })).toEqual({ outcome: 'other_user' });
        expect(await confirm(token, other.id)).toEqual({ outcome: 'other_user' });
        const named = { fields: { decision: 'confirm', username: user.username } };
        expect(await changes.use(token, named)).toEqual({ outcome: 'other_user' });
      }
      expect(await changes.use(toNew, { fields: {}, userId: user.id })).toEqual(wrongName);
      await expectUnchanged();
      expect(await readUser(other)).toEqual(other);
      expect(await listEventTypes()).toEqual(['email_change.requested']);
    });

    it('leaves the password of the user as it is', async () => {
      const { toNew, toOld } = await begin();
      await changes.use(toNew, { fields: { decision: 'confirm', password: 'a-password-of-a-thief' }, userId: user.id });
      await changes.use(toOld, { fields: { decision: 'confirm', password: 'a-password-of-a-thief' }, userId: user.id });
      expect((await readUser()).email).toBe(after);
      expect((await directory.checkPassword(user, { password })).outcome).toBe('verified');
    });

    it('takes a new address that another user has', async () => {
      const other = await addPerson();
      after = other.email;
      const { toNew, toOld } = await begin();
      await confirm(toNew);
      await confirm(toOld);
      expect([(await readUser()).email, await readUser(other)]).toEqual([other.email, other]);
    });
  });

  describe('from an address that is not verified', () => {
    beforeEach(async () => {
      user = await addPerson({ emailVerified: false });
    });

    it.each([false, true])(
      'counts once the new side has confirmed, and mails nothing to the old one (strong: %j)',
      async (strong) => {
        expect(await changes.ask(user, { email: after, strong })).toEqual(done);
        const mails = await mailed.takeMails(after);
        expect(mails.map(({ subject }) => subject)).toEqual([ofNew.subject]);
        expect(await readChange()).toEqual({
          ...{ email: after, waitsFor: ['new'] },
          expiresAt: new Date(organization.time.now + 24 * hour).toISOString(),
        });
        expect(await confirm(tokenOf(mails[0]))).toMatchObject(done);
        expect(await readUser()).toMatchObject({ email: after, emailVerified: true });
        expect(await mailed.takeMails(user.email)).toEqual([]);
        expect((await mailed.takeMails(after)).map(({ subject }) => subject)).toEqual([changedSubject]);
      },
    );

    it('is refused by the new side', async () => {
      await changes.ask(user, { email: after });
      const token = await takeToken(after);
      expect(await refuseByName(token)).toMatchObject(done);
      expect([await changes.use(token), await readChange()]).toEqual([gone, undefined]);
      await expectUnchanged();
    });

    it('ends where the old one is verified meanwhile, so that it is asked too', async () => {
      const { id: userId, passwordChangedAt } = user;
      await changes.ask(user, { email: after });
      const toNew = await takeToken(after);
      const verify = {
        language: 'en',
        requestId: 'r',
        address: nextAddress(),
        signedIn: { userId, passwordChangedAt },
      };
      expect(await directory.post(directoryPaths.linkRequests, verify)).toEqual(done);
      const toOld = await takeToken(user.email);
      expect(await changes.use(toOld, { fields: {}, userId })).toMatchObject({ outcome: 'done', purpose: 'verify' });
      expect(await confirm(toNew)).toEqual(gone);
      await applyDue();
      expect(await readUser()).toMatchObject({ email: user.email, emailVerified: true });
    });

    it('ends where an administrator says that the old one is verified', async () => {
      await changes.ask(user, { email: after });
      const toNew = await takeToken(after);
      await changeAsAdministrator({ emailVerified: true });
      expect(await confirm(toNew)).toEqual(gone);
      await applyDue();
      expect(await readUser()).toMatchObject({ email: user.email, emailVerified: true });
    });
  });

  describe('begun with a second step', () => {
    const beginStrong = () => begin({ strong: true });

    it('tells the old address, which need not confirm, and cannot', async () => {
      expect(await changes.ask(user, { email: after, strong: true })).toEqual(done);
      const [told, ...others] = await mailed.takeMails(user.email);
      expect([told?.subject, others]).toEqual([ofTold.subject, []]);
      expect(told?.text).toContain(after);
      expect(told?.text).toContain(user.username);
      const toOld = tokenOf(told);
      expect(await changes.use(toOld)).toMatchObject({ outcome: 'open', emailChange: { mayConfirm: false } });
      expect(await confirm(toOld)).toEqual(wrong);
      expect(await listEventTypes()).toEqual(['email_change.requested']);
      expect(await changes.use(toOld)).toMatchObject({ outcome: 'open' });
    });

    it('counts after 72 hours, and not a millisecond before', async () => {
      const begun = organization.time.now;
      const { toNew } = await beginStrong();
      organization.time.now = begun + 23 * hour;
      expect(await confirm(toNew)).toMatchObject(done);
      organization.time.now = begun + refusableFor - 1;
      await applyDue();
      await expectUnchanged();
      expect(await readRow()).toBeDefined();
      organization.time.now = begun + refusableFor;
      await applyDue();
      expect(await readUser()).toMatchObject({ email: after, emailVerified: true });
      expect(await readRow()).toBeUndefined();
      for (const address of [user.email, after]) {
        expect((await mailed.takeMails(address)).map(({ subject }) => subject)).toEqual([changedSubject]);
      }
      expect(await listEventTypes()).toEqual(['email_change.requested', 'email_change.confirmed', 'user.changed']);
    });

    it('counts without a caller, for all that are due, once', async () => {
      const people: [User, string][] = [];
      for (let count = 0; count < 3; count += 1) {
        [user, after] = [await addPerson(), nextMailbox()];
        people.push([user, after]);
        await confirm((await beginStrong()).toNew);
      }
      organization.time.now += refusableFor;
      await Promise.all(Array.from({ length: 5 }, () => applyDue()));
      for (const [of, email] of people) {
        user = of;
        expect(await readUser()).toMatchObject({ email, emailVerified: true });
        expect((await listEventTypes()).filter((type) => type === 'user.changed')).toHaveLength(1);
        expect(await mailed.takeMails(email)).toHaveLength(1);
      }
    });

    it('counts where the new side confirmed in the last millisecond for it', async () => {
      const begun = organization.time.now;
      const { toNew } = await beginStrong();
      const { changeEmail } = organization.deps.links;
      const { confirm: original } = changeEmail;
      const confirming = jest.spyOn(changeEmail, 'confirm');
      confirming.mockImplementationOnce(async (...values) => {
        const isStored = await original(...values);
        organization.time.now += 1;
        return isStored;
      });
      organization.time.now = begun + 24 * hour - 1;
      expect(await confirm(toNew)).toMatchObject(done);
      confirming.mockRestore();
      organization.time.now = begun + refusableFor;
      await applyDue();
      expect((await readUser()).email).toBe(after);
    });

    it('does not count where the new side has not confirmed', async () => {
      const links = await beginStrong();
      organization.time.now += 24 * hour;
      await expectEnded(links);
      organization.time.now += refusableFor;
      await applyDue();
      await expectUnchanged();
    });

    it.each([
      ['at once', 0],
      ['a moment before it counts', refusableFor - minute],
    ])('is refused by the old side during the 72 hours, %s', async (_case, later) => {
      const { toNew, toOld } = await beginStrong();
      await confirm(toNew);
      organization.time.now += later;
      expect(await changes.use(toOld)).toMatchObject({ outcome: 'open', purpose: 'email_old' });
      expect(await refuseByName(toOld)).toMatchObject(done);
      organization.time.now += refusableFor;
      await applyDue();
      await expectUnchanged();
      expect(await mailed.takeMails(after)).toEqual([]);
    });

    it('is not refused any more once it counts', async () => {
      const { toNew, toOld } = await beginStrong();
      await confirm(toNew);
      organization.time.now += refusableFor + minute;
      expect(await refuseByName(toOld)).toEqual(gone);
      await applyDue();
      expect((await readUser()).email).toBe(after);
    });

    it('counts later than that, where no process was there, but not for ever', async () => {
      const { toNew } = await beginStrong();
      await confirm(toNew);
      organization.time.now += refusableFor + 6 * 24 * hour;
      await applyDue();
      expect((await readUser()).email).toBe(after);
      [user, after] = [await addPerson(), nextMailbox()];
      await confirm((await beginStrong()).toNew);
      organization.time.now += refusableFor + 8 * 24 * hour;
      await applyDue();
      await expectUnchanged();
    });

    it('is not held up by those that a new password ended', async () => {
      const [waiting, address] = [await addPerson(), nextMailbox()];
      for (let count = 0; count < 21; count += 1) {
        [user, after] = [await addPerson(), nextMailbox()];
        await confirm((await beginStrong()).toNew);
        await administrator.ofUser(user, 'PUT', '/password', { password: 'another-password-of-changes' });
        organization.time.now += 1;
      }
      [user, after] = [waiting, address];
      await confirm((await beginStrong()).toNew);
      organization.time.now += refusableFor;
      for (let look = 0; look < 3; look += 1) await applyDue();
      expect((await readUser()).email).toBe(after);
    });

    it('takes the place of one that waits for the old side', async () => {
      const first = await begin();
      expect(await changes.ask(user, { email: after, strong: true })).toEqual(done);
      expect((await mailed.takeMails(user.email)).map(({ subject }) => subject)).toEqual([ofTold.subject]);
      expect(await changes.use(first.toOld)).toEqual(gone);
      expect(await readChange()).toMatchObject({ waitsFor: ['new'], countsAt: expect.any(String) });
    });
  });

  describe('is refused', () => {
    const sides = [
      ['old', 'toOld'],
      ['new', 'toNew'],
    ] as const;

    it.each(sides)('by a session of the user, at the %s side', async (side, name) => {
      const links = await begin();
      expect(await refuseSignedIn(links[name])).toMatchObject(done);
      await expectEnded(links);
      await expectUnchanged();
      const party = { kind: 'user', id: user.id, name: user.username };
      expect((await listEvents()).at(-1)).toMatchObject({
        ...{ type: 'email_change.refused', actor: party, subject: party, details: { side } },
      });
    });

    it.each(sides)('by the name of the account, at the %s side', async (side, name) => {
      const links = await begin();
      expect(await refuseByName(links[name], user.username.toUpperCase())).toMatchObject(done);
      await expectEnded(links);
      await expectUnchanged();
      const events = await listEvents();
      expect(events.at(-1)).toMatchObject({
        ...{ type: 'email_change.refused', actor: { kind: 'anonymous' }, details: { side } },
      });
      expect(JSON.stringify(events)).not.toContain('mailbox');
    });

    it('after the other side has confirmed', async () => {
      const links = await begin();
      await confirm(links.toOld);
      expect(await refuseByName(links.toNew)).toMatchObject(done);
      await expectEnded(links);
      await expectUnchanged();
    });

    it.each(sides)('by no other name and by no session of another user, at the %s side', async (_side, name) => {
      const links = await begin();
      const other = await addPerson();
      for (const username of ['', ' ', other.username, user.email, after, `${user.username} `, user.id]) {
        expect([username, await refuseByName(links[name], username)]).toEqual([username, wrongName]);
      }
      expect(await refuseSignedIn(links[name], other.id)).toEqual(wrongName);
      expect(await changes.use(links[name], { fields: { decision: 'refuse' } })).toEqual(wrongName);
      expect(await listEventTypes()).toEqual(['email_change.requested']);
      expect(await readChange()).toMatchObject({ email: after, waitsFor: ['old', 'new'] });
    });

    it('by the typed name in a browser of another user', async () => {
      const { toOld } = await begin();
      const other = await addPerson();
      const fields = { decision: 'refuse', username: user.username };
      expect(await changes.use(toOld, { fields, userId: other.id })).toMatchObject(done);
      expect((await listEvents()).at(-1)).toMatchObject({ actor: { kind: 'anonymous' } });
      await expectUnchanged();
    });
  });

  describe('at one moment at two replicas', () => {
    const replicaOf = (index: number) => (index % 2 === 0 ? changes : ofReplica);
    const many = Array.from({ length: 40 }, (_, index) => index);
    const countDone = (answers: { outcome?: string }[]) => answers.filter(({ outcome }) => outcome === 'done').length;

    it('is confirmed once by 40', async () => {
      const { toNew, toOld } = await begin();
      await confirm(toOld);
      const answers = await Promise.all(many.map((index) => confirm(toNew, user.id, replicaOf(index))));
      expect(countDone(answers)).toBe(1);
      expect((await readUser()).email).toBe(after);
      const types = await listEventTypes();
      expect(types.filter((type) => type === 'user.changed')).toHaveLength(1);
      expect(types.filter((type) => type === 'email_change.confirmed')).toHaveLength(2);
      expect(await mailed.takeMails(after)).toHaveLength(1);
      expect(await mailed.takeMails(user.email)).toHaveLength(1);
    });

    it('is confirmed by both sides, and counts once', async () => {
      const { toNew, toOld } = await begin();
      const answers = await Promise.all(
        many.map((index) => confirm(index % 4 < 2 ? toNew : toOld, user.id, replicaOf(index))),
      );
      expect(countDone(answers)).toBe(2);
      expect((await readUser()).email).toBe(after);
      expect((await listEventTypes()).filter((type) => type === 'user.changed')).toHaveLength(1);
    });

    it('is not refused where another process makes it in between', async () => {
      const { toNew, toOld } = await begin();
      await confirm(toOld);
      const { changeEmail } = organization.deps.links;
      const { refuse: original } = changeEmail;
      const refuse = jest.spyOn(changeEmail, 'refuse');
      refuse.mockImplementationOnce(async (change) => {
        await writeRow('new_confirmed = 1');
        const moved = { email: after, emailVerified: true };
        await organization.deps.users.update(user.id, moved, organization.time.now);
        return original(change);
      });
      expect(await refuseByName(toNew)).toEqual(gone);
      refuse.mockRestore();
      expect((await readUser()).email).toBe(after);
      expect(await listEventTypes()).not.toContain('email_change.refused');
    });

    it('is not made where it is ended in between', async () => {
      const { toNew, toOld } = await begin();
      await confirm(toOld);
      const { users } = organization.deps;
      const { moveEmail: original } = users;
      const move = jest.spyOn(users, 'moveEmail');
      move.mockImplementationOnce(async (...values) => {
        await ofReplica.ask(user, {});
        return original(...values);
      });
      await confirm(toNew);
      expect(move).toHaveBeenCalledTimes(1);
      move.mockRestore();
      await expectUnchanged();
      expect(await readChange()).toBeUndefined();
      expect(await mailed.takeMails(after)).toEqual([]);
    });

    it('is refused once by 40', async () => {
      const { toNew, toOld } = await begin();
      const answers = await Promise.all(
        many.map((index) => refuseByName(index % 4 < 2 ? toNew : toOld, user.username, replicaOf(index))),
      );
      expect(countDone(answers)).toBe(1);
      expect((await listEventTypes()).filter((type) => type === 'email_change.refused')).toHaveLength(1);
      await expectUnchanged();
    });

    it.each([1, 2, 3, 4, 5, 6])('is confirmed or refused, never both (%i)', async () => {
      const { toNew, toOld } = await begin();
      await confirm(toOld);
      const answers = await Promise.all(
        many.map((index) =>
          index % 4 < 2
            ? confirm(toNew, user.id, replicaOf(index))
            : refuseByName(toNew, user.username, replicaOf(index)),
        ),
      );
      const refused = countDone(answers.filter((_answer, index) => index % 4 >= 2));
      const { email } = await readUser();
      const types = await listEventTypes();
      const result = {
        refused,
        email,
        refusals: types.filter((type) => type === 'email_change.refused').length,
        changed: types.filter((type) => type === 'user.changed').length,
      };
      expect([
        { refused: 1, email: user.email, refusals: 1, changed: 0 },
        { refused: 0, email: after, refusals: 0, changed: 1 },
      ]).toContainEqual(result);
      expect(await readRow()).toBeUndefined();
    });
  });

  describe('ends', () => {
    it.each<[string, () => Promise<unknown>]>([
      ['with a new password', () => administrator.ofUser(user, 'PUT', '/password', { password: 'another-password-1' })],
      ['with the disabling of the user', () => changeAsAdministrator({ enabled: false })],
      ['with an address that an administrator sets', () => changeAsAdministrator({ email: `set${names}@example.com` })],
      [
        'with an address that an administrator sets, where the process is killed then',
        () => organization.deps.users.update(user.id, { email: `set${names}@example.com` }, organization.time.now),
      ],
    ])('%s', async (_case, end) => {
      const links = await begin();
      await confirm(links.toOld);
      await end();
      await expectEnded(links);
      expect((await readUser()).email).not.toBe(after);
      expect(await readChange()).toBeUndefined();
    });

    it.each<[string, () => Promise<unknown>]>([
      ['with a new password', () => administrator.ofUser(user, 'PUT', '/password', { password: 'another-password-1' })],
      ['with the disabling of the user', () => changeAsAdministrator({ enabled: false })],
      ['with an address that an administrator sets', () => changeAsAdministrator({ email: `set${names}@example.com` })],
      [
        'with an address that an administrator sets, where the process is killed then',
        () => organization.deps.users.update(user.id, { email: `set${names}@example.com` }, organization.time.now),
      ],
      [
        'with the disabling of the user, where the process is killed then',
        () => organization.deps.users.update(user.id, { enabled: false }, organization.time.now),
      ],
    ])('during the 72 hours %s', async (_case, end) => {
      const { toNew } = await begin({ strong: true });
      await confirm(toNew);
      organization.time.now += minute;
      await end();
      organization.time.now += refusableFor;
      await applyDue();
      expect((await readUser()).email).not.toBe(after);
      expect(await readRow()).toBeUndefined();
    });

    it('with the disabling of the user, also where the user is enabled again', async () => {
      const links = await begin();
      await changeAsAdministrator({ enabled: false });
      await changeAsAdministrator({ enabled: true });
      await expectEnded(links);
      await expectUnchanged();
    });

    it('with the deletion of the user, who leaves no row', async () => {
      const links = await begin();
      await administrator.ofUser(user, 'DELETE', '');
      expect([await readRow(), await mailed.countLinks(user)]).toEqual([undefined, 0]);
      await expectEnded(links);
      expect(await readUser()).toBeUndefined();
    });

    it('not with a change of the profile', async () => {
      const { toNew, toOld } = await begin();
      await confirm(toOld);
      await changeAsAdministrator({ nickname: 'Uschi' });
      await confirm(toNew);
      expect(await readUser()).toMatchObject({ email: after, emailVerified: true, nickname: 'Uschi' });
    });

    it('24 hours after it began', async () => {
      const begun = organization.time.now;
      const links = await begin();
      await confirm(links.toOld);
      organization.time.now = begun + 24 * hour - 1;
      expect(await changes.use(links.toNew)).toMatchObject({ outcome: 'open' });
      organization.time.now = begun + 24 * hour;
      expect(await readChange()).toBeUndefined();
      await expectEnded(links);
      await expectUnchanged();
    });

    it('where the user cancels it', async () => {
      const links = await begin();
      await confirm(links.toOld);
      expect(await changes.ask(user, {})).toEqual(done);
      expect([await readChange(), await readRow()]).toEqual([undefined, undefined]);
      await expectEnded(links);
      await expectUnchanged();
      // There is none to end.
      expect(await changes.ask(user, {})).toEqual(done);
      expect(await mailed.takeMails(user.email)).toEqual([]);
    });

    it('where a second one begins, with its links', async () => {
      const first = await begin();
      await confirm(first.toOld);
      const firstAfter = after;
      after = nextMailbox();
      const second = await begin();
      await expectEnded(first);
      expect(await readChange()).toMatchObject({ email: after, waitsFor: ['old', 'new'] });
      await confirm(second.toNew);
      await expectUnchanged();
      await confirm(second.toOld);
      expect((await readUser()).email).toBe(after);
      expect(await mailed.takeMails(firstAfter)).toEqual([]);
    });

    it('where a second one took its place and the links stayed', async () => {
      const links = await begin();
      await writeRow('id = user_id, old_confirmed = 1');
      await expectEnded(links);
      await expectUnchanged();
    });

    it('not by another user who begins one', async () => {
      const { toNew, toOld } = await begin();
      await changes.ask(await addPerson(), { email: nextMailbox() });
      await confirm(toNew);
      await confirm(toOld);
      expect((await readUser()).email).toBe(after);
    });
  });

  describe('asked for again', () => {
    it('within 30 minutes mails the same links, and goes on', async () => {
      const first = await begin();
      organization.time.now += 30 * minute - 1;
      expect(await begin()).toEqual(first);
      await confirm(first.toOld);
      await confirm(first.toNew);
      expect((await readUser()).email).toBe(after);
    });

    it('later than that mails others, and begins from the start', async () => {
      const first = await begin();
      await confirm(first.toOld);
      organization.time.now += 30 * minute;
      const second = await begin();
      expect([second.toNew === first.toNew, second.toOld === first.toOld]).toEqual([false, false]);
      await expectEnded(first);
      await confirm(second.toNew);
      await expectUnchanged();
      await confirm(second.toOld);
      expect((await readUser()).email).toBe(after);
    });

    it('begins from the start where the new side has confirmed', async () => {
      const first = await begin();
      await confirm(first.toNew);
      const second = await begin();
      await expectEnded(first);
      expect(await readChange()).toMatchObject({ email: after, waitsFor: ['old', 'new'] });
      await confirm(second.toOld);
      await expectUnchanged();
    });

    it('mails nothing more to a side that has confirmed', async () => {
      const { toNew, toOld } = await begin();
      await confirm(toOld);
      expect(await changes.ask(user, { email: after })).toEqual(done);
      expect(await takeToken(after)).toBe(toNew);
      expect(await mailed.takeMails(user.email)).toEqual([]);
      await confirm(toNew);
      expect((await readUser()).email).toBe(after);
    });
  });

  describe('is limited', () => {
    const countMails = async (email: string) => (await mailed.takeMails(email)).length;

    it('to 3 mails an hour to the new address, of all users', async () => {
      for (let count = 0; count < 3; count += 1) await changes.ask(await addPerson(), { email: after });
      expect(await countMails(after)).toBe(3);
      expect(await changes.ask(user, { email: after.toUpperCase() })).toEqual(done);
      expect([await countMails(after.toUpperCase()), await countMails(user.email)]).toEqual([0, 0]);
      expect(await readChange()).toBeUndefined();
      expect(await listEvents()).toMatchObject([{ type: 'mail.limited', details: { mail: 'email_new' } }]);
      organization.time.now += hour + 1;
      await changes.ask(user, { email: after });
      expect([await countMails(after), await countMails(user.email)]).toEqual([1, 1]);
    });

    it('to 3 mails an hour to the old address', async () => {
      for (let count = 0; count < 3; count += 1) {
        await changes.ask(user, { email: nextMailbox() });
        await mailed.settle();
      }
      expect(await countMails(user.email)).toBe(3);
      const waiting = await readChange();
      expect(await changes.ask(user, { email: after })).toEqual(done);
      expect([await countMails(after), await countMails(user.email)]).toEqual([0, 0]);
      expect(await readChange()).toEqual(waiting);
    });

    it('to 20 requests an hour of a network', async () => {
      const address = nextAddress();
      for (let count = 0; count < 20; count += 1) {
        expect(await changes.ask(user, { email: 'no address' }, { address })).toMatchObject({ outcome: 'refused' });
      }
      expect(await changes.ask(user, { email: after }, { address })).toEqual({ outcome: 'limited', retryAfter: 3_600 });
      expect(await readChange()).toBeUndefined();
    });
  });

  describe('does not begin', () => {
    it.each([
      '',
      'no address',
      'a@b@c',
      '"a b"@example.com',
      'a@example.com,b@example.com',
      '<a@example.com>',
      '\u0000',
    ])('with %j, which is no address', async (email) => {
      expect(await changes.ask(user, { email })).toEqual({ outcome: 'refused', fault: 'no_address' });
      expect([await readRow(), await listEvents()]).toEqual([undefined, []]);
    });

    it('with an address that is longer than any', async () => {
      const longest = `${'a'.repeat(242)}@example.com`;
      const longer = { outcome: 'refused', fault: 'no_address' };
      expect(await changes.ask(user, { email: `a${longest}` })).toEqual(longer);
      expect((await changes.sendAsk(user, { email: `aa${longest}` })).statusCode).toBe(400);
      expect(await changes.ask(user, { email: longest })).toEqual(done);
    });

    it('with the address of now, in any case', async () => {
      const same = { outcome: 'refused', fault: 'same_address' };
      expect(await changes.ask(user, { email: user.email })).toEqual(same);
      expect(await changes.ask(user, { email: user.email.toUpperCase() })).toEqual(same);
      expect([await readRow(), await mailed.takeMails(user.email)]).toEqual([undefined, []]);
    });

    it('after a change of the password, or for a user who is disabled', async () => {
      const changed = { outcome: 'changed' };
      expect(await changes.ask({ ...user, passwordChangedAt: 1 }, { email: after })).toEqual(changed);
      await changeAsAdministrator({ enabled: false });
      expect(await changes.ask(user, { email: after })).toEqual(changed);
      expect(await mailed.takeMails(after)).toEqual([]);
    });

    it('where nobody is signed in', async () => {
      const request = { language: 'en', requestId: 'r', address: nextAddress(), emailChange: { email: after } };
      expect(await directory.post(directoryPaths.linkRequests, request)).toEqual({ outcome: 'changed' });
      expect(await mailed.takeMails(after)).toEqual([]);
    });
  });

  it.each([false, true])('names nobody in the mail to the new address (strong: %j)', async (strong) => {
    const own = { firstName: 'Ursula', lastName: 'Userin', nickname: 'Uschi', organization: 'Library of Secrets' };
    user = await addPerson(own);
    await changes.ask(user, { email: after, strong }, { browser: 'Firefox on Windows' });
    const [mail] = await mailed.takeMails(after);
    expect(mail?.text).toContain('Firefox on Windows');
    expect(mail?.text).toContain('Example Organization');
    const decoded = `${mail?.raw}${mail?.text}`;
    for (const name of [...Object.values(own), user.username, user.email, user.id]) {
      expect([name, decoded.includes(name)]).toEqual([name, false]);
    }
  });

  describe('survives that a process is killed', () => {
    it('between the last confirmation and the change: it is made later', async () => {
      const { toOld } = await begin();
      await confirm(toOld);
      await writeRow('new_confirmed = 1');
      await applyDue();
      expect(await readUser()).toMatchObject({ email: after, emailVerified: true });
      expect([await readRow(), await mailed.countLinks(user)]).toEqual([undefined, 0]);
      expect((await listEvents()).at(-1)).toMatchObject({ type: 'user.changed', details: { fields: ['email'] } });
      expect((await mailed.takeMails(after)).map(({ subject }) => subject)).toEqual([changedSubject]);
    });

    it.each(['old_confirmed = 1', 'new_confirmed = 1'])(
      'after one confirmation alone: nothing changes (%s)',
      async (one) => {
        await begin();
        await writeRow(one);
        await applyDue();
        await expectUnchanged();
        expect(await readRow()).toBeDefined();
      },
    );

    const killAfterMove = async () => {
      const links = await begin();
      await confirm(links.toOld);
      await writeRow('new_confirmed = 1');
      await organization.deps.users.update(user.id, { email: after, emailVerified: true }, organization.time.now);
      return links;
    };

    it('after the change: what stayed is removed, and nobody is told twice', async () => {
      await killAfterMove();
      await applyDue();
      expect([await readRow(), await mailed.countLinks(user)]).toEqual([undefined, 0]);
      expect(await readUser()).toMatchObject({ email: after, emailVerified: true });
      expect([await mailed.takeMails(after), await mailed.takeMails(user.email)]).toEqual([[], []]);
      expect(await listEventTypes()).not.toContain('user.changed');
    });

    it('after the change: nobody refuses it then', async () => {
      const { toNew, toOld } = await killAfterMove();
      expect([await refuseByName(toNew), await refuseSignedIn(toNew), await refuseByName(toOld)]).toEqual([
        gone,
        gone,
        gone,
      ]);
      expect((await readUser()).email).toBe(after);
      expect(await listEventTypes()).not.toContain('email_change.refused');
    });
  });

  describe('is shown to the user', () => {
    it('with the sides that it waits for', async () => {
      const expiresAt = new Date(organization.time.now + 24 * hour).toISOString();
      expect(await readChange()).toBeUndefined();
      const { toNew } = await begin();
      expect(await readChange()).toEqual({ email: after, waitsFor: ['old', 'new'], expiresAt });
      await confirm(toNew);
      expect(await readChange()).toEqual({ email: after, waitsFor: ['old'], expiresAt });
      expect(await readChange(await addPerson())).toBeUndefined();
    });

    it('with the instant from which it counts', async () => {
      const begun = organization.time.now;
      const { toNew } = await begin({ strong: true });
      const countsAt = new Date(begun + refusableFor).toISOString();
      const expiresAt = new Date(begun + 24 * hour).toISOString();
      expect(await readChange()).toEqual({ email: after, waitsFor: ['new'], expiresAt, countsAt });
      await confirm(toNew);
      expect(await readChange()).toMatchObject({ email: after, waitsFor: [], countsAt });
      organization.time.now = begun + refusableFor - 1;
      expect(await readChange()).toMatchObject({ email: after, waitsFor: [], countsAt });
    });
  });

  it('is not for Robots', async () => {
    user = await organization.addUser({
      username: `robot${names}`,
      email: `robot${names}@example.com`,
      userType: 'Robot',
    });
    expect(await changes.ask(user, { email: after })).toEqual({ outcome: 'changed' });
    expect(await mailed.takeMails(after)).toEqual([]);
  });
});

it.each(testDialects)('without mails, no change of an address begins on %s', async (dialect) => {
  const organization = await startOrganization(dialect);
  const { ask } = createChangeRequests(createDirectoryRequests(organization));
  const user = await organization.addUser({ username: 'person@example.com', emailVerified: true, password });
  expect(await ask(user, { email: 'new@example.com' })).toEqual({ outcome: 'off' });
  const [row] = await organization.deps.database.query<{ changes: number }>(
    'SELECT COUNT(*) AS changes FROM email_changes',
  );
  expect(Number(row?.changes)).toBe(0);
  await organization.close();
});
