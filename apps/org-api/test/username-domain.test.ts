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

const password = 'a-password-of-ursula';
const wrong = 'another-password';

describe.each(testDialects)('USERNAME_DOMAIN on %s', (dialect) => {
  let mailed: Awaited<ReturnType<typeof startMailedOrganization>>;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let user: User;
  let names = 0;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect, { usernameDomain: 'Example.com', isRegistrationOpen: true });
    directory = createDirectoryRequests(mailed.organization);
    administrator = await createAdministratorRequests(mailed.organization);
  });
  afterAll(() => mailed.close());
  beforeEach(async () => {
    names += 1;
    const username = `ursula${names}@example.com`;
    user = await mailed.organization.addUser({ username, password, emailVerified: true });
  });

  const shortOf = ({ username }: User) => username.slice(0, username.indexOf('@'));
  const check = (username: string, text = password, address = '192.0.2.1') =>
    directory.post(directoryPaths.passwordChecks, { username, password: text, address });
  const ask = (name: string, more: object = {}) => {
    const common = { language: 'en', requestId: 'request-of-the-user', address: `10.0.0.${names}` };
    return directory.post(directoryPaths.linkRequests, { ...common, name, ...more });
  };

  it('completes a name without an @ at a check of a password, whatever its case', async () => {
    for (const name of [shortOf(user), shortOf(user).toUpperCase(), user.username]) {
      expect(await check(name)).toMatchObject({ outcome: 'verified', user: { username: user.username } });
    }
    const { username, id: userId } = user;
    const completed = `${shortOf(user)}@Example.com`;
    expect(await check(shortOf(user), wrong)).toEqual({ outcome: 'wrong', userId, username: completed });
    expect(await check(username, wrong)).toEqual({ outcome: 'wrong', userId });
  });

  it('leaves a name of another domain, and one with an @ alone, as they are', async () => {
    const other = await mailed.organization.addUser({ username: `${shortOf(user)}@example.org`, password: wrong });
    expect(await check(other.username, wrong)).toMatchObject({ user: { username: other.username } });
    for (const name of [`${shortOf(user)}@`, '@example.com', '', `${shortOf(user)}@example`]) {
      expect([name, await check(name)]).toEqual([name, { outcome: 'wrong' }]);
    }
  });

  it('counts guesses of both forms together', async () => {
    const address = `192.0.2.${100 + names}`;
    const forms = [shortOf(user), user.username];
    for (let n = 0; n < 10; n += 1) {
      expect((await check(forms[n % 2] ?? '', wrong, address)).outcome).toBe('wrong');
    }
    for (const name of forms) expect((await check(name, password, address)).outcome).toBe('limited');
  });

  it('completes the name of a user who asks for a new password', async () => {
    expect(await ask(shortOf(user))).toEqual({ outcome: 'done' });
    expect((await mailed.takeMails(user.email)).map(({ subject }) => subject)).toEqual(['Set a new password']);
    // The longest name that auth-server sends, with the domain behind it, is no failure.
    expect(await ask('x'.repeat(255))).toEqual({ outcome: 'done' });
    await mailed.settle();
  });

  it('completes the name of an account whose change of the address is refused', async () => {
    const { id: userId, passwordChangedAt } = user;
    const common = { requestId: 'request-of-the-user', address: `10.0.0.${names}` };
    const emailChange = { email: `new-${user.username}` };
    const signedIn = { userId, passwordChangedAt };
    const asked = { ...common, language: 'en', signedIn, emailChange };
    expect(await directory.post(directoryPaths.linkRequests, asked)).toEqual({ outcome: 'done' });
    const token = tokenOf((await mailed.takeMails(emailChange.email))[0]);
    const refuse = (username: string) =>
      directory.post(directoryPaths.linkUses, { ...common, token, fields: { decision: 'refuse', username } });
    expect(await refuse('another')).toEqual({ outcome: 'wrong_name' });
    expect(await refuse('')).toEqual({ outcome: 'wrong_name' });
    expect(await refuse(shortOf(user))).toMatchObject({ outcome: 'done' });
  });

  it('completes no address of a registration', async () => {
    expect(await ask('newcomer', { register: true })).toEqual({ outcome: 'refused', fault: 'no_address' });
  });

  it('completes no name that administrators send', async () => {
    const answer = await administrator.ofUser({ username: shortOf(user) }, 'GET');
    expect(answer.statusCode).toBe(404);
    expect((await administrator.send('POST', 'user', { username: 'robot', userType: 'Robot' })).statusCode).toBe(400);
  });

  it('is told to auth-server', async () => {
    expect(await directory.post(directoryPaths.settings, {})).toMatchObject({ usernameDomain: 'Example.com' });
  });
});

describe.each(testDialects)('without USERNAME_DOMAIN, on %s', (dialect) => {
  it('names without an @ are those of nobody', async () => {
    const mailed = await startMailedOrganization(dialect);
    try {
      const { organization } = mailed;
      const { email } = await organization.addUser({ username: 'ursula@example.com', password, emailVerified: true });
      const directory = createDirectoryRequests(organization);
      const check = { username: 'ursula', password, address: '192.0.2.1' };
      expect(await directory.post(directoryPaths.passwordChecks, check)).toEqual({ outcome: 'wrong' });
      const request = { name: 'ursula', language: 'en', requestId: 'request', address: '192.0.2.1' };
      expect(await directory.post(directoryPaths.linkRequests, request)).toEqual({ outcome: 'done' });
      expect(await mailed.takeMails(email)).toEqual([]);
      expect(await directory.post(directoryPaths.settings, {})).not.toHaveProperty('usernameDomain');
    } finally {
      await mailed.close();
    }
  });
});
