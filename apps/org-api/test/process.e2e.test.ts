import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createLogger, createSlowHash } from '@gatehouse/service-kit';
import { type Database, openDatabase, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import {
  call,
  createTestDatabase,
  findFreePort,
  quickestDialect,
  repositoryRoot,
  runServiceScript,
  startServiceProcess,
  type TestDatabase,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { hashLinkToken } from '../src/mails/link-tokens.ts';
import { organizationSchema } from '../src/schema/organization-schema.ts';
import { createUserStore } from '../src/users/user-store.ts';

const admin = { BOOTSTRAP_ADMIN_USERNAME: 'Root@example.com', BOOTSTRAP_ADMIN_PASSWORD: 'root-password' };

/** Runs the service to its end, which is to come by itself. */
async function runToEnd(env: Record<string, string>) {
  const child = spawn(process.execPath, ['apps/org-api/dist/main.js'], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  });
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: out.join(''), stderr: err.join('') };
}

const readAllUsers = (url: string) =>
  withDatabase(url, (database) => createUserStore(database).list({ after: undefined, limit: 50 }));
const readRows = (url: string, sql: string) => withDatabase(url, (database) => database.query(sql));

async function withDatabase<Result>(url: string, read: (database: Database) => Promise<Result>): Promise<Result> {
  const database = openDatabase({
    url: parseDatabaseUrl(url),
    ...organizationSchema,
    migrateOnStart: true,
    log: createLogger('test', 'silent'),
  });
  try {
    while (
      await database.check().then(
        () => false,
        () => true,
      )
    )
      await new Promise((resolve) => setTimeout(resolve, 10));
    return await read(database);
  } finally {
    await database.close();
  }
}

