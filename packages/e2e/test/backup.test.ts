import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  call,
  findFreePort,
  type MariaDbServer,
  repositoryRoot,
  type ServiceName,
  type ServiceProcess,
  startMariaDbServer,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parseSteps, readSection } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { describeOnMysql } from './support/suite.ts';

const page = readFileSync(join(repositoryRoot, 'docs/operations/backup.md'), 'utf8');
const names: ServiceName[] = ['auth-server', 'org-api'];
const keyEncryptionKey = Buffer.alloc(32, 7).toString('base64');
const administrator: [string, string] = ['admin@example.com', 'admin-password'];
const secret = 'the-secret-of-the-client';
/** Milliseconds; some seconds where the machine has nothing else to do. */
const patience = 120_000;

/** Where the clients of MySQL are missing these tests fail in CI; elsewhere they are left out. */
const has = (program: string) => spawnSync(program, ['--version']).status === 0;
const testWithClients = has('mysqldump') || process.env.CI !== undefined ? test : test.skip;
/** The server is MariaDB, whose own clients the page asks for; mysqldump of MySQL 9 does not authenticate there. */
const clients = has('mariadb-dump')
  ? { dump: 'mariadb-dump', client: 'mariadb' }
  : { dump: 'mysqldump', client: 'mysql' };

