import { describe, expect, it } from '@jest/globals';
import type { Connection } from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { identifyServer } from '../src/database/database-server.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { listMysqlMigrations } from '../src/database/migrations-done.ts';
import { buildPoolOptions } from '../src/database/mysql-server.ts';
import { migrate } from '../src/database/schema/migrate.ts';

describe('a server that is asked what it is', () => {
  /** Answers as a server of that version, with those variables; `sent` has what it was told. */
  const ask = async (version: string, variables: Record<string, string>, refused?: Error) => {
    const sent: string[] = [];
    const query = async (sql: string) => {
      if (sql.startsWith('SET')) {
        sent.push(sql);
        if (refused !== undefined) throw refused;
      }
      if (sql.startsWith('SELECT')) return [[{ version }]];
      const asked = Object.entries(variables).filter(([name]) => sql.includes(`'${name}'`));
      return [asked.map(([name, Value]) => ({ Variable_name: name, Value }))];
    };
    return { sent, server: await identifyServer({ query } as unknown as Connection) };
  };

  it('is MySQL or MariaDB with a single primary', async () => {
    expect(await ask('8.4.2', {})).toEqual({
      sent: [],
      server: { type: 'mysql', isMultiPrimary: false, isOfGroup: false, causalSetting: undefined },
    });
    expect(await ask('11.4.2-MariaDB', { wsrep_on: 'OFF', wsrep_sync_wait: '0' })).toEqual({
      sent: [],
      server: { type: 'mariadb', isMultiPrimary: false, isOfGroup: false, causalSetting: 'wsrep_sync_wait = 7' },
    });
    expect((await ask('8.4.2', { group_replication_single_primary_mode: 'ON' })).server.isMultiPrimary).toBe(false);
  });

  it.each([
    ['Galera', '11.4.2-MariaDB', { wsrep_on: 'ON', wsrep_sync_wait: '0' }, 'wsrep_sync_wait = 7', false],
    [
      'Group Replication',
      '8.4.2',
      { group_replication_single_primary_mode: 'OFF' },
      "group_replication_consistency = 'BEFORE'",
      true,
    ],
  ])(
    'is one of several primaries, by %s, whose setting is tried',
    async (_what, version, variables, causalSetting, isOfGroup) => {
      const { sent, server } = await ask(version, variables as Record<string, string>);
      expect(server).toMatchObject({ isMultiPrimary: true, isOfGroup, causalSetting });
      expect(sent).toEqual([`SET SESSION ${causalSetting}`]);
      const refused = new Error('access denied');
      await expect(ask(version, variables as Record<string, string>, refused)).rejects.toBe(refused);
    },
  );
});

describe('a server that is asked which migrations were done', () => {
  const ask = (answer: () => Promise<unknown>) => listMysqlMigrations({ query: answer } as unknown as Connection);

  it('names them', async () => {
    expect(await ask(async () => [[{ name: 'First' }, { name: 'Second' }]])).toEqual(['First', 'Second']);
  });

  it('names none before the first', async () => {
    const missing = Object.assign(new Error('no such table'), { code: 'ER_NO_SUCH_TABLE' });
    expect(await ask(() => Promise.reject(missing))).toEqual([]);
  });

  it('fails where it fails otherwise', async () => {
    const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    await expect(ask(() => Promise.reject(lost))).rejects.toBe(lost);
  });
});

describe('a migration on a server', () => {
  const create = (rows: object[]) => {
    const done: unknown[] = [];
    const holder = {
      async query(sql: string, values: unknown[] = []) {
        done.push([/[A-Z]+_LOCK/.exec(sql)?.[0], ...values].join(' '));
        return rows;
      },
      release: async () => void done.push('released'),
    };
    const dataSource = {
      options: { type: 'mariadb' },
      createQueryRunner: () => holder,
      runMigrations: async (options: object) => void done.push(options),
    };
    return { done, migrating: migrate(dataSource as unknown as DataSource) };
  };

  it.each([
    { got: 1 },
    { got: '1' },
    // Vitess names the column of a lone lock function by itself.
    { "get_lock(concat('gatehouse.', left(sha2('auth', 256), 40)), 60)": 1 },
  ])('is done while the lock of migrations is held, which %j tells', async (row) => {
    const { done, migrating } = create([row]);
    await migrating;
    expect(done).toEqual(['GET_LOCK 60', { transaction: 'none' }, 'RELEASE_LOCK', 'released']);
  });

  it.each([[[{ got: 0 }]], [[{ got: null }]], [[]]])(
    'is not done where another holds the lock for a minute: %j',
    async (rows) => {
      const { done, migrating } = create(rows);
      await expect(migrating).rejects.toThrow('another migration has held the lock for too long');
      expect(done).toEqual(['GET_LOCK 60', 'released']);
    },
  );
});

describe('the options of a pool', () => {
  const build = (text: string) => {
    const url = parseDatabaseUrl(text);
    if (url.dialect !== 'mysql') throw new Error('of another dialect');
    return buildPoolOptions(url, 7);
  };

  it('name the server and the user, and limit how many connections there are and how many statements wait', () => {
    expect(build('mysql://app:hush@db.example:3307/gatehouse')).toEqual({
      ...{ host: 'db.example', port: 3307, user: 'app', password: 'hush', database: 'gatehouse' },
      ...{ charset: 'utf8mb4', timezone: 'Z', supportBigNumbers: true, bigNumberStrings: false },
      ...{ stringifyObjects: true, connectTimeout: 5_000, connectionLimit: 7, queueLimit: 1_000 },
    });
  });

  it('leave less time to dial each where there are several hosts', () => {
    expect(build('mysql://app:hush@one,other/gatehouse').connectTimeout).toBe(2_000);
  });

  it('demand a certificate of that name where connections are encrypted', () => {
    expect(build('mysql://app:hush@db.example/gatehouse?tls=verify')).toMatchObject({
      ssl: { rejectUnauthorized: true, verifyIdentity: true },
    });
  });
});
