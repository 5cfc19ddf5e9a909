import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../src/mails/messages/en.ts';
import type { User } from '../src/users/user.ts';
import { startMailedOrganization } from './support/mails.ts';
import {
  type AdministratorRequests,
  bytesOf,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
  proven,
} from './support/methods.ts';
import { type Organization, startOrganization } from './support/organization.ts';

const subject = en.notices.account_deleted.subject;
const day = 86_400_000;

let count = 0;
const nextName = () => {
  count += 1;
  return `leaver${count}@example.com`;
};

describe.each(testDialects)('the deletion of an account on %s', (dialect) => {
  let mailed: Awaited<ReturnType<typeof startMailedOrganization>>;
  let organization: Organization;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let user: User;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect, { mayDeleteAccount: true });
    ({ organization } = mailed);
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
  });
  afterAll(() => mailed?.close());
  beforeEach(async () => {
    organization.time.now += 2 * day;
    user = await organization.addUser({ username: nextName(), emailVerified: true });
  });

  const remove = (who = user) =>
    directory.post(directoryPaths.profileChanges, { ...proven(who), changes: {}, delete: true });
  const find = ({ id }: User) => organization.deps.users.findById(id);
  const listDeleted = async (deletedAfter = organization.time.now - day) => {
    const { deletedUsers } = await directory.post(directoryPaths.settings, { deletedAfter });
    return deletedUsers as { id: string; deletedAt: number }[];
  };
  /** The rows of each table that has something of the user. */
  const countRows = async ({ id }: User) => {
    const tables = ['passkeys', 'code_apps', 'recovery_codes', 'mailed_links', 'email_changes', 'mails'];
    const counted = tables.map(async (table) => {
      const sql = `SELECT COUNT(*) AS found FROM ${table} WHERE user_id = ?`;
      const [row] = await organization.deps.database.query<{ found: number }>(sql, [bytesOf({ id })]);
      return [table, Number(row?.found)] as const;
    });
    return Object.fromEntries(await Promise.all(counted));
  };
  const none = { passkeys: 0, code_apps: 0, recovery_codes: 0, mailed_links: 0, email_changes: 0, mails: 0 };

  it('removes the user with all methods, links, changes and mails', async () => {
    await directory.addPasskey(user, createPasskey());
    await directory.addCodeApp(user);
    const changed = (await find(user)) as User;
    const asking = { ...{ language: 'en', address: '192.0.2.1', requestId: 'request' } };
    const signedIn = { userId: changed.id, passwordChangedAt: changed.passwordChangedAt };
    const emailChange = { email: nextName(), strong: false };
    await directory.post(directoryPaths.linkRequests, { ...asking, signedIn, emailChange });
    const before = await countRows(user);
    expect([before.passkeys, before.code_apps, before.recovery_codes, before.email_changes]).toEqual([1, 1, 10, 1]);
    expect(before.mailed_links).toBeGreaterThan(0);
    expect(await remove(changed)).toEqual({ outcome: 'deleted' });
    expect(await find(user)).toBeUndefined();
    await mailed.settle();
    expect(await countRows(user)).toEqual(none);
  });

  it('tells a verified address, and auth-server, and the audit trail that it was the user', async () => {
    expect(await remove()).toEqual({ outcome: 'deleted' });
    expect((await mailed.takeMails(user.email)).map((mail) => mail.subject)).toEqual([subject]);
    expect((await listDeleted()).map(({ id }) => id)).toContain(user.id);
    const events = await administrator.listEvents(user);
    expect(events.filter(({ type }) => type === 'user.deleted')).toMatchObject([
      { actor: { kind: 'user', id: user.id }, subject: { id: user.id } },
    ]);
  });

  it('mails nothing to an address that is not verified', async () => {
    user = await organization.addUser({ username: nextName() });
    expect(await remove()).toEqual({ outcome: 'deleted' });
    expect(await mailed.takeMails(user.email)).toEqual([]);
  });

  it('is refused to the last administrator, who stays with every method', async () => {
    // The other one, by whom tests look at the organization, has no password and counts for nobody.
    const last = await organization.addUser({
      username: nextName(),
      roles: ['SystemAdministrator'],
      password: 'x'.repeat(12),
    });
    await directory.addPasskey(last, createPasskey());
    const current = (await find(last)) as User;
    for (;;) {
      const others = (await organization.deps.users.list({ after: undefined, limit: 1000 })).filter(
        ({ id, roles, enabled }) => id !== last.id && enabled && roles.includes('SystemAdministrator'),
      );
      if (others.length === 0) break;
      for (const { id } of others) await organization.deps.users.delete(id);
    }
    expect(await remove(current)).toEqual({ outcome: 'last_administrator' });
    expect((await find(last))?.enabled).toBe(true);
    expect((await countRows(last)).passkeys).toBe(1);
    expect((await listDeleted()).map(({ id }) => id)).not.toContain(last.id);
    expect(await mailed.takeMails(last.email)).not.toContainEqual(expect.objectContaining({ subject }));
    administrator = await createAdministratorRequests(organization);
  });

  it('is nothing after another password, nor twice', async () => {
    expect(await remove({ ...user, passwordChangedAt: user.passwordChangedAt - 1 })).toEqual({ outcome: 'changed' });
    expect(await find(user)).toBeDefined();
    const outcomes = await Promise.all(Array.from({ length: 10 }, async () => (await remove()).outcome));
    expect(outcomes.filter((outcome) => outcome === 'deleted')).toHaveLength(1);
    expect((await mailed.takeMails(user.email)).map((mail) => mail.subject)).toEqual([subject]);
  });

  it('leaves the username to another, who inherits nothing', async () => {
    await directory.addPasskey(user, createPasskey());
    await remove((await find(user)) as User);
    const next = await organization.addUser({ username: user.username });
    expect(next.id).not.toBe(user.id);
    expect(await administrator.readMethods(next)).toMatchObject({ passkeys: [], codeApp: null, secondStep: false });
    expect((await directory.checkPassword(next, { password: 'a-password-of-before' })).outcome).toBe('wrong');
  });

  it('by an administrator is told to auth-server, too', async () => {
    expect((await administrator.ofUser(user, 'DELETE')).statusCode).toBe(204);
    expect((await listDeleted()).filter(({ id }) => id === user.id)).toEqual([
      { id: user.id, deletedAt: organization.time.now },
    ]);
    expect((await listDeleted(organization.time.now + 1)).filter(({ id }) => id === user.id)).toEqual([]);
  });

  it('is told to auth-server for thirty days', async () => {
    await remove();
    const { deps, time } = organization;
    const read = () =>
      deps.database.query<{ expires_at: number }>('SELECT expires_at FROM deleted_users WHERE user_id = ?', [
        bytesOf(user),
      ]);
    expect((await read()).map((row) => Number(row.expires_at))).toEqual([time.now + 30 * day]);
  });
});

it('accounts are not deleted by their users where that is off', async () => {
  const organization = await startOrganization('sqlite');
  try {
    const directory = createDirectoryRequests(organization);
    const user = await organization.addUser({ username: nextName() });
    const answer = await directory.post(directoryPaths.profileChanges, { ...proven(user), changes: {}, delete: true });
    expect(answer).toEqual({ outcome: 'changed' });
    expect(await organization.deps.users.findById(user.id)).toBeDefined();
    expect(await directory.post(directoryPaths.settings, {})).toMatchObject({ accountDeletion: false });
  } finally {
    await organization.close();
  }
});
