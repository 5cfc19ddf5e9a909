import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createTestDatabase, findFreePort, type TestDatabase, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { type Database, openDatabase, untilReady } from '../src/database/database.ts';
import { isDatabaseOutOfReach, isDeadlock, isDuplicateKey } from '../src/database/database-errors.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { purgeExpiredBatch } from '../src/database/purge-expired.ts';
import { connectDataSource } from '../src/database/schema/data-source.ts';
import { migrate, migrateDatabase } from '../src/database/schema/migrate.ts';
import { createLogger } from '../src/logging.ts';
import { createId, findIdBytes, idFromBytes, idToBytes } from '../src/time-ordered-id.ts';
import { openTestDatabase, silentLog, testSchema, waitUntilReady } from './support/test-service.ts';
import { countTimers } from './support/timers.ts';

const hash = Buffer.alloc(32, 1);
const insertSql = 'INSERT INTO failed_attempts (id, subject_hash, address_hash, expires_at) VALUES ';

async function insertRows(database: Database, count: number, expiresAt: number): Promise<void> {
  for (let done = 0; done < count; done += 500) {
    const size = Math.min(500, count - done);
    const values = Array.from({ length: size }, () => [idToBytes(createId()), hash, hash, expiresAt]);
    await database.execute(insertSql + values.map(() => '(?, ?, ?, ?)').join(', '), values.flat());
  }
}

async function countRows(database: Database): Promise<number> {
  const rows = await database.query<{ count: unknown }>('SELECT COUNT(*) AS count FROM failed_attempts');
  return Number(rows[0]?.count);
}

describe.each(testDialects)('the parameters of a statement, on %s', (dialect) => {
  let database: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ database, close } = await openTestDatabase(dialect));
    await insertRows(database, 3, 1);
  });
  afterAll(() => close());

  it.each<[string, unknown, string]>([
    ['a list', ['a'], 'list'],
    ['a list of lists', [['a', 'b']], 'list'],
    ['an object', { expires_at: 1 }, 'object'],
    ['an object that writes its own SQL', { toSqlString: () => 'expires_at' }, 'object'],
    ['a date', new Date(0), 'object'],
    ['undefined', undefined, 'undefined'],
    ['no number', Number.NaN, 'NaN'],
    ['a number without end', Number.POSITIVE_INFINITY, 'Infinity'],
    ['a function', () => 1, 'function'],
  ])('are refused where one is %s', async (_what, parameter, type) => {
    const where = 'WHERE expires_at = ?';
    const fault = new Error(`a parameter of a statement is of type ${type}`);
    await expect(database.query(`SELECT * FROM failed_attempts ${where}`, [parameter])).rejects.toThrow(fault);
    await expect(database.execute(`DELETE FROM failed_attempts ${where}`, [parameter])).rejects.toThrow(fault);
    expect(await countRows(database)).toBe(3);
  });

  it('may be text, numbers, bytes and null', async () => {
    const values = ['text', 1, 1.5, 2n, Buffer.alloc(2), null];
    const [row] = await database.query<Record<string, unknown>>(
      'SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f',
      values,
    );
    expect(Object.keys(row ?? {})).toHaveLength(6);
  });

  it('may be truth values, which are 1 and 0 as SQL has them', async () => {
    const [row] = await database.query<Record<string, unknown>>('SELECT ? AS yes, ? AS no', [true, false]);
    expect([Number(row?.yes), Number(row?.no)]).toEqual([1, 0]);
  });
});

