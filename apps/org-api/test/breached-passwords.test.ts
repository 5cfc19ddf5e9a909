import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quickestDialect } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../src/config.ts';
import { openBreachedPasswords } from '../src/passwords/breached-passwords.ts';
import type { User } from '../src/users/user.ts';
import { type AdministratorRequests, createAdministratorRequests, createDirectoryRequests } from './support/methods.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const variable = 'BREACHED_PASSWORDS_FILE';

const digestOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();

/** Passwords in the order of their digests, with lines of different lengths. */
const breaches = Array.from({ length: 5_000 }, (_, index) => `brèached-${index}`)
  .map((password, index) => ({ password, line: `${digestOf(password)}:${(index % 17) ** 5 + 1}` }))
  .sort((one, other) => (one.line < other.line ? -1 : 1));
const lines = breaches.map(({ line }) => line);
const asLowerCase = (line: string) => line.toLowerCase();
const asEitherCase = (line: string, index: number) => (index % 2 === 0 ? line : line.toLowerCase());

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-breaches-'));
});
afterAll(() => rm(folder, { recursive: true }));

const write = async (text: string) => {
  const path = join(folder, randomUUID());
  await writeFile(path, text);
  return path;
};
const openFile = async (text: string) => openBreachedPasswords(variable, await write(text));

describe('the list of passwords from breaches', () => {
  it.each([
    ['as it is published', lines.join('\r\n')],
    ['with an end of line behind each', `${lines.join('\r\n')}\r\n`],
    ['with line feeds alone', lines.join('\n')],
    ['with line feeds alone, also behind the last', `${lines.join('\n')}\n`],
    ['in lower case', lines.map(asLowerCase).join('\n')],
    ['in either case', lines.map(asEitherCase).join('\r\n')],
  ])('has what stands in it, the first and the last line included, and nothing else: %s', async (_case, text) => {
    const isBreached = await openFile(text);
    const some = [...breaches.filter((_, index) => index % 23 === 0), ...breaches.slice(-2)];
    for (const { password } of some) expect([password, await isBreached(password)]).toEqual([password, true]);
    for (const { password } of some) expect(await isBreached(`${password} `)).toBe(false);
    for (const other of ['', 'Brèached-1', lines[0] as string]) expect(await isBreached(other)).toBe(false);
  });

  it.each([1, 2, 3])('may have %i lines', async (count) => {
    const isBreached = await openFile(lines.slice(2_000, 2_000 + count).join('\n'));
    const found = await Promise.all(breaches.slice(1_990, 2_010).map(({ password }) => isBreached(password)));
    expect(found).toEqual(Array.from({ length: 20 }, (_, index) => index >= 10 && index < 10 + count));
  });

  it('has SHA-1 of the bytes of UTF-8, as the published one', async () => {
    const ofPassword = '5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8';
    const isBreached = await openFile(`${ofPassword}:52256179\r\n`);
    expect([await isBreached('password'), await isBreached('Password')]).toEqual([true, false]);
  });

  describe('ends the start by one line that names the variable', () => {
    const load = (path: string) => {
      try {
        return loadConfig({ [variable]: path });
      } catch (error) {
        return error;
      }
    };
    const refusal = { name: 'ConfigError', message: expect.stringMatching(new RegExp(`^${variable} [^\n]+$`)) };

    it.each([
      ['is not sorted', lines.toReversed().join('\n')],
      ['has halves that are swapped', [...lines.slice(2_500), ...lines.slice(0, 2_500)].join('\r\n')],
      ['has three lines of which the last two are swapped', [lines[0], lines[2], lines[1]].join('\n')],
      ['is empty', ''],
      ['begins with an empty line', `\n${lines.join('\n')}`],
      ['has passwords', 'password\npassword1\n'],
      ['has digests without counts', lines.map((line) => line.slice(0, 40)).join('\n')],
      ['has digests of another kind', `${createHash('sha256').update('x').digest('hex')}:1\n`],
    ])('where the file %s', async (_fault, text) => {
      const path = await write(text);
      expect(load(path)).toMatchObject(refusal);
      expect(String(load(path))).toContain(path);
    });

    it('where there is no such file', () => {
      expect(load(join(folder, 'nowhere'))).toMatchObject(refusal);
    });

    it('where it is a folder', () => {
      expect(load(folder)).toMatchObject(refusal);
    });

    it('not where the file is sorted', async () => {
      expect(load(await write(lines.join('\n')))).toMatchObject({ isBreached: expect.any(Function) });
      expect(loadConfig({}).isBreached).toBeUndefined();
    });
  });
});

describe('a password from a breach', () => {
  const password = breaches[1_234]?.password as string;
  const another = 'a-password-of-no-breach';
  let organization: Organization;
  let administrator: AdministratorRequests;
  let user: User;

  beforeAll(async () => {
    organization = await startOrganization(quickestDialect, { isBreached: await openFile(lines.join('\r\n')) });
    administrator = await createAdministratorRequests(organization);
    user = await organization.addUser({ username: 'user@example.com', password });
    organization.time.now += 1_000;
  });
  afterAll(() => organization.close());

  const refused = [
    400,
    expect.objectContaining({ errors: [{ field: 'password', detail: 'must not be one that is known from a breach' }] }),
  ];

  it('creates no user', async () => {
    const person = { username: 'new@example.com', userType: 'Person' };
    const answer = await administrator.send('POST', 'user', { ...person, password });
    expect([answer.statusCode, answer.json()]).toEqual(refused);
    expect(await organization.deps.users.findByUsername(person.username)).toBeUndefined();
    expect((await administrator.send('POST', 'user', { ...person, password: another })).statusCode).toBe(201);
  });

  it('is not set by an administrator, or by the user', async () => {
    const byAdministrator = await administrator.ofUser(user, 'PUT', '/password', { password });
    expect([byAdministrator.statusCode, byAdministrator.json()]).toEqual(refused);
    const byUser = await organization.app.inject({
      method: 'PUT',
      url: `/organization/api/organization/user/userId/${user.username}/password`,
      headers: bearer(await organization.accessToken(user)),
      payload: { password: breaches[0]?.password, oldPassword: password },
    });
    expect([byUser.statusCode, byUser.json()]).toEqual(refused);
    expect(await organization.deps.users.findById(user.id)).toEqual(user);
  });

  it('goes on working where it was set before', async () => {
    const directory = createDirectoryRequests(organization);
    expect(await directory.checkPassword(user, { password })).toMatchObject({ outcome: 'verified' });
    const change = { password: { old: password, new: another } };
    expect(await directory.change(user, change)).toMatchObject({ outcome: 'done' });
  });
});
