import { randomBytes } from 'node:crypto';
import { createEncryption } from '@gatehouse/service-kit';
import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createCodeAppSecrets } from '../src/methods/code-app-secrets.ts';
import { createCodeAppStore } from '../src/methods/code-app-store.ts';
import type { User } from '../src/users/user.ts';
import {
  type AdministratorRequests,
  asksForMore,
  bytesOf,
  codeAt,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
} from './support/methods.ts';
import { type Organization, startOrganization } from './support/organization.ts';

const password = 'second-step-password';

describe.each(testDialects)('a code app whose secret was lost with CREDENTIALS_KEY, on %s', (dialect) => {
  let organization: Organization;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let count = 0;
  let user: User;
  let recoveryCodes: string[];

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
  });
  afterAll(() => organization.close());
  beforeEach(async () => {
    count += 1;
    organization.time.now += 600_000;
    user = await organization.addUser({ username: `user${count}@example.com`, password });
    recoveryCodes = ((await directory.addCodeApp(user)) as { recoveryCodes: string[] }).recoveryCodes;
  });

  /** As the command does it, where no process has the key of before. */
  const loseKey = (current: Buffer = randomBytes(32)) => {
    const codeApps = createCodeAppStore(organization.deps.database);
    const encryption = createEncryption({ variable: 'CREDENTIALS_KEY', current });
    return createCodeAppSecrets({ codeApps, encryption }).loseUnreadable();
  };
  const checkPassword = () => directory.checkPassword(user, { password, ...asksForMore });
  const checkCode = (code = '') => directory.checkCode(user, code);
  const nextCode = () => {
    organization.time.now += 30_000;
    return codeAt(organization.time.now);
  };
  const countRows = async () => {
    const sql = 'SELECT sealed_secret FROM code_apps WHERE user_id = ?';
    return (await organization.deps.database.query<{ sealed_secret: string }>(sql, [bytesOf(user)])).length;
  };

  it('still asks for a second step after the password, and takes none of its codes', async () => {
    expect(await loseKey()).toBeGreaterThan(0);
    expect(await checkPassword()).toMatchObject({ outcome: 'verified', secondStep: { methodsVersion: 1 } });
    expect(await directory.checkPassword(user, { password })).toEqual({ outcome: 'wrong', userId: user.id });
    expect(await checkCode(nextCode())).toEqual({ outcome: 'wrong' });
    expect(await administrator.readMethods(user)).toMatchObject({
      ...{ codeApp: null, secondStep: true, password: expect.anything() },
      recoveryCodes: { left: 10 },
    });
    expect(await directory.post(directoryPaths.methodQueries, { userId: user.id })).toMatchObject({ codeApp: false });
  });

  it('is told of where a recovery code is right, until another second step is set up', async () => {
    await loseKey();
    expect(await checkCode(recoveryCodes[0])).toMatchObject({ outcome: 'verified', setUpDue: true });
    expect(await directory.addCodeApp(user)).toMatchObject({ outcome: 'done', recoveryCodes: [] });
    expect(await checkPassword()).toMatchObject({ secondStep: expect.anything() });
    expect(await checkCode(nextCode())).toMatchObject({ outcome: 'verified', by: 'code_app' });
    const later = await checkCode(recoveryCodes[1]);
    expect(later).toMatchObject({ outcome: 'verified', by: 'recovery_code' });
    expect(later).not.toHaveProperty('setUpDue');
    expect((await administrator.readMethods(user)).recoveryCodes).toMatchObject({ left: 8 });
  });

  it('goes once its user has a passkey, and with the last passkey the second step is over', async () => {
    await loseKey();
    const authenticator = createPasskey();
    expect(await directory.addPasskey(user, authenticator)).toMatchObject({ outcome: 'done' });
    expect(await countRows()).toBe(0);
    const { passkeys } = await administrator.readMethods(user);
    const removed = await administrator.ofUser(user, 'DELETE', `/methods/passkeys/${passkeys[0]?.id}`);
    expect(removed.statusCode).toBe(204);
    expect(await checkPassword()).not.toHaveProperty('secondStep');
  });

  it('goes at once where its user has a passkey, which stays the second step, as the recovery codes stay', async () => {
    await directory.addPasskey(user, createPasskey());
    await loseKey();
    expect(await countRows()).toBe(0);
    expect(await checkPassword()).toMatchObject({ secondStep: expect.anything() });
    const answer = await checkCode(recoveryCodes[0]);
    expect(answer).toMatchObject({ outcome: 'verified', by: 'recovery_code' });
    expect(answer).not.toHaveProperty('setUpDue');
  });

  it('is removed or reset by an administrator, for a user without recovery codes', async () => {
    await administrator.ofUser(user, 'DELETE', '/methods/recovery-codes');
    await loseKey();
    expect((await administrator.ofUser(user, 'DELETE', '/methods/code-app')).statusCode).toBe(204);
    expect(await checkPassword()).not.toHaveProperty('secondStep');

    user = await organization.addUser({ username: `reset${count}@example.com`, password });
    await directory.addCodeApp(user);
    await loseKey();
    expect((await administrator.ofUser(user, 'POST', '/methods/reset', {})).statusCode).toBe(200);
    expect(await countRows()).toBe(0);
    expect(await checkPassword()).not.toHaveProperty('secondStep');
  });

  it('is no reason for a later change of the key to fail, and one that can be read is not lost', async () => {
    await loseKey();
    const { credentialsKey: before } = organization.deps.config;
    const another = await organization.addUser({ username: `another${count}@example.com`, password });
    await directory.addCodeApp(another);
    expect(await loseKey(before)).toBe(0);
    const codeApps = createCodeAppStore(organization.deps.database);
    const current = randomBytes(32);
    const next = createEncryption({ variable: 'CREDENTIALS_KEY', current, previous: before });
    await createCodeAppSecrets({ codeApps, encryption: next }).renew();
    expect(await loseKey(current)).toBe(0);
    expect(await loseKey()).toBe(1);
    expect(await loseKey()).toBe(0);
  });
});
