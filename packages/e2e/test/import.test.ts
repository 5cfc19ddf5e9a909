import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { call, findFreePort, type Gatehouse } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { registerAdministeringClient } from './support/administering-client.ts';
import { type Credentials, passwordKind, postClient, registerClient, serviceAccountKind } from './support/clients.ts';
import { type CommandLine, createCommandLine } from './support/command-line.ts';
import { administrator, plainUser } from './support/people.ts';
import { describeGatehouse } from './support/suite.ts';
import { getAdministratorToken, getUserTokens, postToken, readClaims } from './support/tokens.ts';
import { uniqueName } from './support/unique.ts';

const head = { kind: 'bundle', version: 1, source: { product: 'keycloak' }, createdAt: '2026-01-31T12:00:00Z' };
const password = 'a password of then';
/** What `openssl passwd -1` and `-apr1` make of it. */
const ofCrypt = ['$1$ab./Yz09$sb.rNH0xDTFX522Xv3Z1s/', '$apr1$salt$i6h4pcVVFb0CuPWTr37lx1'];
/** The password, by bcrypt. */
const passwordHash = '$2b$04$C8rrEjUi9SNxulM7wQAOWOYf8gbtpIxsI/TqsNMZGIlf2m3wjF7xS';

const otherSecret = 'another secret of then';
/** That secret, by bcrypt. */
const bcryptOfOther = '$2b$04$Lu0ZNEZQtTEc249DlGUl9.6o7kNdmZWDKUGc/VpEv1WxJ.WJork2O';

/** The password, as LDAP servers keep it. */
function hashWeakly(scheme: string, digest: string, salt = Buffer.from('salt of LDAP')): string {
  const hash = createHash(digest).update(password).update(salt).digest();
  return `{${scheme}}${Buffer.concat([hash, salt]).toString('base64')}`;
}

interface Told {
  line: number;
  result: string;
  about: string;
  problems?: { field: string; detail: string }[];
}

interface Sums {
  dryRun: boolean;
  sums: Record<string, unknown>;
  lines?: Told[];
}

