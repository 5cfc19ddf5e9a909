import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  call,
  findFreePort,
  type MariaDbServer,
  type ServiceName,
  type ServiceProcess,
  startMariaDbServer,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { adaptToServer, followPage, makeInstallation, testWithClients } from './support/backup-guide.ts';
import { describeOnMysql } from './support/suite.ts';

const names: ServiceName[] = ['auth-server', 'org-api'];
const keyEncryptionKey = Buffer.alloc(32, 7).toString('base64');
const administrator: [string, string] = ['admin@example.com', 'admin-password'];
const secret = 'the-secret-of-the-client';
/** Milliseconds; some seconds where the machine has nothing else to do. */
const patience = 120_000;

describe('docs/operations/backup.md', () => {
  let folder: string;
  let remove: () => void;
  let ports: Record<ServiceName, number>;
  let running: ServiceProcess[];

  beforeEach(async () => {
    ({ folder, remove } = makeInstallation());
    ports = { 'auth-server': await findFreePort(), 'org-api': await findFreePort() };
    running = [];
  });
  afterEach(async () => {
    await stop();
    remove();
  });

  const url = (name: ServiceName) => `http://localhost:${ports[name]}`;

  const envOf = (name: ServiceName, databaseOf: (name: ServiceName) => string) => ({
    AUTH_URL: url('auth-server'),
    BASE_URL: url('org-api'),
    DEMO_DATA: 'true',
    DATABASE_URL: databaseOf(name),
    KEY_ENCRYPTION_KEY: keyEncryptionKey,
    CREDENTIALS_KEY: keyEncryptionKey,
  });

  const start = async (databaseOf: (name: ServiceName) => string) => {
    const startOne = (name: ServiceName) => {
      const env = { ...envOf(name, databaseOf), MIGRATE_ON_START: 'true' };
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

  const follow = (heading: string, databaseOf: (name: ServiceName) => string, adapt?: (text: string) => string) => {
    const env = { 'auth-server': envOf('auth-server', databaseOf), 'org-api': envOf('org-api', databaseOf) };
    const urls = { 'auth-server': url('auth-server'), 'org-api': url('org-api') };
    return followPage('backup.md', heading, { folder, urls, env, ...(adapt && { adapt }) });
  };

  /** What was registered before the backup is there after the restore, and what came later is not. */
  const checkRestored = async (databaseOf: (name: ServiceName) => string) => {
    await follow('## Check', databaseOf);
    expect(await signIn('before-the-backup')).toBe(200);
    expect(await signIn('after-the-backup')).toBe(401);
  };

  test(
    'SQLite: what is backed up while the services run is restored into an empty folder, and a user signs in',
    async () => {
      const databaseOf = (name: ServiceName) => `sqlite:${folder}/.data/${name}.sqlite`;
      await start(databaseOf);
      await registerClient('before-the-backup');
      await follow('### Back up', databaseOf);
      const [backup = ''] = readdirSync(join(folder, 'backup'));
      for (const name of names)
        expect(statSync(join(folder, `backup/${backup}/${name}.sqlite`)).mode & 0o777).toBe(0o600);
      await registerClient('after-the-backup');
      await stop();
      await follow('### Restore', databaseOf);
      for (const name of names) expect(statSync(join(folder, `.data/${name}.sqlite`)).mode & 0o777).toBe(0o600);
      await follow('## Recover', databaseOf);
      await start(databaseOf);
      await checkRestored(databaseOf);
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

    const adapt = (text: string) => adaptToServer({ folder, port: database.port })(text);

    /** Loads into a server that has lost both databases. */
    const loadInto = async (load: () => Promise<unknown>) => {
      await registerClient('after-the-backup');
      await stop();
      await asRoot(['DROP DATABASE auth', 'DROP DATABASE org']);
      await load();
      await start(databaseOf);
      await checkRestored(databaseOf);
    };

    testWithClients(
      'one dump of both databases, with credentials that may only read, is loaded again',
      async () => {
        await follow('### Make a user for backups', databaseOf, adapt);
        await follow('### Dump', databaseOf, adapt);
        expect(statSync(join(folder, 'backup.cnf')).mode & 0o777).toBe(0o600);
        await loadInto(async () => {
          await follow('### Load', databaseOf, adapt);
          await follow('## Recover', databaseOf, adapt);
        });
      },
      patience,
    );

    testWithClients(
      'with compose',
      async () => {
        writeFileSync(join(folder, 'mysql-root-password'), '');
        await follow('### Dump with compose', databaseOf, adapt);
        await loadInto(() => follow('### Load with compose', databaseOf, adapt));
      },
      patience,
    );
  });
});

const readTables = `mkdir copy && cp .data/org-api.sqlite copy/ && node -e "
  console.log(require('better-sqlite3')('copy/org-api.sqlite').prepare('SELECT COUNT(*) FROM sqlite_schema').pluck().get())"`;
