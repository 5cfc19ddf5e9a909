import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import { startMailedOrganization, tokenOf } from './support/mails.ts';
import {
  type AdministratorRequests,
  createAdministratorRequests,
  createDirectoryRequests,
  type DirectoryRequests,
} from './support/methods.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

let names = 0;
const nextName = () => {
  names += 1;
  return `unverified${names}@example.com`;
};
const minute = 60_000;

describe.each(testDialects)('a mail to verify an address, by an administrator, on %s', (dialect) => {
  let mailed: Awaited<ReturnType<typeof startMailedOrganization>>;
  let organization: Organization;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let user: User;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect);
    ({ organization } = mailed);
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
  });
  afterAll(() => mailed.close());
  beforeEach(async () => {
    organization.time.now += 24 * 60 * minute;
    user = await organization.addUser({ username: nextName(), password: 'a-password', locale: 'de' });
  });

  const ask = async (of: Pick<User, 'username'> = user) => {
    const answer = await administrator.ofUser(of, 'POST', '/email-verifications');
    return [answer.statusCode, answer.body === '' ? undefined : answer.json<{ detail?: string }>().detail];
  };
  const use = (token: string, more: object = {}) =>
    directory.post(directoryPaths.linkUses, {
      ...{ token, address: '192.0.2.9', requestId: 'request-of-the-user' },
      ...more,
    });
  const isVerified = async () => (await organization.deps.users.findById(user.id))?.emailVerified;

  it('brings the user a link in the own language, which verifies the address', async () => {
    expect(await ask()).toEqual([202, undefined]);
    const mails = await mailed.takeMails(user.email);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.subject).toBe('Bestätigen Sie Ihre E-Mail-Adresse');
    const token = tokenOf(mails[0]);
    expect(await use(token)).toMatchObject({ outcome: 'open', purpose: 'verify', userId: user.id });
    expect(await isVerified()).toBe(false);
    expect((await use(token, { userId: user.id, fields: {} })).outcome).toBe('done');
    expect(await isVerified()).toBe(true);
    expect(await ask()).toEqual([409, 'the e-mail address of this user is verified already']);
    expect(await mailed.takeMails(user.email)).toEqual([]);
  });

  it('brings the same link again within half an hour, and another one after it', async () => {
    const askForLink = async () => {
      expect((await ask())[0]).toBe(202);
      return tokenOf((await mailed.takeMails(user.email))[0]);
    };
    const first = await askForLink();
    organization.time.now += 29 * minute;
    expect(await askForLink()).toBe(first);
    organization.time.now += 2 * minute;
    expect(await askForLink()).not.toBe(first);
  });

  it('goes to the stored address, not to the name', async () => {
    user = await organization.addUser({ username: nextName(), email: nextName(), password: 'a-password' });
    expect((await ask())[0]).toBe(202);
    expect(await mailed.takeMails(user.email)).toHaveLength(1);
    expect(await mailed.takeMails(user.username)).toEqual([]);
  });

  it('is not for an address that takes no mail: 409', async () => {
    user = await organization.addUser({ username: nextName(), email: '<nobody>@example.com', password: 'a-password' });
    expect(await ask()).toEqual([409, 'the e-mail address of this user gets no mail']);
    expect(await mailed.countLinks(user)).toBe(0);
  });

  it('is not for a Robot: 400, nor for nobody: 404', async () => {
    const robot = await organization.addUser({ username: nextName(), userType: 'Robot' });
    expect(await ask(robot)).toEqual([400, 'a Robot never signs in']);
    expect((await ask({ username: 'nobody@example.com' }))[0]).toBe(404);
  });

  it('is for a SystemAdministrator alone: 403, and 401 without a token', async () => {
    const idp = await organization.addUser({ username: nextName(), roles: ['IdpAdministrator'] });
    const url = `/organization/api/organization/user/userId/${encodeURIComponent(user.username)}/email-verifications`;
    for (const caller of [idp, user]) {
      const headers = bearer(await organization.accessToken(caller));
      expect((await organization.app.inject({ method: 'POST', url, headers })).statusCode).toBe(403);
    }
    expect((await organization.app.inject({ method: 'POST', url })).statusCode).toBe(401);
    expect(await mailed.takeMails(user.email)).toEqual([]);
  });
});

describe('a mail to verify an address, where no mails are sent', () => {
  it('is 409, and is not kept', async () => {
    const organization = await startOrganization('sqlite');
    const administrator = await createAdministratorRequests(organization);
    const user = await organization.addUser({ username: nextName(), password: 'a-password' });
    const answer = await administrator.ofUser(user, 'POST', '/email-verifications');
    expect([answer.statusCode, answer.json()]).toMatchObject([409, { detail: 'this server sends no mail' }]);
    expect(await organization.deps.database.query('SELECT * FROM mailed_links')).toEqual([]);
    await organization.close();
  });
});