describe.each(testDialects)('a database that is not there yet, on %s', (dialect) => {
  let empty: TestDatabase;
  let database: Database;
  let prepared = 0;
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: undefined, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });

  beforeAll(async () => {
    empty = await createTestDatabase(dialect);
    database = openDatabase({
      url: parseDatabaseUrl(empty.url),
      ...testSchema,
      migrateOnStart: false,
      log,
      async prepare() {
        prepared += 1;
        if (prepared <= 2) throw new Error('the first rows could not be written');
      },
    });
  });
  afterAll(async () => {
    await database.close();
    await empty.drop();
  });

  it('is not ready before its schema is there, and says so', async () => {
    await expect(database.check()).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
    await sleep(500);
    await expect(database.check()).rejects.toThrow('the schema is older than the code; run migrate.js');
    await expect(database.query('SELECT 1')).rejects.toThrow('the schema is older than the code');
    await expect(database.execute('DELETE FROM failed_attempts')).rejects.toThrow('the schema is older than the code');
    expect(prepared).toBe(0);
  });

  it('becomes ready without a restart once it is migrated and prepared, however often that takes', async () => {
    await migrateDatabase({ url: parseDatabaseUrl(empty.url), ...testSchema });
    await waitUntilReady(database);
    expect(prepared).toBe(3);
    expect(await countRows(database)).toBe(0);
    // Each fault once, however often it was tried.
    const [warning, info] = [40, 30];
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [warning, 'database is not ready: the schema is older than the code; run migrate.js'],
      [warning, 'database is not ready: could not be made ready; the log says why'],
      [info, 'database is ready'],
    ]);
    expect(lines[1]?.err).toMatchObject({ message: 'the first rows could not be written' });
  });

  it('is migrated once by any number of migrations at the same moment', async () => {
    const fresh = await createTestDatabase(dialect);
    const options = { url: parseDatabaseUrl(fresh.url), ...testSchema };
    // SQLite has one writer and one process; MySQL has as many as there are replicas.
    const times = dialect === 'mysql' ? 4 : 1;
    await Promise.all(Array.from({ length: times }, () => migrateDatabase(options)));
    await migrateDatabase(options);
    const dataSource = await connectDataSource(options);
    const applied = await dataSource.query<unknown[]>('SELECT * FROM schema_migrations');
    await dataSource.destroy();
    await fresh.drop();
    expect(applied).toHaveLength(1);
  });
});

// SQLite has one writer, so a migration takes no lock there.
const describeOnMysql = testDialects.includes('mysql') ? describe : () => {};

describeOnMysql('a migration that does not get the lock of the migrations', () => {
  it('changes nothing, says so, and leaves the lock to its holder', async () => {
    const empty = await createTestDatabase('mysql');
    const options = { url: parseDatabaseUrl(empty.url), ...testSchema };
    const [other, late] = await Promise.all([connectDataSource(options), connectDataSource(options)]);
    const lock = "CONCAT('gatehouse.', LEFT(SHA2(DATABASE(), 256), 40))";
    const holder = other.createQueryRunner();
    await holder.query(`SELECT GET_LOCK(${lock}, 0)`);
    const createQueryRunner = late.createQueryRunner.bind(late);
    // The migration waits for a minute; here it waits for no time.
    late.createQueryRunner = (...mode) => {
      const runner = createQueryRunner(...mode);
      const query = runner.query.bind(runner) as typeof runner.query;
      runner.query = (sql: string, values?: unknown[]) => query(sql, sql.includes('GET_LOCK') ? [0] : values);
      return runner;
    };
    await expect(migrate(late)).rejects.toThrow('another migration has held the lock for too long');
    expect(await other.query('SHOW TABLES')).toEqual([]);
    const [{ isHeld }] = (await other.query(`SELECT IS_USED_LOCK(${lock}) IS NOT NULL AS isHeld`)) as [
      { isHeld: unknown },
    ];
    expect(Number(isHeld)).toBe(1);
    await holder.release();
    await Promise.all([other.destroy(), late.destroy()]);
    await empty.drop();
  });
});

describe.each(testDialects)('a database whose first rows cannot be written at once, on %s', (dialect) => {
  it('is migrated once all the same', async () => {
    const empty = await createTestDatabase(dialect);
    let prepared = 0;
    const database: Database = openDatabase({
      url: parseDatabaseUrl(empty.url),
      ...testSchema,
      migrateOnStart: true,
      log: silentLog,
      async prepare(preparing) {
        prepared += 1;
        // A migration after this would find its tables there already, and never end well.
        await preparing.execute('DELETE FROM schema_migrations');
        if (prepared === 1) throw new Error('the first rows could not be written');
      },
    });
    await waitUntilReady(database);
    expect(prepared).toBe(2);
    await database.close();
    await empty.drop();
  });
});

