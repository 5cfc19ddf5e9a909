import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createId } from '@gatehouse/service-kit';
import { openDatabase, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import {
  call,
  createTestDatabase,
  findFreePort,
  quickestDialect,
  runServiceScript,
  type ServiceProcess,
  startServiceProcess,
  type TestDatabase,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authServerSchema } from '../src/schema/auth-server-schema.ts';
import { buildResource } from './support/builders.ts';
import { createStores } from './support/create-stores.ts';
import { silentLog, waitUntilReady } from './support/stores.ts';

const newKey = () => randomBytes(32).toString('base64');
const production = {
  NODE_ENV: 'production',
  AUTH_URL: 'https://auth.example.com',
  BASE_URL: 'https://api.example.com',
  KEY_ENCRYPTION_KEY: newKey(),
};

describe('a start with a bad variable', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (env: Record<string, string>) =>
    runServiceScript('auth-server', 'main', {
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'test.sqlite')}`,
      KEY_ENCRYPTION_KEY: newKey(),
      ...env,
    });

  it.each<[string, Record<string, string>, string]>([
    [
      'KEY_ENCRYPTION_KEY of another size',
      { KEY_ENCRYPTION_KEY: Buffer.from('hush-hush').toString('base64') },
      'KEY_ENCRYPTION_KEY',
    ],
    ['no KEY_ENCRYPTION_KEY in production', { ...production, KEY_ENCRYPTION_KEY: '' }, 'KEY_ENCRYPTION_KEY'],
    ['AUTH_URL of http in production', { ...production, AUTH_URL: 'http://auth.example.com' }, 'AUTH_URL'],
    ['BASE_URL of http in production', { ...production, BASE_URL: 'http://api.example.com' }, 'BASE_URL'],
    ['AUTH_URL with a trailing slash', { AUTH_URL: 'http://localhost:9000/' }, 'AUTH_URL'],
    ['DATABASE_URL of another kind', { DATABASE_URL: 'postgres://user:hush-hush@db/name' }, 'DATABASE_URL'],
    ['DATABASE_URL that cannot be read', { DATABASE_URL: 'mysql://user:hush-hush@:x/' }, 'DATABASE_URL'],
    ['PORT that is none', { PORT: 'http' }, 'PORT'],
    ['MIGRATE_ON_START that is neither', { MIGRATE_ON_START: 'yes' }, 'MIGRATE_ON_START'],
    ['LOG_LEVEL of its own', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    ['TRUST_PROXY that is none', { TRUST_PROXY: 'maybe' }, 'TRUST_PROXY'],
    ['REALM of two words', { REALM: 'two words' }, 'REALM'],
    ['ORG_API_URL without a scheme', { ORG_API_URL: 'org-api:9001' }, 'ORG_API_URL'],
  ])('ends with 1 and one clear line: %s', async (_case, env, name) => {
    const { code, output } = await run(env);
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^configuration: ${name} [^\\n]+\\n$`));
    expect(output).not.toContain('hush-hush');
    expect(output).not.toContain(Buffer.from('hush-hush').toString('base64'));
  });

  it('ends with 1 and one line where EXTRA_SCOPES holds a scope of a resource', async () => {
    const env = {
      DATABASE_URL: `sqlite:${join(folder, 'resources.sqlite')}`,
      KEY_ENCRYPTION_KEY: newKey(),
      LOG_LEVEL: 'fatal',
      MIGRATE_ON_START: 'true',
    };
    const database = openDatabase({
      url: parseDatabaseUrl(env.DATABASE_URL),
      ...authServerSchema,
      migrateOnStart: true,
      log: silentLog,
    });
    await waitUntilReady(database);
    const { resources, scopeNames } = createStores(database);
    const orders = buildResource({ scopes: [{ id: createId(), name: 'orders:read', description: '' }] });
    for (const scope of orders.scopes) await scopeNames.take(orders.id, scope, Date.now());
    await resources.insert(orders);
    await database.close();
    expect(await run({ ...env, EXTRA_SCOPES: 'reports:read orders:read' })).toEqual({
      code: 1,
      output: `configuration: EXTRA_SCOPES must not hold orders:read, a scope of the resource ${orders.resource}; rename one of the two\n`,
    });
  });

  it('ends with 1 and one line where the port is in use', async () => {
    const port = await findFreePort();
    const env = {
      DATABASE_URL: `sqlite:${join(folder, 'other.sqlite')}`,
      KEY_ENCRYPTION_KEY: newKey(),
      LOG_LEVEL: 'fatal',
    };
    const service = await startServiceProcess({ name: 'auth-server', port, env });
    const { code, output } = await run({ ...env, PORT: String(port) });
    await service.stop();
    expect([code, output]).toEqual([1, expect.stringMatching(/^cannot listen: [^\n]+ is in use\n$/)]);
  });
});

