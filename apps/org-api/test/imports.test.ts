import { pbkdf2Sync, randomUUID } from 'node:crypto';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ImportedLine } from '../src/imports/import-users.ts';
import type { User } from '../src/users/user.ts';
import {
  type AdministratorRequests,
  asksForMore,
  challenge,
  codeAt,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  holdStatement,
  secret,
} from './support/methods.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const path = '/organization/api/organization/user-imports';
const password = 'a password of then';
const toBase64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
const salt = Buffer.from('salt of Keycloak');
/** The password, as other servers keep it. */
const hashes = {
  bcrypt: '$2b$04$C8rrEjUi9SNxulM7wQAOWOYf8gbtpIxsI/TqsNMZGIlf2m3wjF7xS',
  argon2: '$argon2id$v=19$m=7168,t=5,p=1$YabfNdKapaUfPQtc4yP20w$ncgZfaORPgh5u2YJeygGfVQZBcZsJYhJun+RlLmJ1Y4',
  pbkdf2: `$pbkdf2-sha256$i=1000$${toBase64(salt)}$${toBase64(pbkdf2Sync(password, salt, 1000, 64, 'sha256'))}`,
};

describe.each(testDialects)('the import of users on %s', (dialect) => {
  let organization: Organization;
  let admin: User;
  let directory: ReturnType<typeof createDirectoryRequests>;
  let administrator: AdministratorRequests;
  const newName = () => `${randomUUID()}@example.com`;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
    admin = await organization.addUser({ username: 'admin@example.com', roles: ['SystemAdministrator'] });
  });
  afterAll(() => organization.close());

  interface Options {
    query?: string;
    by?: User;
    at?: Pick<Organization, 'app'>;
    type?: string;
  }
  const send = async (body: string, { query = '', by = admin, at = organization, type }: Options = {}) =>
    at.app.inject({
      ...{ method: 'POST', url: `${path}${query}`, payload: body },
      headers: { ...bearer(await organization.accessToken(by)), 'content-type': type ?? 'application/x-ndjson' },
    });
  const importLines = async (lines: readonly (object | string)[], options?: Options): Promise<ImportedLine[]> => {
    const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    const answer = await send(body, options);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    return answer.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ImportedLine);
  };
  const importOne = async (line: object, options?: Options): Promise<ImportedLine> =>
    (await importLines([line], options))[0] as ImportedLine;
  const read = async (username: string) => (await administrator.ofUser({ username }, 'GET')).json<User>();
  const count = async () => {
    const [row] = await organization.deps.database.query<{ found: number }>('SELECT COUNT(*) AS found FROM users');
    return Number(row?.found);
  };
  const hashOf = async (username: string) => {
    const sql = 'SELECT password_hash, guarded_hash, imported_hash, imported_form FROM users WHERE username = ?';
    const [row] = await organization.deps.database.query<Record<string, string | null>>(sql, [username]);
    return row;
  };
  const checkPassword = (username: string, typed = password) =>
    directory.checkPassword({ username }, { password: typed, ...asksForMore });

  it('keeps the id, the names and the times of a user', async () => {
    const [id, username] = [randomUUID(), newName()];
    const line = {
      ...{ kind: 'user', id, username, userType: 'Person', enabled: true, firstName: 'Ursula', lastName: 'User' },
      ...{ email: `mail-${username}`, emailVerified: true, locale: 'de', createdAt: '2020-02-29T12:00:00Z' },
      ...{ externalId: `auth0|${id}`, passwordHash: hashes.bcrypt, nickname: 'Ursi' },
    };
    expect(await importOne(line)).toEqual({ line: 1, result: 'created', id, username });
    const { kind: _kind, passwordHash: _hash, createdAt, ...members } = line;
    expect(await read(username)).toMatchObject({ ...members, createdAt: '2020-02-29T12:00:00.000Z' });
    expect(createdAt).toBe('2020-02-29T12:00:00Z');
  });

  it('changes nothing where the same lines come again', async () => {
    const lines = [1, 2, 3].map(() => ({ id: randomUUID(), username: newName(), passwordHash: hashes.argon2 }));
    expect((await importLines(lines)).map(({ result }) => result)).toEqual(Array(3).fill('created'));
    const before = await Promise.all(lines.map(({ username }) => read(username)));
    expect((await importLines(lines)).map(({ result }) => result)).toEqual(Array(3).fill('skipped'));
    const again = await importLines(lines, { query: '?on_existing=update' });
    expect(again.map(({ result }) => result)).toEqual(Array(3).fill('unchanged'));
    expect(await Promise.all(lines.map(({ username }) => read(username)))).toEqual(before);
  });

  it('says in a dry run what it would do, and does nothing', async () => {
    const [known, found] = [newName(), await count()];
    await importOne({ username: known });
    const lines = [{ username: newName() }, { username: known }, { username: 'nobody' }];
    const results = await importLines(lines, { query: '?dry_run=true' });
    expect(results.map(({ line, result }) => [line, result])).toEqual([
      [1, 'created'],
      [2, 'skipped'],
      [3, 'refused'],
    ]);
    expect(await count()).toBe(found + 1);
  });

  it('refuses a faulty line alone, and says why', async () => {
    const username = newName();
    const results = await importLines([
      '{"username":',
      '[]',
      { username: 'no-address' },
      { username, password: 'in the clear' },
      { username, passwordHash: '$6$salt$hash' },
      { username, passwordHash: '$2b$14$K7Z4Xn1UXMJ1t2Sy8kPz0uQv1eG8kYw0q1Fh2m3n4o5p6q7r8s9tO' },
      { username, userType: 'Robot', passwordHash: hashes.bcrypt },
      { username, timezone: 'Mars/Base' },
      { username, groups: ['no such group'] },
      { username, createdAt: '2026-02-30T25:00:00Z' },
      { username, padding: 'x'.repeat(65_536) },
      { username, identities: [1, 2].map((subject) => ({ issuer: 'https://id.example', subject: String(subject) })) },
      { username },
      { username },
    ]);
    expect(results.map(({ result }) => result)).toEqual([...Array(12).fill('refused'), 'created', 'refused']);
    expect(results.map(({ problems = [] }) => problems.map(({ field }) => field))).toEqual([
      ...[['line'], ['body'], ['username'], ['password'], ['passwordHash'], ['passwordHash'], ['userType']],
      ...[['timezone'], ['groups'], ['createdAt'], ['line'], ['identities'], [], ['username']],
    ]);
    expect(JSON.stringify(results)).not.toContain('in the clear');
    expect(JSON.stringify(results)).not.toContain('$6$');
  });

  it('is for a SystemAdministrator, takes 500 lines of JSON and 1 MiB', async () => {
    const other = await organization.addUser({ username: newName(), roles: ['IdpAdministrator'] });
    const line = JSON.stringify({ username: newName() });
    const lines = (many: number) => Array.from({ length: many }, () => '{}').join('\n');
    expect((await send(line, { by: other })).statusCode).toBe(403);
    expect((await send(line, { type: 'application/json' })).statusCode).toBe(415);
    expect((await send(line, { query: '?on_existing=replace' })).statusCode).toBe(400);
    expect((await send(lines(501))).statusCode).toBe(413);
    expect((await send(`${lines(500)}\n`)).statusCode).toBe(200);
    expect((await send('x'.repeat(1024 * 1024 + 1))).statusCode).toBe(413);
    expect((await read(JSON.parse(line).username)).id).toBeUndefined();
  });

  it('answers two at a time', async () => {
    const held = holdStatement(organization, /INSERT INTO users/);
    const line = () => JSON.stringify({ username: newName() });
    const all = [send(line()), send(line()), send(line())];
    const refused = await Promise.race(all);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1']);
    held.release();
    expect((await Promise.all(all)).map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 503]);
    expect((await send(line())).statusCode).toBe(200);
  });

  it('is one event, with its sums and the digest of the body', async () => {
    const username = newName();
    await importLines([{ username }, { username: 'nobody' }]);
    const answer = await administrator.send('GET', 'audit-events?type=users.imported&limit=1');
    expect(answer.json<{ events: object[] }>().events).toEqual([
      expect.objectContaining({
        type: 'users.imported',
        actor: expect.objectContaining({ name: 'admin@example.com' }),
        details: {
          ...{ created: 1, updated: 0, unchanged: 0, skipped: 0, refused: 1 },
          digest: expect.stringMatching(/^[\w-]{43}$/),
        },
      }),
    ]);
    expect(await administrator.listEvents({ username })).toEqual([]);
  });

  describe('of a user who is there', () => {
    it('changes names, locale, timezone, groups and externalId alone, where that is asked for', async () => {
      const group = `group ${randomUUID()}`;
      await administrator.send('POST', 'group', { name: group });
      const [id, username] = [randomUUID(), newName()];
      await importOne({ id, username, firstName: 'Old', passwordHash: hashes.bcrypt });
      const before = await read(username);
      const line = {
        ...{ id, username: username.toUpperCase(), firstName: 'New', lastName: 'Name', locale: 'fr' },
        ...{ timezone: 'Europe/Zurich', externalId: `x ${id}`, groups: [group] },
        ...{ email: 'other@example.com', emailVerified: true, enabled: false, roles: [], nickname: 'other' },
        ...{ passwordHash: hashes.argon2, codeApp: { secret } },
      };
      expect(await importOne(line)).toMatchObject({ result: 'skipped' });
      expect(await read(username)).toEqual(before);
      expect(await importOne(line, { query: '?on_existing=update' })).toMatchObject({
        result: 'updated',
        id,
        username,
      });
      const { updatedAt, ...after } = await read(username);
      expect(after).toEqual({
        ...{ ...before, updatedAt: undefined },
        ...{ firstName: 'New', lastName: 'Name', locale: 'fr', timezone: 'Europe/Zurich', externalId: `x ${id}` },
        groups: [group],
      });
      expect(updatedAt).not.toBe(before.updatedAt);
      expect(await checkPassword(username)).toMatchObject({ outcome: 'verified' });
    });

    it('is refused where the user has a role, whatever is asked for', async () => {
      const line = { username: 'Admin@example.com', firstName: 'Mallory' };
      for (const query of ['', '?on_existing=update', '?on_existing=update&allow_roles=true']) {
        expect(await importOne(line, { query })).toEqual({
          ...{ line: 1, result: 'refused' },
          problems: [{ field: 'username', detail: expect.stringMatching(/^administrator: /) }],
        });
      }
      expect((await read('admin@example.com')).firstName).toBe('');
    });

    it('is a conflict where id and username mean different things', async () => {
      const [one, other] = [1, 2].map(() => ({ id: randomUUID(), username: newName() }));
      await importLines([one as object, other as object]);
      const lines = [
        { id: one?.id, username: other?.username },
        { id: one?.id, username: newName() },
        { id: randomUUID(), username: one?.username },
      ];
      const results = await importLines(lines, { query: '?on_existing=update' });
      expect(results.map(({ result, problems }) => [result, problems?.[0]?.field])).toEqual(
        Array(3).fill(['refused', 'id']),
      );
    });
  });

  it('leaves roles out, and says so, unless they are asked for', async () => {
    const [one, other] = [newName(), newName()];
    const line = { roles: ['IdpAdministrator'], passwordHash: hashes.bcrypt };
    expect(await importOne({ ...line, username: one })).toMatchObject({
      ...{ result: 'created', problems: [{ field: 'roles' }] },
    });
    expect((await read(one)).roles).toEqual([]);
    const given = await importOne({ ...line, username: other }, { query: '?allow_roles=true' });
    expect(given.problems).toBeUndefined();
    expect((await read(other)).roles).toEqual(['IdpAdministrator']);
  });

  it('gives nobody the externalId, the passkey or the account of another', async () => {
    const identity = { issuer: 'https://id.example.com', subject: randomUUID() };
    const passkey = { ...{ credentialId: 'AAAA', publicKey: 'AAAA' }, counter: 0, userHandle: 'AAAA' };
    const externalId = randomUUID();
    await importOne({ username: newName(), externalId, passkeys: [passkey], identities: [identity] });
    const lines = [{ externalId }, { passkeys: [passkey] }, { identities: [identity] }];
    const results = await importLines(lines.map((line) => ({ username: newName(), ...line })));
    expect(results.map(({ result, problems }) => [result, problems?.[0]?.field])).toEqual([
      ['refused', 'externalId'],
      ['refused', 'passkeys'],
      ['refused', 'identities'],
    ]);
  });

  it('finds its users by search, in groups and by their accounts', async () => {
    const group = `group ${randomUUID()}`;
    await administrator.send('POST', 'group', { name: group });
    const username = newName();
    const identity = { issuer: 'https://id.example.com', subject: randomUUID() };
    await importOne({ username, groups: [group], identities: [identity], firstName: 'Wilhelmina' });
    expect((await read(username)).groups).toEqual([group]);
    const list = await administrator.send('GET', `user?group=${encodeURIComponent(group)}`);
    expect(list.json<{ users: User[] }>().users.map((user) => user.username)).toEqual([username]);
    const identities = await administrator.ofUser({ username }, 'GET', '/identities');
    expect(identities.json()).toMatchObject({ identities: [{ issuer: identity.issuer, subject: identity.subject }] });
  });

  describe.each(Object.entries(hashes))('of a password by %s', (_, passwordHash) => {
    it('lets its user sign in, and is then kept as ours; nothing that was issued ends', async () => {
      const username = newName();
      await importOne({ username, passwordHash });
      expect(await hashOf(username)).toMatchObject({
        password_hash: null,
        guarded_hash: null,
        imported_hash: passwordHash,
      });
      expect(await checkPassword(username, 'another password')).toMatchObject({ outcome: 'wrong' });
      expect((await hashOf(username))?.imported_hash).toBe(passwordHash);
      const first = await checkPassword(username);
      expect(first).toMatchObject({ outcome: 'verified', user: { username } });
      expect(await hashOf(username)).toEqual({
        ...{ password_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=8,/), guarded_hash: null },
        ...{ imported_hash: null, imported_form: null },
      });
      expect(await checkPassword(username, 'another password')).toMatchObject({ outcome: 'wrong' });
      const second = await checkPassword(username);
      expect(second.user?.passwordChangedAt).toBe(first.user?.passwordChangedAt);
    });
  });

  it('lets a user with a code app in by both, and never by the password alone', async () => {
    const [id, username] = [randomUUID(), newName()];
    await importOne({ id, username, passwordHash: hashes.argon2, codeApp: { secret } });
    const first = await checkPassword(username);
    expect(first).toMatchObject({ outcome: 'verified', secondStep: { methodsVersion: 0 } });
    expect(await hashOf(username)).toMatchObject({ password_hash: null, imported_hash: null });
    expect(await checkPassword(username)).toMatchObject({ secondStep: { methodsVersion: 0 } });
    const user = { ...(await read(username)), passwordChangedAt: Number(first.user?.passwordChangedAt) };
    const { methodsVersion } = first.secondStep as { methodsVersion: number };
    const code = await directory.checkCode(user, codeAt(organization.time.now), { methodsVersion });
    expect(code).toMatchObject({ outcome: 'verified' });
  });

  it.each([true, false])('keeps a passkey, of which the first use says whether it is copied: %s', async (syncs) => {
    const authenticator = createPasskey({ syncs });
    const username = newName();
    const userHandle = Buffer.from(randomUUID()).toString('base64url');
    const { credentialId, publicKey } = authenticator;
    const passkey = { credentialId, publicKey, counter: 0, userHandle, rpId: 'auth.example.com', name: 'key' };
    await importOne({ username, passwordHash: hashes.bcrypt, passkeys: [passkey] });
    const answer = (more: object = {}) => authenticator.get({ challenge }, { userHandle, ...more });
    // It did not verify its user here yet, so it is a second step alone.
    expect(await directory.checkPasskey(answer())).toMatchObject({ outcome: 'wrong' });
    const { user, secondStep } = await checkPassword(username);
    const first = {
      ...{ userId: user?.id, passwordChangedAt: user?.passwordChangedAt },
      ...(secondStep as { methodsVersion: number }),
    };
    expect(await directory.checkPasskey(answer(), { first })).toMatchObject({ outcome: 'verified' });
    expect(await directory.checkPasskey(answer())).toMatchObject({ outcome: 'verified', user: { username } });
    const methods = await administrator.readMethods({ username });
    expect(methods.passkeys).toMatchObject([{ name: 'key', backupEligible: syncs, backedUp: syncs }]);
    const other = createPasskey({ syncs: !syncs });
    expect(other.credentialId).not.toBe(credentialId);
    expect(await directory.checkPasskey(answer({ flags: syncs ? 5 : 13 }))).toMatchObject({ outcome: 'wrong' });
  });

  it.each(['', '?dry_run=true'])('leaves passkeys of other domains out, and says so: %s', async (query) => {
    const build = (rpId?: string) => {
      const { credentialId, publicKey } = createPasskey();
      const userHandle = Buffer.from(randomUUID()).toString('base64url');
      return { credentialId, publicKey, counter: 0, userHandle, name: rpId ?? 'of no domain', ...(rpId && { rpId }) };
    };
    const elsewhere = build('acme.example');
    const lines = [
      [build('login.acme.example'), elsewhere],
      [elsewhere, build('auth.example.com'), build()],
    ].map((passkeys) => ({ username: newName(), passwordHash: hashes.bcrypt, passkeys }));
    const results = await importLines(lines, { query });
    expect(results.map(({ result, problems }) => [result, problems])).toEqual(
      ['login.acme.example, acme.example', 'acme.example'].map((domains) => [
        'created',
        [{ field: 'passkeys', detail: expect.stringContaining(`passkey_of_another_domain: those of ${domains} are`) }],
      ]),
    );
    if (query !== '') return;
    const [alone, both] = lines.map(({ username }) => username) as [string, string];
    expect(await checkPassword(alone)).toMatchObject({ outcome: 'verified', user: { username: alone } });
    expect((await checkPassword(alone)).secondStep).toBeUndefined();
    expect((await administrator.readMethods({ username: alone })).passkeys).toEqual([]);
    const kept = (await administrator.readMethods({ username: both })).passkeys as { name: string }[];
    expect(kept.map(({ name }) => name).sort()).toEqual(['auth.example.com', 'of no domain']);
    expect((await checkPassword(both)).secondStep).toBeDefined();
    expect(await importLines(lines)).toMatchObject([{ result: 'skipped' }, { result: 'skipped' }]);
  });

  it('ends an imported password with each other one, and with its removal', async () => {
    const username = newName();
    await importOne({ username, passwordHash: hashes.bcrypt });
    const set = await administrator.ofUser({ username }, 'PUT', '/password', { password: 'a new password of now' });
    expect(set.statusCode).toBe(204);
    expect(await checkPassword(username)).toMatchObject({ outcome: 'wrong' });
    expect(await hashOf(username)).toMatchObject({ imported_hash: null, imported_form: null });
    expect(await checkPassword(username, 'a new password of now')).toMatchObject({ outcome: 'verified' });
  });

  it('lets users change an imported password by itself', async () => {
    const username = newName();
    await importOne({ username, passwordHash: hashes.bcrypt });
    const found = await organization.deps.users.findByUsername(username);
    const answer = await organization.app.inject({
      ...{ method: 'PUT', url: `/organization/api/organization/user/userId/${username}/password` },
      headers: bearer(await organization.accessToken(found as User)),
      payload: { oldPassword: password, password: 'a new password of now' },
    });
    expect(answer.statusCode).toBe(204);
    expect(await checkPassword(username, 'a new password of now')).toMatchObject({ outcome: 'verified' });
  });

  it('makes one user of two imports at the same moment, at two replicas', async () => {
    const replica = await organization.startReplica();
    const lines = Array.from({ length: 20 }, () => ({
      ...{ id: randomUUID(), username: newName(), passwordHash: hashes.bcrypt, codeApp: { secret } },
    }));
    const [here, there] = await Promise.all([importLines(lines), importLines(lines, { at: replica })]);
    for (const [index, { username }] of lines.entries()) {
      const results = [here?.[index]?.result, there?.[index]?.result];
      expect(results.filter((result) => result === 'created')).toHaveLength(1);
      expect(await checkPassword(username)).toMatchObject({ outcome: 'verified', secondStep: { methodsVersion: 0 } });
    }
    await replica.close();
  });

  it('goes on after one that was cut before its users were made', async () => {
    const line = { id: randomUUID(), username: newName(), passwordHash: hashes.bcrypt, codeApp: { secret } };
    const identities = [{ issuer: 'https://id.example.com', subject: randomUUID() }];
    const { database } = organization.deps;
    const { execute } = database;
    database.execute = async (sql, parameters) => {
      if (/INSERT INTO users/.test(sql)) throw new Error('the process was killed');
      return execute.call(database, sql, parameters);
    };
    expect((await send(JSON.stringify({ ...line, identities }))).statusCode).toBe(500);
    database.execute = execute;
    expect(await checkPassword(line.username)).toMatchObject({ outcome: 'wrong' });
    expect(await importOne({ ...line, identities })).toMatchObject({ result: 'created' });
    expect(await checkPassword(line.username)).toMatchObject({ secondStep: { methodsVersion: 0 } });
  });
});