it('a database of SQLite may be in memory alone', async () => {
  const url = parseDatabaseUrl('sqlite::memory:');
  const database = openDatabase({ url, ...testSchema, migrateOnStart: true, log: silentLog });
  await waitUntilReady(database);
  await insertRows(database, 2, 1);
  expect(await countRows(database)).toBe(2);
  await database.close();
});

it('a database of SQLite is one file again once it is closed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
  const url = parseDatabaseUrl(`sqlite:${join(folder, 'data.sqlite')}`);
  const database = openDatabase({ url, ...testSchema, migrateOnStart: true, log: silentLog });
  await waitUntilReady(database);
  await insertRows(database, 1, 1);
  await database.close();
  expect(await readdir(folder)).toEqual(['data.sqlite']);
  await rm(folder, { recursive: true });
});

it('a migration prints nothing, as the output of a service is its log', async () => {
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await migrateDatabase({ url: parseDatabaseUrl('sqlite::memory:'), ...testSchema });
    expect(printed).not.toHaveBeenCalled();
  } finally {
    printed.mockRestore();
  }
});

it('a database tells how long it was out of reach, by the clock of its service', async () => {
  let now = 1_000;
  const url = parseDatabaseUrl('sqlite::memory:');
  const options = { url, ...testSchema, migrateOnStart: true, log: silentLog };
  const database = openDatabase({ ...options, clock: () => now });
  await expect(database.query('SELECT 1')).rejects.toThrow('not connected yet');
  now = 5_000;
  await waitUntilReady(database);
  expect(database.timeOutOfReach(0, 10_000)).toBe(4_000);
  await database.close();
});

describe('the wait for a database', () => {
  it('ends with its fault after the time that was given, in which it is asked now and then', async () => {
    let asked = 0;
    const fault = new Error('out of reach');
    const check = () => {
      asked += 1;
      return Promise.reject(fault);
    };
    const startedAt = Date.now();
    await expect(untilReady({ check }, 60)).rejects.toBe(fault);
    expect(Date.now() - startedAt).toBeGreaterThan(60);
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(5);
  });
});

const accessDenied =
  'the database server refuses the user, the password or the database that DATABASE_URL names: correct DATABASE_URL, or grant access';

describe('a database that cannot be made ready', () => {
  it.each([
    ['HANDSHAKE_NO_SSL_SUPPORT', 'no TLS connection to it; the log says why'],
    ['ECONNREFUSED', 'out of reach'],
    ['ER_ACCESS_DENIED_ERROR', accessDenied],
    ['ER_DBACCESS_DENIED_ERROR', accessDenied],
    ['ER_PARSE_ERROR', 'could not be made ready; the log says why'],
  ])('says why, without anything of the inside: %s', async (code, reason) => {
    const url = parseDatabaseUrl('sqlite::memory:');
    let database: Database | undefined;
    const warning = await new Promise((resolve) => {
      const log = Object.assign(createLogger('test', 'silent'), {
        warn: (_members: object, text: string) => resolve(text),
      });
      const prepare = () => Promise.reject(Object.assign(new Error('hush'), { code }));
      database = openDatabase({ url, ...testSchema, migrateOnStart: true, log, prepare });
    });
    expect(warning).toBe(`database is not ready: ${reason}`);
    await expect(database?.check()).rejects.toThrow(new Error(reason));
    await database?.close();
  });
});

describe('a database that is closed before it is ready', () => {
  it('says nothing of what fails because of that', async () => {
    const warnings: string[] = [];
    const warn = (_members: object, text: string) => void warnings.push(text);
    const log = Object.assign(createLogger('test', 'silent'), { warn });
    const url = parseDatabaseUrl('sqlite::memory:');
    let database: Database | undefined;
    const fail = await new Promise<(fault: Error) => void>((resolve) => {
      const prepare = () => new Promise<void>((_prepared, reject) => resolve(reject));
      database = openDatabase({ url, ...testSchema, migrateOnStart: true, log, prepare });
    });
    const closed = database?.close();
    fail(new Error('ended'));
    await closed;
    expect(warnings).toEqual([]);
  });
});