describe.each(testDialects)('a running process on %s', (dialect) => {
  let database: TestDatabase;
  let env: Record<string, string>;
  const running: ServiceProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase(dialect);
    env = { DATABASE_URL: database.url, KEY_ENCRYPTION_KEY: newKey(), MIGRATE_ON_START: 'true' };
  });
  afterAll(async () => {
    await Promise.all(running.map((service) => service.stop('SIGKILL')));
    await database.drop();
  });

  const start = async (extra: Record<string, string> = {}, until: 'live' | 'ready' = 'ready') => {
    const service = await startServiceProcess({
      name: 'auth-server',
      port: await findFreePort(),
      env: { ...env, ...extra },
      until,
    });
    running.push(service);
    return service;
  };
  const readyOf = async (service: ServiceProcess) => {
    const answer = await call(`${service.url}/health/ready`);
    return { status: answer.status, checks: answer.json<{ checks: Record<string, string> }>().checks };
  };
  const kidsOf = async (service: ServiceProcess) =>
    (await call(`${service.url}/oauth/jwks`))
      .json<{ keys: { kid: string }[] }>()
      .keys.map(({ kid }) => kid)
      .sort();

  it('is not ready on a schema that is not there, says so, and becomes ready when it is migrated', async () => {
    const empty = await createTestDatabase(dialect);
    const ofEmpty = { ...env, DATABASE_URL: empty.url, MIGRATE_ON_START: 'false' };
    const service = await start(ofEmpty, 'live');
    const { status, checks } = await readyOf(service);
    expect([status, checks.database]).toEqual([503, expect.stringMatching(/schema|not connected/)]);
    const token = await call(`${service.url}/oauth/token`, { basic: ['a', 'b'], form: { grant_type: 'password' } });
    expect([token.status, token.json().error]).toEqual([503, 'temporarily_unavailable']);
    expect(token.headers['retry-after']).toMatch(/^\d+$/);
    const migrations = await Promise.all([1, 2].map(() => runServiceScript('auth-server', 'migrate', ofEmpty)));
    if (dialect === 'mysql')
      expect(migrations).toEqual([
        { code: 0, output: '' },
        { code: 0, output: '' },
      ]);
    else expect(migrations.some(({ code }) => code === 0)).toBe(true);
    const deadline = performance.now() + 10_000;
    while ((await readyOf(service)).status !== 200 && performance.now() < deadline) await sleep(50);
    expect((await readyOf(service)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    await empty.drop();
  });

  it('started three times at once makes the keys once', async () => {
    const services = await Promise.all([1, 2, 3].map(() => start()));
    const kids = await Promise.all(services.map(kidsOf));
    expect(kids[0]).toHaveLength(2);
    expect(kids).toEqual([kids[0], kids[0], kids[0]]);
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0, 0]);
  });

  it('stays not ready with another KEY_ENCRYPTION_KEY, names the part, and leaves the keys alone', async () => {
    const before = await start();
    const kids = await kidsOf(before);
    const service = await start({ KEY_ENCRYPTION_KEY: newKey() }, 'live');
    await sleep(2_500);
    const { status, checks } = await readyOf(service);
    expect(status).toBe(503);
    expect(
      Object.entries(checks)
        .filter(([, outcome]) => outcome !== 'ok')
        .map(([name]) => name),
    ).toEqual(expect.arrayContaining(['signing-keys']));
    expect(service.output()).toContain('KEY_ENCRYPTION_KEY');
    expect(service.output()).not.toContain(env.KEY_ENCRYPTION_KEY);
    expect(await kidsOf(before)).toEqual(kids);
    expect(await service.stop()).toBe(0);
    expect(await before.stop()).toBe(0);
    expect(await kidsOf(await start())).toEqual(kids);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s well within 10 seconds', async (signal) => {
    const service = await start();
    const startedAt = performance.now();
    expect(await service.stop(signal)).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    await expect(call(`${service.url}/health/live`)).rejects.toThrow();
  });

  // What it writes, whatever the database.
  if (dialect !== quickestDialect) return;

  it.each([
    [
      'known scopes',
      'address orders.read phone',
      'EXTRA_SCOPES names address, phone, which every realm knows with a meaning of its own: take them out',
    ],
    [
      'groups',
      'groups orders.read',
      'EXTRA_SCOPES names groups: the scope of that name which shows the groups of users is off',
    ],
  ])('starts with EXTRA_SCOPES that names %s, and says so in one line', async (_what, scopes, msg) => {
    const service = await start({ EXTRA_SCOPES: scopes, LOG_LEVEL: 'warn' });
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.includes('EXTRA_SCOPES'));
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining({ level: 'warn', msg })]);
  });

  it('writes JSON lines with a request id, and never a query, a header or a body', async () => {
    const service = await start({ LOG_LEVEL: 'trace' });
    const headers = { 'x-request-id': 'request-of-mine', cookie: 'gatehouse-session=hush-cookie' };
    const form = {
      grant_type: 'password',
      username: 'u@example.com',
      password: 'hush-password',
      client_secret: 'hush-secret',
      client_id: 'c',
      code: 'hush-code',
    };
    await call(`${service.url}/oauth/token?token=hush-query`, { form, headers });
    await call(`${service.url}/oauth/token`, {
      basic: ['c', 'hush-basic'],
      form: { refresh_token: 'hush-refresh', grant_type: 'refresh_token' },
      headers,
    });
    await call(`${service.url}/oauth/userinfo`, { bearer: 'hush-bearer', headers });
    await call(`${service.url}/oauth/authorize?state=hush-state&code=hush-%zz`, { headers });
    await call(`${service.url}/clients`, {
      basic: ['web', 'hush-client'],
      body: '{"client_secret":"hush-body"',
      headers,
    });
    await service.stop();
    const lines = service
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ requestId }) => requestId === 'request-of-mine').length).toBeGreaterThanOrEqual(5);
    for (const line of lines)
      expect(line).toMatchObject({ service: 'auth-server', level: expect.any(String), time: expect.any(String) });
    expect(service.output()).not.toContain('hush');
  });
});
