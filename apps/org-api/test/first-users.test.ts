import { createSlowHash, type Logger } from '@gatehouse/service-kit';
import { cheapHashCost, testDialects } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFirstUsers } from '../src/administration/first-users.ts';
import { demoUsers } from '../src/users/demo-users.ts';
import { createUserStore } from '../src/users/user-store.ts';
import { openOrganizationDatabase, startOrganization } from './support/organization.ts';

const slowHash = createSlowHash({ cost: cheapHashCost });

describe.each(testDialects)('the first users on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openOrganizationDatabase>>;
  let warnings: string[];
  let written: unknown[];
  beforeEach(async () => {
    test = await openOrganizationDatabase(dialect);
    warnings = [];
    written = [];
  });
  afterEach(() => test.close());

  const create = (settings: Partial<Parameters<typeof createFirstUsers>[0]>) =>
    createFirstUsers({
      users: createUserStore(test.database),
      slowHash,
      clock: () => 1_800_000_000_000,
      bootstrapAdmin: undefined,
      demoData: false,
      production: false,
      audit: { write: async (entry) => void written.push(entry) },
      log: { warn: (text: string) => void warnings.push(text) } as unknown as Logger,
      ...settings,
    });
  const find = (username: string) => createUserStore(test.database).findByUsername(username);
  const bootstrapAdmin = { username: 'first@example.com', password: 'a password of the first' };

  it('are none where nothing is said', async () => {
    await create({});
    expect(written).toEqual([]);
  });

  it('are the demo users, once, also where several replicas start at the same moment', async () => {
    await Promise.all(Array.from({ length: 4 }, () => create({ demoData: true })));
    expect(written).toHaveLength(demoUsers.length);
    expect(await find('admin@example.com')).toMatchObject({ roles: ['SystemAdministrator'], userType: 'Person' });
    expect(await find('idp.admin@example.com')).toMatchObject({ roles: ['IdpAdministrator'], userType: 'Person' });
    expect(await find('user@example.com')).toMatchObject({
      ...{ roles: [], emailVerified: true, phoneNumberVerified: true, birthdate: '1985-02-28' },
      address: { locality: 'Zurich', country: 'Switzerland' },
    });
    expect(await find('robot@example.com')).toMatchObject({ userType: 'Robot', passwordHash: undefined });
  });

  it('are an administrator, whom the audit trail names, and who stays as they are', async () => {
    await create({ bootstrapAdmin });
    const first = await find('first@example.com');
    expect(first).toMatchObject({ roles: ['SystemAdministrator'], userType: 'Person' });
    const entry = { type: 'user.created', actor: { kind: 'service', name: 'org-api' } };
    expect(written).toEqual([expect.objectContaining({ ...entry, details: { roles: ['SystemAdministrator'] } })]);
    expect(await slowHash.verify(first?.passwordHash, bootstrapAdmin.password)).toBe(true);
    await create({ bootstrapAdmin: { ...bootstrapAdmin, password: 'another password of the first' } });
    expect(await find('first@example.com')).toEqual(first);
    expect([written.length, warnings]).toEqual([1, []]);
  });

  it('are no administrator where the organization has another one', async () => {
    await create({ demoData: true, bootstrapAdmin });
    expect(await find('first@example.com')).toBeUndefined();
    expect([written.length, warnings]).toEqual([demoUsers.length, []]);
  });

  it('are missed in production where the organization has no administrator', async () => {
    await create({ production: true });
    expect(warnings).toEqual([expect.stringMatching(/^the organization has no SystemAdministrator: set BOOTSTRAP_/)]);
    await create({ production: true, bootstrapAdmin });
    await create({ production: true });
    expect(warnings).toHaveLength(1);
  });

  it('are warned of where the password is a common one', async () => {
    await create({ bootstrapAdmin: { ...bootstrapAdmin, password: 'password123' } });
    expect(warnings).toEqual([expect.stringContaining('one of the 10,000 most common passwords')]);
    expect(await find('first@example.com')).toBeDefined();
  });

  it('are warned of where the name is of a user without the role', async () => {
    await create({ demoData: true });
    await test.database.execute("DELETE FROM users WHERE username = 'admin@example.com'");
    await create({ bootstrapAdmin: { ...bootstrapAdmin, username: 'user@example.com' } });
    expect(warnings).toEqual([expect.stringContaining('choose another name')]);
    expect(await find('user@example.com')).toMatchObject({ roles: [] });
  });
});

it('the first administrator is there once the service is ready', async () => {
  const bootstrapAdmin = { username: 'first@example.com', password: 'a password of the first' };
  const organization = await startOrganization('sqlite', { bootstrapAdmin });
  const { users, passwords } = organization.deps;
  expect(await users.findByUsername(bootstrapAdmin.username)).toMatchObject({ roles: ['SystemAdministrator'] });
  expect(await passwords.verifyPassword({ ...bootstrapAdmin, address: '192.0.2.1' })).toMatchObject({
    outcome: 'verified',
  });
  await organization.close();
});
