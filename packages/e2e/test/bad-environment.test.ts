import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, runServiceScript, type ServiceName, startServiceProcess } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const services: ServiceName[] = ['auth-server', 'org-api'];

test.each(['--help', '-h'])('keys %s says how it is used, whatever the environment', async (flag) => {
  const { code, output } = await runServiceScript('auth-server', 'keys', { PORT: 'http' }, [flag]);
  expect([code, output]).toEqual([0, expect.stringMatching(/^usage: keys list\n +keys rotate /)]);
});

test.each<[ServiceName, string, string[]]>([
  ['auth-server', 'keys', ['list']],
  ['auth-server', 'keys', ['rotate']],
  ['org-api', 'users', ['set-password', 'admin@example.com']],
  ['org-api', 'methods', ['reset', 'admin@example.com']],
])('%s %s %j names the SQLite file that does not exist, and makes none', async (name, script, args) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-no-database-'));
  try {
    const path = join(folder, 'new', 'data.sqlite');
    const { code, output } = await runServiceScript(name, script, { DATABASE_URL: `sqlite:${path}` }, args);
    expect([code, output]).toEqual([
      1,
      `configuration: DATABASE_URL names ${path}, which does not exist: set it to the database of the service\n`,
    ]);
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe.each(services)('%s', (name) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-environment-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('names all bad variables of a start at once, a line each, and so does its migration', async () => {
    const own = { REALM: 'two words', BOOTSTRAP_ADMIN_USERNAME: 'root@example.com' };
    const env = { NODE_ENV: 'prod', PORT: 'http', DATABASE_URL: 'mysql://user:hush@db', ...own };
    const fault = name === 'auth-server' ? 'REALM' : 'BOOTSTRAP_ADMIN_PASSWORD';
    const [start, migration] = await Promise.all([
      runServiceScript(name, 'main', env),
      runServiceScript(name, 'migrate', env),
    ]);
    const namesOf = (output: string) => [...output.matchAll(/^configuration: (\w+) must .+$/gm)].map(([, at]) => at);
    expect([start.code, migration.code]).toEqual([1, 1]);
    const common = ['DATABASE_URL', 'NODE_ENV', 'PORT'];
    expect(namesOf(migration.output).sort()).toEqual(common);
    expect(namesOf(start.output).sort()).toEqual([...common, fault].sort());
    expect(start.output + migration.output).not.toContain('hush');
  });

  test('warns once each in production of an issuer of this machine, of SQLite and of a missing administrator', async () => {
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL: `sqlite:${join(folder, 'data.sqlite')}`,
      KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    };
    const service = await startServiceProcess({ name, port: await findFreePort(), env });
    const warnings = service
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"warn"'))
      .map((line) => (JSON.parse(line) as { msg: string }).msg.slice(0, 24));
    await service.stop();
    const both = ['AUTH_URL is http://local', 'DATABASE_URL names an SQ'];
    expect(warnings).toEqual(name === 'org-api' ? [...both, 'the organization has no '] : both);
  });
});