describe('the process with a bad environment', () => {
  const production = { NODE_ENV: 'production', CREDENTIALS_KEY: Buffer.alloc(32).toString('base64') };

  it.each([
    ['PORT', { PORT: 'http' }],
    ['AUTH_URL', { AUTH_URL: 'http://localhost:9000/' }],
    ['BASE_URL', { ...production, AUTH_URL: 'https://a.example.com', BASE_URL: 'http://api.example.com' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://user:hush%ZZ@db/name' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/99' }],
    ['DEMO_DATA', { ...production, DEMO_DATA: 'true' }],
    ['BOOTSTRAP_ADMIN_PASSWORD', { BOOTSTRAP_ADMIN_USERNAME: 'root@example.com', BOOTSTRAP_ADMIN_PASSWORD: 'hush' }],
  ])('ends with 1 and one line that names %s: %j', async (name, env) => {
    const { code, stdout, stderr } = await runToEnd(env as unknown as Record<string, string>);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^configuration: ${name} must [^\n]+\n$`));
    expect(stderr).not.toContain('hush');
  });
});

describe.each(testDialects)('the process on %s', (dialect) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase(dialect);
  });
  afterAll(() => database.drop());

  const start = async (env: Record<string, string> = {}, until: 'live' | 'ready' = 'ready') =>
    startServiceProcess({
      name: 'org-api',
      port: await findFreePort(),
      env: { DATABASE_URL: database.url, MIGRATE_ON_START: 'false', ...env },
      until,
    });
  const get = async (url: string) => {
    const { statusCode, body } = await request(url);
    return { statusCode, body: await body.json() };
  };

  it('is live and not ready before the schema is there, and ready after migrate.js without a restart', async () => {
    const service = await start({}, 'live');
    try {
      let notReady = await get(`${service.url}/health/ready`);
      for (let tries = 0; tries < 100 && JSON.stringify(notReady.body).includes('not connected'); tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        notReady = await get(`${service.url}/health/ready`);
      }
      expect(notReady).toEqual({
        statusCode: 503,
        body: {
          status: 'unavailable',
          checks: { database: 'the schema is older than the code; run migrate.js' },
        },
      });
      const migrated = await runServiceScript('org-api', 'migrate', { DATABASE_URL: database.url });
      expect(migrated).toEqual({ code: 0, output: '' });
      const deadline = performance.now() + 10_000;
      while ((await get(`${service.url}/health/ready`)).statusCode !== 200 && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect((await get(`${service.url}/health/ready`)).body).toEqual({ status: 'ok', checks: { database: 'ok' } });
    } finally {
      expect(await service.stop('SIGTERM')).toBe(0);
    }
  });

  it('creates the first administrator once, however many replicas start and restart', async () => {
    const replicas = await Promise.all(dialect === 'mysql' ? [start(admin), start(admin)] : [start(admin)]);
    for (const replica of replicas) expect(await replica.stop()).toBe(0);
    const again = await start({ ...admin, BOOTSTRAP_ADMIN_USERNAME: 'second@example.com' });
    expect(await again.stop()).toBe(0);
    const users = await readAllUsers(database.url);
    expect(users.map(({ username, roles }) => [username, roles])).toEqual([
      ['Root@example.com', ['SystemAdministrator']],
    ]);
    for (const { output } of [...replicas, again]) expect(output()).not.toContain('root-password');
  });

  it('creates the demo users beside what is there, once', async () => {
    for (const _ of [1, 2]) expect(await (await start({ DEMO_DATA: 'true' })).stop()).toBe(0);
    const users = await readAllUsers(database.url);
    expect(users.map(({ username, userType, roles }) => [username, userType, roles])).toEqual([
      ['Root@example.com', 'Person', ['SystemAdministrator']],
      ['admin@example.com', 'Person', ['SystemAdministrator']],
      ['idp.admin@example.com', 'Person', ['IdpAdministrator']],
      ['user@example.com', 'Person', []],
      ['robot@example.com', 'Robot', []],
    ]);
  });

  // What it writes, whatever the database.
  if (dialect !== quickestDialect) return;

  it('ends with 0 on SIGTERM and SIGINT, and logs JSON lines with no token in them', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = await start();
      const url = `${service.url}/organization/api/organization/user/allDetails/userId/a@b?access_token=hush-hush`;
      const { statusCode, headers, body } = await request(url, { headers: { authorization: 'Bearer hush.hush.hush' } });
      await body.dump();
      expect(statusCode).toBe(401);
      expect(await service.stop(signal)).toBe(0);
      const lines = service
        .output()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.filter(({ requestId }) => requestId === headers['x-request-id'])).not.toHaveLength(0);
      expect(lines.at(-1)).toMatchObject({ service: 'org-api', msg: 'stopped' });
      expect(service.output()).not.toContain('hush');
    }
  });

  it('says in one line that its port is in use', async () => {
    const service = await start();
    const port = new URL(service.url).port;
    const { code, stderr } = await runToEnd({ PORT: port, DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
    await service.stop();
    expect({ code, stderr }).toEqual({ code: 1, stderr: `cannot listen: 127.0.0.1:${port} is in use\n` });
  });
});

describe('the process whose log nobody reads', () => {
  it('goes on answering, and ends on SIGTERM', async () => {
    const [database, port] = await Promise.all([createTestDatabase('sqlite'), findFreePort()]);
    const child = spawn(process.execPath, ['apps/org-api/dist/main.js'], {
      cwd: repositoryRoot,
      env: { PATH: process.env.PATH, PORT: String(port), DATABASE_URL: database.url },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      child.stdout.pause();
      const url = `http://127.0.0.1:${port}/${'nothing-here-'.repeat(20)}`;
      const findStatus = () =>
        call(url).then(
          ({ status }) => status,
          () => undefined,
        );
      while ((await findStatus()) === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
      // Each writes two lines of some 400 bytes: several times what a pipe holds.
      for (let round = 0; round < 400; round += 1) expect(await findStatus()).toBe(404);
      const closed = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await closed).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      await database.drop();
    }
  });
});

describe.each(testDialects)('“users set-password” beside a database on %s', (dialect) => {
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await createTestDatabase(dialect);
    env = { DATABASE_URL: database.url, MIGRATE_ON_START: 'true', ...admin };
    const service = await startServiceProcess({ name: 'org-api', port: await findFreePort(), env });
    await service.stop();
  });
  afterAll(() => database.drop());

  const run = async (args: readonly string[], input: string) => {
    const child = spawn(process.execPath, ['apps/org-api/dist/users.js', ...args], {
      cwd: repositoryRoot,
      env: { PATH: process.env.PATH, ...env },
      timeout: 20_000,
    });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
    child.stdin.on('error', () => {}).end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout: out.join(''), stderr: err.join('') };
  };
  const readRoot = async () => (await readAllUsers(database.url))[0];

  it('sets the password that standard input holds, voids what came before, and is in the audit trail', async () => {
    const before = await readRoot();
    const { code, stdout, stderr } = await run(['set-password', 'root@EXAMPLE.com'], 'the password of today\r\nmore');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Root@example.com has a new password');
    expect(stdout).not.toContain('of today');
    const after = await readRoot();
    expect(await createSlowHash().verify(after?.passwordHash, 'the password of today')).toBe(true);
    expect(after?.passwordChangedAt).toBeGreaterThan(before?.passwordChangedAt ?? Number.NaN);
    const events = await readRows(database.url, "SELECT * FROM audit_events WHERE type = 'user.password_changed'");
    expect(events).toEqual([
      expect.objectContaining({ actor_kind: 'service', actor_name: 'users', subject_name: 'Root@example.com' }),
    ]);
  });

  it.each([
    ['no command', [], 'a good password', 'usage: users set-password USERNAME'],
    ['a password as an argument', ['set-password', 'Root@example.com', 'x'], 'a good password', 'usage'],
    ['a user who is not there', ['set-password', 'nobody@example.com'], 'a good password', 'no user has this username'],
    ['a short password', ['set-password', 'Root@example.com'], 'short', '8 to 1024 characters'],
    ['no password', ['set-password', 'Root@example.com'], '', '8 to 1024 characters'],
    ['a common password', ['set-password', 'Root@example.com'], 'password123', '10,000 most common passwords'],
  ])('with %s changes nothing, says why and exits with 1', async (_name, args, input, text) => {
    const before = await readRoot();
    const { code, stdout, stderr } = await run(args, input);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(text)]);
    expect(await readRoot()).toEqual(before);
  });
});