describeGatehouse('gatehouse import', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let cli: CommandLine;
  let credentials: Record<string, string>;
  let app: Credentials;
  let folder: string;
  let unique: string;
  beforeAll(async () => {
    gatehouse = getGatehouse();
    cli = createCommandLine(gatehouse.authUrl);
    app = await registerClient(gatehouse, passwordKind());
    credentials = await registerAdministeringClient(gatehouse);
  });
  afterAll(() => cli.remove());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-import-'));
    unique = uniqueName('moved');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (lines: readonly (object | string)[], name = 'bundle.jsonl') => {
    const text = [head, ...lines].map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    const path = join(folder, name);
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    return path;
  };
  const run = (path: string, ...args: string[]) => cli.run(['import', path, ...args], { env: credentials });
  const runToDocument = async (path: string, ...args: string[]) => {
    const { code, stdout, stderr } = await run(path, ...args, '--output', 'json');
    if (code !== 0 && code !== 2) throw new Error(stderr);
    return { code, ...(JSON.parse(stdout) as Sums) };
  };
  const readClient = (id: string) => call(`${gatehouse.authUrl}/clients/${id}`, { basic: [...administrator] });
  const readUser = async (username: string) =>
    call(`${gatehouse.baseUrl}/organization/api/organization/user/userId/${username}`, {
      bearer: await getAdministratorToken(gatehouse, app),
    });
  const subOf = async (username: string) => {
    const { id_token: idToken = '' } = await getUserTokens(gatehouse, app, [username, password]);
    return readClaims(idToken).sub;
  };
  const userLine = (name: string, more: object = {}) => {
    const id = randomUUID();
    return { kind: 'user', id, username: `${unique}-${name}@example.com`, userType: 'Person', passwordHash, ...more };
  };

  test('does by a dry run nothing, then all that it said, and nothing more when it is done again', async () => {
    const resource = `https://${unique}.example.com`;
    const ursula = userLine('ursula', { groups: [`${unique}/it`] });
    const robot = { kind: 'user', username: `${unique}-robot@example.com`, userType: 'Robot' };
    const ofPassword = { scope: ['openid', `${unique}:read`], authorized_grant_types: ['password'] };
    const lines = [
      { kind: 'note', about: 'client spa', problem: 'redirect_uri_wildcard', value: 'http://localhost:3000/*' },
      {
        ...passwordKind({ client_id: unique, client_secret: 'a secret of then' }),
        kind: 'client',
        ...ofPassword,
        resources: [resource],
        default_resource: resource,
      },
      {
        ...serviceAccountKind({ client_id: `${unique}-machine`, srvc_ac_user_name: robot.username }),
        kind: 'client',
        enabled: false,
        previous_client_secret_hash: '$6$salt$hash',
        managed_by: 'other',
      },
      { ...passwordKind({ client_id: `${unique}-faulty` }), kind: 'client', ...ofPassword },
      ursula,
      robot,
      userLine('unknown', { passwordHash: '$6$salt$hash' }),
      userLine('administrator', { roles: ['SystemAdministrator'] }),
      { kind: 'user', username: administrator[0], firstName: 'Mallory' },
      userLine('without\nend', { username: 'no address\nline 1: created' }),
      { ...ursula, username: `${unique}-other@example.com` },
      '{"kind":"user",',
      { kind: 'group', name: `${unique}/it`, description: 'IT' },
      { kind: 'group', name: `${unique}/IT` },
      {
        kind: 'resource',
        resource,
        name: 'Orders',
        scopes: [{ name: `${unique}:read`, description: 'see your orders' }],
      },
      { kind: 'realm' },
    ];
    const path = write(lines);
    const dry = await run(path, '--dry-run');
    expect([dry.code, dry.stderr]).toEqual([2, '']);
    expect(dry.stdout.split('\n')).toEqual([
      'line 2: note client spa: redirect_uri_wildcard http://localhost:3000/*',
      'line 17: refused line: kind must be one of resource, group, user, client, note',
      `line 8: created user ${unique}-unknown@example.com: passwordHash hash_not_known: the user has no password; this form cannot be checked here`,
      `line 9: created user ${unique}-administrator@example.com: roles are left out; allow_roles takes them`,
      expect.stringMatching(/^line 10: refused user \S+: username administrator: /),
      expect.stringMatching(/^line 11: refused user no address\\u000aline 1: created: username must /),
      expect.stringMatching(
        /^line 12: refused user \S+-other@example\.com: username conflict: line 6 means the same user$/,
      ),
      'line 13: refused user: line must be JSON',
      `line 4: created client ${unique}-machine: previous_client_secret_hash is left out: this form cannot be checked here`,
      expect.stringMatching(new RegExp(`^line 5: refused client ${unique}-faulty: scope must `)),
      'dry run: nothing was changed',
      'resources: 1 created',
      'groups: 1 created, 1 unchanged',
      'users: 4 created, 4 refused',
      'clients: 2 created, 1 refused',
      'lines: 1 refused',
      'notes: 1',
      '',
    ]);
    expect([(await readClient(unique)).status, (await readUser(ursula.username)).status]).toEqual([404, 404]);

    const done = await run(path);
    expect([done.code, done.stderr, done.stdout]).toEqual([
      ...[2, '', dry.stdout.replace('dry run: nothing was changed\n', '')],
    ]);
    for (const secret of ['$6$', '$2b$', 'a secret of then', 'machine-secret'])
      expect(done.stdout).not.toContain(secret);
    expect(await subOf(ursula.username)).toBe(ursula.id);
    expect((await readUser(ursula.username)).json()).toMatchObject({ id: ursula.id, groups: [`${unique}/it`] });
    const tokens = await getUserTokens(gatehouse, [unique, 'a secret of then'], [ursula.username, password]);
    expect(tokens.scope).toContain(`${unique}:read`);
    const machine = (await readClient(`${unique}-machine`)).json();
    expect(machine).toMatchObject({ enabled: false, srvc_ac_user_name: robot.username });
    expect(machine).not.toHaveProperty('managed_by');

    const good = write(
      lines.filter((_, index) => [0, 1, 2, 4, 5, 6, 7, 12, 14].includes(index)),
      'good.jsonl',
    );
    expect(await run(good)).toEqual({
      code: 0,
      stdout: `${[
        'line 2: note client spa: redirect_uri_wildcard http://localhost:3000/*',
        ...['resources: 1 unchanged', 'groups: 1 unchanged', 'users: 4 skipped', 'clients: 2 unchanged', 'notes: 1'],
      ].join('\n')}\n`,
      stderr: '',
    });
  });

  test('brings both secrets of a client along, also where it was cut between the two', async () => {
    const older = hashWeakly('SSHA256', 'sha256');
    const { client_secret: _clear, ...fields } = passwordKind({ client_id: unique });
    const line = { ...fields, kind: 'client', client_secret_hash: bcryptOfOther, previous_client_secret_hash: older };
    const path = write([line]);
    const check = async (expected: readonly number[]) => {
      const statuses: number[] = [];
      for (const secret of [otherSecret, password, 'neither']) {
        const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
        statuses.push((await postToken(gatehouse, { basic: [unique, secret], form })).status);
      }
      expect(statuses).toEqual(expected);
    };
    expect(await runToDocument(path, '--weak', 'wrap', '--dry-run')).toMatchObject({ code: 0 });
    await check([401, 401, 401]);
    expect(await runToDocument(path, '--weak', 'wrap')).toMatchObject({ code: 0, sums: { clients: { created: 1 } } });
    await check([200, 200, 401]);
    const { previous_secret_expires_at: until, secret_set_at: set } = (await readClient(unique)).json();
    expect(Date.parse(String(until)) - Date.parse(String(set))).toBe(30 * 86_400_000);
    expect(await runToDocument(path, '--weak', 'wrap')).toMatchObject({ code: 0, sums: { clients: { unchanged: 1 } } });
    expect((await readClient(unique)).json()).toMatchObject({ secret_set_at: set, previous_secret_expires_at: until });

    await call(`${gatehouse.authUrl}/clients/${unique}`, { method: 'DELETE', basic: [...administrator] });
    const { kind: _kind, previous_client_secret_hash: _older, ...cut } = line;
    const answer = await postClient(gatehouse, { ...cut, client_secret_hash: passwordHash });
    expect(answer.status).toBe(200);
    expect(await runToDocument(path, '--weak', 'wrap')).toMatchObject({ code: 0, sums: { clients: { unchanged: 1 } } });
    await check([200, 200, 401]);

    const over = { ...line, client_id: `${unique}-over`, previous_secret_expires_at: new Date().toISOString() };
    expect(await runToDocument(write([over]), '--weak', 'wrap')).toMatchObject({ code: 0 });
    expect((await readClient(over.client_id)).json()).not.toHaveProperty('previous_secret_expires_at');
  });

  test('changes of users who are there what it may, and of other objects nothing', async () => {
    const client = passwordKind({ client_id: unique });
    await postClient(gatehouse, client);
    const ursula = userLine('ursula');
    expect((await run(write([ursula]))).code).toBe(0);
    const changed = { ...ursula, firstName: 'Ursula', groups: [`${unique}/new`], email: 'other@example.com' };
    const path = write([
      changed,
      { kind: 'group', name: `${unique}/new` },
      { kind: 'client', ...client, scope: ['openid'] },
    ]);
    const skipped = `line 4: skipped client ${unique}: scope differs; an import changes nothing that is there`;
    const expected = (sum: string, ...more: string[]) =>
      `${[...more, skipped, ...(more.length > 0 ? ['groups: 1 created'] : ['groups: 1 unchanged'])].join('\n')}\nusers: 1 ${sum}\nclients: 1 skipped\n`;
    const updated = expected('updated', `line 2: updated user ${ursula.username}`);
    const dry = await run(path, '--on-existing', 'update', '--dry-run');
    expect(dry.stdout.replace('dry run: nothing was changed\n', '')).toBe(updated);
    expect((await run(path, '--on-existing', 'update')).stdout).toBe(updated);
    expect((await readUser(ursula.username)).json()).toMatchObject({ firstName: 'Ursula', groups: [`${unique}/new`] });
    expect((await readUser(ursula.username)).json()).not.toMatchObject({ email: 'other@example.com' });
    expect((await readClient(unique)).json()).toMatchObject({ scope: client.scope });
    expect((await run(path, '--on-existing', 'update')).stdout).toBe(expected('unchanged'));
    expect((await run(path)).stdout).toBe(expected('skipped'));
  });

  test('takes weak hashes where it is told to wrap them', async () => {
    const none = Buffer.alloc(0);
    const weak = [
      ...[hashWeakly('SSHA', 'sha1'), hashWeakly('SSHA256', 'sha256'), hashWeakly('SSHA512', 'sha512')],
      ...[hashWeakly('SMD5', 'md5'), hashWeakly('SHA', 'sha1', none), hashWeakly('MD5', 'md5', none)],
      ...ofCrypt,
    ];
    const left = userLine('left', { passwordHash: weak[0] });
    expect(await run(write([left]))).toEqual({
      code: 0,
      stdout: `line 2: created user ${left.username}: passwordHash hash_not_known: the user has no password; --weak wrap takes this form\nusers: 1 created\n`,
      stderr: '',
    });
    const form = { grant_type: 'password', username: left.username, password };
    expect((await postToken(gatehouse, { basic: app, form })).status).toBe(400);

    const users = weak.map((hash, index) => userLine(`${index}`, { passwordHash: hash }));
    const path = write(users);
    const [created, dry] = ['users: 8 created\n', 'dry run: nothing was changed\n'];
    expect(await run(path, '--weak', 'wrap', '--dry-run')).toEqual({ code: 0, stdout: dry + created, stderr: '' });
    // A busy machine needs so long that the tool says how far it is.
    const wrapped = await run(path, '--weak', 'wrap', '--quiet');
    expect(wrapped).toEqual({ code: 0, stdout: created, stderr: '' });
    for (const { username, id } of users) expect([username, await subOf(username)]).toEqual([username, id]);
    const hashOfSecret = { ...passwordKind({ client_id: unique }), kind: 'client', client_secret: undefined };
    const client = write([{ ...hashOfSecret, client_secret_hash: weak[0] }], 'client.jsonl');
    expect((await run(client)).stdout).toMatch(
      new RegExp(`^line 2: refused client ${unique}: client_secret_hash must be .*\nclients: 1 refused\n$`),
    );
    const oneClient = { code: 0, stdout: 'clients: 1 created\n', stderr: '' };
    expect(await run(client, '--weak', 'wrap', '--dry-run')).toEqual({ ...oneClient, stdout: dry + oneClient.stdout });
    expect(await run(client, '--weak', 'wrap')).toEqual(oneClient);
    expect((await postToken(gatehouse, { basic: [unique, password], form })).status).toBe(400);
    expect((await postToken(gatehouse, { basic: [unique, 'another'], form })).status).toBe(401);
    const wrong = { ...form, username: users[0]?.username ?? '', password: 'another' };
    expect((await postToken(gatehouse, { basic: app, form: wrong })).status).toBe(400);
  });

  test('goes on where it was killed, by its checkpoint', async () => {
    const weakHash = hashWeakly('SSHA', 'sha1');
    // They keep the tool busy with the second and the third of three requests.
    const isWeak = (index: number) => index >= 500 && index % 500 < 15;
    const users = Array.from({ length: 1200 }, (_, index) =>
      userLine(`${index}`, isWeak(index) ? { passwordHash: weakHash } : {}),
    );
    const path = write([...users.slice(0, 10), { kind: 'realm' }, ...users.slice(10)], 'many.jsonl.gz');
    const [checkpoint, report] = [join(folder, 'checkpoint'), join(folder, 'report')];
    const args = ['--weak', 'wrap', '--checkpoint', checkpoint, '--report', report, '--output', 'json'];
    const readProgress = () =>
      existsSync(checkpoint) ? JSON.parse(readFileSync(checkpoint, 'utf8')).progress : undefined;
    const killed = await cli.run(['import', path, ...args], {
      env: credentials,
      async onStarted(child) {
        while (readProgress()?.kind !== 'user' && child.exitCode === null) await sleep(5);
        child.kill('SIGKILL');
      },
    });
    expect([killed.code, killed.stdout]).toEqual([null, '']);
    expect(readProgress()).toMatchObject({ kind: 'user', from: { line: 502 } });
    expect(statSync(checkpoint).mode & 0o777).toBe(0o600);
    expect((await readUser(users[499]?.username ?? '')).status).toBe(200);
    expect((await readUser(users[1199]?.username ?? '')).status).toBe(404);
    writeFileSync(report, 'a line behind the checkpoint', { flag: 'a' });

    const others: [string[], string][] = [
      [[write([users[0] as object], 'other.jsonl'), ...args], 'another bundle'],
      [[path, ...args, '--only', 'users'], 'an import with other options'],
    ];
    for (const [[file = '', ...given], of] of others) {
      expect(await run(file, ...given)).toEqual({
        ...{ code: 1, stdout: '' },
        stderr: `gatehouse: checkpoint: ${checkpoint} is of ${of}: name another file; to do it again is safe\n`,
      });
    }

    const sums = { users: { created: 1200 }, lines: { refused: 1 }, notes: 0 };
    const { code, stdout, stderr } = await run(path, ...args);
    expect([code, JSON.parse(stdout)]).toEqual([2, { dryRun: false, sums }]);
    expect(stderr).toMatch(/^goes on behind line 502, with users\n/);
    expect(
      readFileSync(report, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([expect.objectContaining({ line: 12, result: 'refused', about: 'line' }), { dryRun: false, sums }]);
    expect(existsSync(checkpoint)).toBe(false);
    for (const index of [0, 510, 1199]) {
      const { username, id } = users[index] as (typeof users)[number];
      expect(await subOf(username)).toBe(id);
    }
    const again = await runToDocument(path, '--parallel', '1');
    expect(again).toMatchObject({ code: 2, sums: { users: { skipped: 1200 }, lines: { refused: 1 } } });
  }, 180_000);

  test('takes the kinds that it is told, gives roles where it is told, and reports into a file', async () => {
    const boss = userLine('boss', { roles: ['IdpAdministrator'] });
    const path = write([
      { kind: 'group', name: unique },
      boss,
      { ...passwordKind({ client_id: 'a/b' }), kind: 'client' },
    ]);
    expect(await runToDocument(path, '--only', 'clients')).toEqual({
      code: 2,
      dryRun: false,
      lines: [
        {
          line: 4,
          result: 'refused',
          about: 'client a/b',
          problems: [expect.objectContaining({ field: 'client_id' })],
        },
      ],
      sums: { clients: { refused: 1 }, notes: 0 },
    });
    const report = join(folder, 'report');
    writeFileSync(report, 'of another day', { mode: 0o644 });
    const { code, stdout } = await run(path, '--only', 'users,groups', '--allow-roles', '--report', report);
    expect([code, stdout]).toEqual([0, 'groups: 1 created\nusers: 1 created\n']);
    expect([statSync(report).mode & 0o777, readFileSync(report, 'utf8')]).toEqual([0o600, stdout]);
    expect((await readUser(boss.username)).json()).toMatchObject({ roles: ['IdpAdministrator'] });
    expect((await run(write([]))).stdout).toBe('nothing to import\n');
  });

  test('is for a SystemAdministrator, and ends with 1 where it did not get to its end', async () => {
    const token = (await getUserTokens(gatehouse, app, plainUser)).access_token;
    const refused = await cli.run(['import', write([userLine('a')])], { env: { GATEHOUSE_TOKEN: token } });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      /^gatehouse: import: POST \/organization\/api\/organization\/user-imports answered 403: .*; to do it again is safe\n$/,
    );
  });
});