describe('a database server that is out of reach', () => {
  it('leaves the service not ready, and can still be closed', async () => {
    const url = parseDatabaseUrl(`mysql://user:hush@127.0.0.1:${await findFreePort()}/name`);
    const database = openDatabase({ url, ...testSchema, migrateOnStart: false, log: silentLog });
    try {
      await sleep(200);
      await expect(database.check()).rejects.toThrow(/^out of reach$/);
      await expect(database.query('SELECT 1')).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
    } finally {
      const startedAt = performance.now();
      await database.close();
      // Not after the pause before the next try to connect, which is a second.
      expect(performance.now() - startedAt).toBeLessThan(600);
    }
  });
});

describe.each(testDialects)('a database that is ready, on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  beforeAll(async () => {
    test = await openTestDatabase(dialect);
  });
  afterAll(() => test.close());

  it('says how many rows a statement matched, whether or not it changed them', async () => {
    await insertRows(test.database, 3, 5);
    expect(await test.database.execute('UPDATE failed_attempts SET expires_at = ?', [5])).toBe(3);
    expect(await test.database.execute('UPDATE failed_attempts SET expires_at = 6 WHERE expires_at = ?', [7])).toBe(0);
    expect(await test.database.execute('DELETE FROM failed_attempts')).toBe(3);
  });

  it('tells a row that is there already from other failures', async () => {
    const row = [idToBytes(createId()), hash, hash, 1];
    await test.database.execute(`${insertSql}(?, ?, ?, ?)`, row);
    const error = await test.database.execute(`${insertSql}(?, ?, ?, ?)`, row).catch((caught: unknown) => caught);
    expect([isDuplicateKey(error), isDeadlock(error), isDatabaseOutOfReach(error)]).toEqual([true, false, false]);
    const other = await test.database.query('SELECT * FROM nowhere').catch((caught: unknown) => caught);
    expect(other).toBeInstanceOf(Error);
    expect(isDuplicateKey(other)).toBe(false);
    await test.database.execute('DELETE FROM failed_attempts');
  });

  it('fails with an error that repeats no parameter of the statement', async () => {
    for (const send of [test.database.query, test.database.execute]) {
      const error = await send('DELETE FROM nowhere WHERE name = ?', ['hush']).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: 'StatementError', message: expect.stringContaining('nowhere') });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hush');
    }
  });

  it('purges what has expired in batches, and nothing else', async () => {
    await insertRows(test.database, 600, 1_000);
    await insertRows(test.database, 7, 1_001);
    const deleted = [];
    for (let i = 0; i < 4; i += 1) deleted.push(await purgeExpiredBatch(test.database, 'failed_attempts', 1_000));
    expect(deleted).toEqual([250, 250, 100, 0]);
    expect(await countRows(test.database)).toBe(7);
  });

  it('shares the work of purging between replicas that do it at the same moment', async () => {
    await insertRows(test.database, 750, 1_000);
    const replicas = Array.from({ length: 4 }, () => purgeExpiredBatch(test.database, 'failed_attempts', 1_000));
    const deleted = await Promise.all(replicas);
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(750);
    expect(await countRows(test.database)).toBe(7);
  });

  it('is checked by a question, and the wait for its answer keeps no process alive', async () => {
    const timers = countTimers();
    await test.database.check();
    expect(countTimers()).toBe(timers);
  });

  it('is not usable any more once it is closed', async () => {
    const other = await openTestDatabase(dialect);
    await other.close();
    await other.database.close();
    await expect(other.database.check()).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
  });
});

describe('time-ordered ids (RFC 9562 5.7)', () => {
  it('sort in the order they were made, as text and as bytes', () => {
    const ids = Array.from({ length: 1_000 }, createId);
    expect([...ids].sort()).toEqual(ids);
    expect([...ids].sort((a, b) => idToBytes(a).compare(idToBytes(b)))).toEqual(ids);
    expect(new Set(ids).size).toBe(1_000);
  });

  it('read back as they were stored', () => {
    const id = createId();
    expect(idFromBytes(idToBytes(id))).toBe(id);
    expect(findIdBytes(id.toUpperCase())).toEqual(idToBytes(id));
  });

  it.each(['', 'user@example.com', '0192', `${createId()}0`, 'g'.repeat(36), '-'.repeat(36)])(
    'are told from what is none: %j',
    (text) => {
      expect(findIdBytes(text)).toBeUndefined();
    },
  );
});