describe.each(testDialects)('“methods reset” beside a database on %s', (dialect) => {
  const authUrl = 'https://auth.example.com';
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await createTestDatabase(dialect);
    const credentials = { CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'), AUTH_URL: authUrl };
    env = { DATABASE_URL: database.url, MIGRATE_ON_START: 'true', DEMO_DATA: 'true', ...credentials };
    const service = await startServiceProcess({
      name: 'org-api',
      port: await findFreePort(),
      env,
    });
    await service.stop();
  });
  afterAll(() => database.drop());

  const run = (...args: string[]) => runServiceScript('org-api', 'methods', env, args);
  const findUser = (username: string) =>
    withDatabase(database.url, (opened) => createUserStore(opened).findByUsername(username));
  const listLinks = () => readRows(database.url, 'SELECT * FROM mailed_links') as Promise<{ token_hash: Buffer }[]>;

  it('takes the password of the user, prints a link that is stored by its hash alone, and is in the audit trail', async () => {
    const before = await findUser('admin@example.com');
    const { code, output } = await run('reset', 'Admin@EXAMPLE.com');
    expect(code).toBe(0);
    const lines = output.trim().split('\n');
    expect(lines.slice(0, 2)).toEqual([
      'admin@example.com has no way to sign in; tokens and sessions of before are void.',
      expect.stringMatching(/^Until \d{4}-\d\d-\d\dT[\d:.]+Z a new one is chosen at:$/),
    ]);
    expect(lines).toHaveLength(3);
    const [start, token = ''] = (lines[2] ?? '').split('?token=');
    expect(start).toBe(`${authUrl}/account/link`);
    const [link, ...others] = await listLinks();
    expect([link?.token_hash, others]).toEqual([hashLinkToken(token), []]);
    const ends = Date.parse(/Until (\S+)/.exec(output)?.[1] ?? '');
    expect(Math.abs(ends - Date.now() - 7 * 24 * 3_600_000)).toBeLessThan(60_000);
    const after = await findUser('admin@example.com');
    expect(after).toMatchObject({ passwordHash: undefined, secondStep: false, roles: ['SystemAdministrator'] });
    expect(after?.passwordChangedAt).toBeGreaterThan(before?.passwordChangedAt ?? Number.NaN);
    const sql = "SELECT * FROM audit_events WHERE type IN ('methods.reset', 'user.invited') ORDER BY id";
    const about = { actor_kind: 'service', actor_name: 'methods', subject_name: 'admin@example.com' };
    const events = (await readRows(database.url, sql)) as { details: unknown }[];
    expect(events).toMatchObject([
      { ...about, type: 'methods.reset' },
      { ...about, type: 'user.invited' },
    ]);
    expect(JSON.stringify(events[0]?.details)).toMatch(/password.*true/);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  it('again replaces the link', async () => {
    const before = await listLinks();
    const { code, output } = await run('reset', 'admin@example.com');
    expect(code).toBe(0);
    const links = await listLinks();
    expect(links.map(({ token_hash }) => token_hash)).toEqual([hashLinkToken(output.trim().split('?token=')[1] ?? '')]);
    expect(links).not.toEqual(before);
  });

  it('of a disabled user says that the link does not work yet', async () => {
    await withDatabase(database.url, async (opened) => {
      const users = createUserStore(opened);
      await users.update((await users.findByUsername('user@example.com'))?.id ?? '', { enabled: false }, Date.now());
    });
    const { code, output } = await run('reset', 'user@example.com');
    expect([code, output.trim().split('\n').at(-1)]).toEqual([
      0,
      'The user is disabled: the link works once it is enabled.',
    ]);
  });

  it.each([
    ['no command', [], 'usage: methods reset USERNAME'],
    ['an unknown command', ['list'], 'usage: methods reset USERNAME'],
    ['no user', ['reset'], 'usage: methods reset USERNAME'],
    ['two users', ['reset', 'admin@example.com', 'user@example.com'], 'usage: methods reset USERNAME'],
    ['an option', ['reset', '--password', 'admin@example.com'], 'usage: methods reset USERNAME'],
    ['a user who is not there', ['reset', 'nobody@example.com'], 'no user has this username'],
    ['a Robot', ['reset', 'robot@example.com'], 'a Robot never signs in'],
  ])('with %s changes nothing, says why and exits with 1', async (_name, args, text) => {
    const before = await readAllUsers(database.url);
    const { code, output } = await run(...args);
    expect([code, output]).toEqual([1, expect.stringContaining(text)]);
    expect(output).not.toContain('?token=');
    expect(await readAllUsers(database.url)).toEqual(before);
  });

  it.each(['--help', '-h'])('explains itself with %s', async (option) => {
    const { code, output } = await run(option);
    expect([code, output]).toEqual([0, expect.stringContaining('usage: methods reset USERNAME')]);
  });
});