describe('gatehouse import without a server', () => {
  let cli: CommandLine;
  let issuer: string;
  let folder: string;
  let path: string;
  beforeAll(async () => {
    issuer = `http://127.0.0.1:${await findFreePort()}`;
    cli = createCommandLine(issuer);
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-import-'));
    path = join(folder, 'bundle.jsonl');
    writeFileSync(path, JSON.stringify(head));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  afterAll(() => cli.remove());

  test.each([
    [[], 'use it as: gatehouse import BUNDLE'],
    [['--on-existing', 'replace'], '--on-existing takes skip or update'],
    [['--only', 'users,upstreams'], '--only takes some of resources, groups, users, clients'],
    [['--only', ''], '--only takes some of'],
    [['--weak', 'take'], '--weak takes wrap'],
    [['--parallel', '3'], '--parallel takes 1 or 2'],
    [['--dry-run', '--checkpoint', 'x'], '--dry-run changes nothing, and takes no --checkpoint'],
    [['--report', 'x', '--checkpoint', './x'], 'BUNDLE, --report and --checkpoint are different files'],
  ])('says of %j how it is used', async (args, message) => {
    const given = args.length === 0 ? ['import'] : ['import', path, ...args];
    const { code, stdout, stderr } = await cli.run(given);
    expect([code, stdout, stderr]).toEqual([64, '', expect.stringContaining(message)]);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test('ends with 1, and names the step, where there is no bundle or no server', async () => {
    const runs: [string[], string][] = [
      [[join(folder, 'none')], `bundle: ${join(folder, 'none')} cannot be read (ENOENT)`],
      [[folder], `bundle: ${folder} cannot be read (EISDIR)`],
      [[path], `discovery: ${issuer}/.well-known/openid-configuration is out of reach (ECONNREFUSED)`],
    ];
    for (const [args, message] of runs) {
      const ended = await cli.run(['import', ...args], { env: { GATEHOUSE_TOKEN: 'x' } });
      expect(ended).toEqual({ code: 1, stdout: '', stderr: `gatehouse: ${message}; to do it again is safe\n` });
    }
  });
});
