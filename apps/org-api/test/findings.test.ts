import type { Database } from '@gatehouse/service-kit/database';
import { createFillTerms, createTermStore } from '@gatehouse/service-kit/terms';
import { type DirectoryFindings, directoryPaths, type NewUser } from '@gatehouse/shared';
import { explainRows, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { demoUsers } from '../src/users/demo-users.ts';
import { createUserFindingStore } from '../src/users/user-finding-store.ts';
import { userFromRow } from '../src/users/user-row.ts';
import type { UserRow } from '../src/users/user-table.ts';
import { termedUser } from '../src/users/user-terms.ts';
import { userTermTable } from '../src/users/user-terms-table.ts';
import { startMailedOrganization } from './support/mails.ts';
import { createDirectoryRequests } from './support/methods.ts';
import { type Organization, startOrganization } from './support/organization.ts';

const path = directoryPaths.findings;
const password = 'a-password-of-findings';
const bootstrapAdmin = { username: 'first@example.com', password };
const day = 86_400_000;

describe.each(testDialects)('what org-api finds, on %s', (dialect) => {
  let organization: Organization;

  beforeEach(async () => {
    organization = await startOrganization(dialect, { bootstrapAdmin, demoData: true });
  });
  afterEach(() => organization.close());

  const find = async (): Promise<DirectoryFindings> => {
    const answer = await createDirectoryRequests(organization).send(path, {});
    expect(answer.statusCode).toBe(200);
    return answer.json();
  };
  const { username: demoAdmin } = demoUsers[0] as NewUser;
  const change = async (username: string, changes: object) => {
    const { users } = organization.deps;
    const user = await users.findByUsername(username);
    organization.time.now += 1_000;
    expect(await users.update(user?.id ?? '', changes, organization.time.now)).toBe(true);
  };
  const setPassword = async (username: string) => {
    const { users } = organization.deps;
    const user = await users.findByUsername(username);
    organization.time.now += 1_000;
    const { now } = organization.time;
    expect(await users.replacePassword(user?.id ?? '', { newHash: '$argon2id$another', now })).toBe(true);
  };

  it('is the demo users who have their known passwords, of those who sign in', async () => {
    const people = demoUsers.filter((user) => user.password !== undefined).map(({ username }) => username);
    const found = await find();
    expect([...found.demoUsers].sort()).toEqual([...people].sort());
    await setPassword(demoAdmin);
    await change('user@example.com', { enabled: false });
    expect((await find()).demoUsers).toEqual(['idp.admin@example.com']);
  });

  it('is the only SystemAdministrator who can sign in', async () => {
    expect((await find()).soleAdministrator).toBe(demoAdmin);
    const second = { userType: 'Person', password, roles: ['SystemAdministrator', 'DirectoryReader'] } as const;
    await organization.addUser({ ...second, roles: [...second.roles], username: 'second@example.com' });
    expect(await find()).not.toHaveProperty('soleAdministrator');
    await change(demoAdmin, { enabled: false });
    await organization.addUser({ userType: 'Robot', roles: ['SystemAdministrator'], username: 'r@example.com' });
    await organization.addUser({ roles: ['SystemAdministrator'], username: 'invited@example.com' });
    await organization.addUser({ password, roles: ['IdpAdministrator'], username: 'idp@example.com' });
    expect((await find()).soleAdministrator).toBe('second@example.com');
  });

  it('counts no addresses where no mails are sent', async () => {
    expect(await find()).not.toHaveProperty('unverifiedAddresses');
  });

  it('says how many windows of refusals were left out of the last seven days', async () => {
    expect((await find()).leftOut).toEqual({ count: 0, isExact: true });
    const entry = { type: 'sign_in.refused', reason: 'left_out', actor: { kind: 'service', name: 'org-api' } } as const;
    for (let n = 0; n < 3; n += 1) await organization.deps.audit.write(entry);
    await organization.deps.audit.write({ ...entry, reason: 'role_missing' });
    expect((await find()).leftOut).toEqual({ count: 3, isExact: true });
    organization.time.now += 7 * day + 1_000;
    expect((await find()).leftOut).toEqual({ count: 0, isExact: true });
  });

  it('is for auth-server alone, and takes nothing', async () => {
    const anonymous = await organization.app.inject({ method: 'POST', url: path, payload: {} });
    expect(anonymous.statusCode).toBe(401);
    const more = await createDirectoryRequests(organization).send(path, { other: true });
    expect(more.statusCode).toBe(400);
  });
});

describe.each(testDialects)('the bootstrap administrator on %s', (dialect) => {
  it('is told until it has another password', async () => {
    const organization = await startOrganization(dialect, { bootstrapAdmin });
    const find = async () => (await createDirectoryRequests(organization).send(path, {})).json<DirectoryFindings>();
    expect((await find()).bootstrapAdministrator).toBe(bootstrapAdmin.username);
    const user = await organization.deps.users.findByUsername(bootstrapAdmin.username);
    organization.time.now += 1_000;
    const replacement = { newHash: '$argon2id$another', now: organization.time.now };
    await organization.deps.users.replacePassword(user?.id ?? '', replacement);
    expect(await find()).not.toHaveProperty('bootstrapAdministrator');
    await organization.close();
  });
});

describe.each(testDialects)('unverified addresses on %s', (dialect) => {
  let organization: Organization;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ organization, close } = await startMailedOrganization(dialect));
  });
  afterAll(() => close());

  const count = async () => {
    const answer = await createDirectoryRequests(organization).send(path, {});
    return answer.json<DirectoryFindings>().unverifiedAddresses;
  };

  it('are those of enabled people', async () => {
    await organization.addUser({ username: 'robot@example.com', userType: 'Robot' });
    await organization.addUser({ username: 'gone@example.com', enabled: false });
    await organization.addUser({ username: 'good@example.com', emailVerified: true });
    expect(await count()).toEqual({ count: 0, isExact: true });
    const bad = await organization.addUser({ username: 'bad@example.com' });
    await organization.addUser({ username: 'worse@example.com' });
    expect(await count()).toEqual({ count: 2, isExact: true });
    await organization.deps.users.verifyEmail(bad.id, 'bad@example.com', organization.time.now + 1_000);
    expect(await count()).toEqual({ count: 1, isExact: true });
    await organization.deps.users.delete((await organization.deps.users.findByUsername('worse@example.com'))?.id ?? '');
    expect(await count()).toEqual({ count: 0, isExact: true });
  });

  it('are counted to a bound, by an index', async () => {
    const { database } = organization.deps;
    for (let n = 0; n < 12; n += 1) await organization.addUser({ username: `many-${n}@example.com` });
    const word = dialect === 'mysql' ? explainRows : 'EXPLAIN QUERY PLAN';
    const plans: Record<string, unknown>[] = [];
    const explaining: Database = {
      ...database,
      async query<Row>(sql: string, parameters?: readonly unknown[]) {
        plans.push(...(await database.query<Record<string, unknown>>(`${word} ${sql}`, parameters)));
        return database.query<Row>(sql, parameters);
      },
    };
    const store = createUserFindingStore(explaining);
    expect(await store.countUnverified(10)).toEqual({ count: 10, isExact: false });
    expect(await store.countUnverified(12)).toEqual({ count: 12, isExact: true });
    expect(await store.listAdministrators(2)).toEqual([]);
    const isByIndex = (step: Record<string, unknown>) =>
      dialect === 'mysql'
        ? step.key !== null || /^<derived/.test(String(step.table))
        : !/^SCAN (?!t$)|TEMP B-TREE/.test(String(step.detail));
    expect(plans.length).toBeGreaterThan(4);
    expect(plans.filter((step) => !isByIndex(step))).toEqual([]);
    expect(JSON.stringify(plans)).toMatch(/users_roles/);
    expect(JSON.stringify(plans)).not.toMatch(/filesort/i);
  });

  it('are found of rows that a release before wrote, once their terms are filled', async () => {
    const { database } = organization.deps;
    const expected = await count();
    expect(expected?.count).toBeGreaterThan(0);
    await database.execute('DELETE FROM user_terms');
    await database.execute('UPDATE users SET terms_at = 0');
    expect((await count())?.count).toBe(0);
    const fill = createFillTerms<UserRow>({
      ...{ database, table: userTermTable, terms: createTermStore(database, userTermTable) },
      ...{ clock: () => organization.time.now, read: (row) => termedUser(userFromRow(row)) },
    });
    await fill(new AbortController().signal);
    expect(await count()).toEqual(expected);
  });
});