describe('docs/operations/backup.md', () => {
  let folder: string;
  let ports: Record<ServiceName, number>;
  let running: ServiceProcess[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'));
    symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
    ports = { 'auth-server': await findFreePort(), 'org-api': await findFreePort() };
    running = [];
  });
  afterEach(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const url = (name: ServiceName) => `http://localhost:${ports[name]}`;

  const start = async (databaseOf: (name: ServiceName) => string) => {
    const common = {
      AUTH_URL: url('auth-server'),
      BASE_URL: url('org-api'),
      MIGRATE_ON_START: 'true',
      DEMO_DATA: 'true',
    };
    const startOne = (name: ServiceName) => {
      const env = { ...common, DATABASE_URL: databaseOf(name), KEY_ENCRYPTION_KEY: keyEncryptionKey };
      return startServiceProcess({ name, port: ports[name], env });
    };
    running = await Promise.all(names.map(startOne));
  };

  const stop = async () => void (await Promise.all(running.map((service) => service.stop())));

  const registerClient = async (clientId: string) => {
    const body = {
      client_id: clientId,
      client_secret: secret,
      scope: ['profile'],
      authorized_grant_types: ['password'],
    };
    const { status } = await call(`${url('auth-server')}/clients`, { basic: administrator, json: body });
    expect(status).toBe(200);
  };

  const signIn = async (clientId: string) => {
    const form = { grant_type: 'password', username: 'user@example.com', password: 'user-password' };
    return (await call(`${url('auth-server')}/oauth/token`, { basic: [clientId, secret], form })).status;
  };

  const follow = (heading: string, adapt = (text: string) => text) => {
    const section = readSection(page, heading).split('\n#', 1)[0] ?? '';
    const here = adapt(section)
      .replaceAll('http://localhost:9000', url('auth-server'))
      .replaceAll('http://localhost:9001', url('org-api'));
    const steps = parseSteps(here);
    expect(steps.length).toBeGreaterThan(0);
    return doSteps(steps, { folder, env: { ...process.env, HOME: folder } }, patience - 10_000);
  };

  /** What was registered before the backup is there after the restore, and what came later is not. */
  const checkRestored = async () => {
    await follow('## Check');
    expect(await signIn('before-the-backup')).toBe(200);
    expect(await signIn('after-the-backup')).toBe(401);
  };

  test(
    'SQLite: what is backed up while the services run is restored into an empty folder, and a user signs in',
    async () => {
      const databaseOf = (name: ServiceName) => `sqlite:${folder}/.data/${name}.sqlite`;
      await start(databaseOf);
      await registerClient('before-the-backup');
      await follow('### Back up');
      await registerClient('after-the-backup');
      await stop();
      await follow('### Restore');
      for (const name of names) expect(statSync(join(folder, `.data/${name}.sqlite`)).mode & 0o777).toBe(0o600);
      await start(databaseOf);
      await checkRestored();
    },
    patience,
  );

  test(
    'SQLite: a plain copy of the file in its first minutes is empty, as the page says',
    async () => {
      await start((name) => `sqlite:${folder}/.data/${name}.sqlite`);
      const tables = spawnSync('bash', ['-c', readTables], { cwd: folder, encoding: 'utf8' });
      expect(tables.stdout.trim()).toBe('0');
    },
    patience,
  );

  describeOnMysql('MySQL', () => {
    let database: MariaDbServer;

    beforeEach(async () => {
      database = await startMariaDbServer();
      // mysqldump of MySQL 8 asks every server for statistics that MariaDB has not.
      writeFileSync(join(folder, '.my.cnf'), '[mysqldump]\nloose-column-statistics = 0\n');
      await asRoot(
        ['auth', 'org'].flatMap((name) => [
          `CREATE DATABASE ${name} CHARACTER SET utf8mb4`,
          `CREATE USER '${name}'@'%' IDENTIFIED BY '${name}-password'`,
          `GRANT ALL ON ${name}.* TO '${name}'@'%'`,
        ]),
      );
      await start(databaseOf);
      await registerClient('before-the-backup');
    });
    afterEach(async () => {
      await stop();
      await database?.drop();
    });

    const asRoot = async (statements: string[]) => {
      const root = await database.connectAsRoot();
      for (const statement of statements) await root.query(statement);
    };

    const databaseOf = (service: ServiceName) => {
      const name = service === 'auth-server' ? 'auth' : 'org';
      return `mysql://${name}:${name}-password@127.0.0.1:${database.port}/${name}`;
    };

    /** The server of the test in the place of the page's. Its root has no password. */
    const adapt = (text: string) =>
      text
        .replaceAll(
          '--host mysql.internal --user root --password',
          `--host 127.0.0.1 --port ${database.port} --user root`,
        )
        .replaceAll('host = mysql.internal', `host = 127.0.0.1\nport = ${database.port}`)
        .replaceAll('docker compose exec -T mysql ', '')
        .replaceAll(/^docker compose .*$/gm, ':')
        .replaceAll('/run/secrets/', `${folder}/`)
        .replaceAll(' --set-gtid-purged=OFF', '')
        .replaceAll(/^( *)mysqldump /gm, `$1${clients.dump} `)
        .replaceAll(/^( *)mysql (?=-)/gm, `$1${clients.client} `)
        .replaceAll('--user=root', `--host=127.0.0.1 --port=${database.port} --user=root`);

    /** Loads into a server that has lost both databases. */
    const loadInto = async (load: () => Promise<unknown>) => {
      await registerClient('after-the-backup');
      await stop();
      await asRoot(['DROP DATABASE auth', 'DROP DATABASE org']);
      await load();
      await start(databaseOf);
      await checkRestored();
    };

    testWithClients(
      'one dump of both databases, with credentials that may only read, is loaded again',
      async () => {
        await follow('### Make a user for backups', adapt);
        await follow('### Dump', adapt);
        expect(statSync(join(folder, 'backup.cnf')).mode & 0o777).toBe(0o600);
        await loadInto(() => follow('### Load', adapt));
      },
      patience,
    );

    testWithClients(
      'with compose',
      async () => {
        writeFileSync(join(folder, 'mysql-root-password'), '');
        const [dump = '', load = ''] = readSection(page, '## Compose').split('To load it:');
        const run = (text: string) =>
          doSteps(parseSteps(adapt(text)), { folder, env: { ...process.env, HOME: folder } }, patience - 10_000);
        await run(dump);
        await loadInto(() => run(load));
      },
      patience,
    );
  });
});

const readTables = `mkdir copy && cp .data/org-api.sqlite copy/ && node -e "
  console.log(require('better-sqlite3')('copy/org-api.sqlite').prepare('SELECT COUNT(*) FROM sqlite_schema').pluck().get())"`;
