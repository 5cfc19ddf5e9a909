import { createTestDatabase, type TestDatabase, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createPool, type Pool, type PoolConnection } from 'mysql2';
import { limitWaiting } from '../src/database/connection-deadline.ts';
import { type Database, openDatabase } from '../src/database/database.ts';
import { codeOf, isDatabaseOutOfReach } from '../src/database/database-errors.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { keepConnectionsFresh } from '../src/database/fresh-connections.ts';
import type { GetConnection } from '../src/database/get-connection.ts';
import { prepareConnections } from '../src/database/prepare-connections.ts';
import { openTestDatabase, silentLog, testSchema, waitUntilReady } from './support/test-service.ts';

const describeOnMysql = testDialects.includes('mysql') ? describe : () => {};

describe('a database of one connection', () => {
  it('has no pool, and no other writes beside it', async () => {
    const { database, close } = await openTestDatabase('sqlite');
    expect(database.pool()).toBeUndefined();
    expect(database.isMultiPrimary()).toBe(false);
    await close();
  });
});

describe('the wait for a connection', () => {
  it('ends after five seconds', () => {
    jest.useFakeTimers();
    try {
      const told: unknown[] = [];
      limitWaiting(() => {})((error) => told.push(codeOf(error)));
      jest.advanceTimersByTime(4_999);
      expect(told).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(told).toEqual(['POOL_TIMEOUT']);
    } finally {
      jest.useRealTimers();
    }
  });
});

describeOnMysql('connections of a pool', () => {
  let empty: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    empty = await createTestDatabase('mysql');
  });
  beforeEach(() => {
    pool = createPool(empty.url);
  });
  afterEach(() => pool.promise().end());
  afterAll(() => empty.drop());

  const dial: GetConnection = (callback) => pool.getConnection(callback);
  const take = (getConnection = dial) =>
    new Promise<PoolConnection>((resolve, reject) => {
      getConnection((error, connection) => (error === null ? resolve(connection) : reject(error)));
    });
  const readLockWait = async (connection: PoolConnection) => {
    const [rows] = await connection.promise().query('SELECT @@innodb_lock_wait_timeout AS seconds');
    return (rows as { seconds: number }[])[0]?.seconds;
  };

  it('are not used where they were asked for before a failover that others saw meanwhile', async () => {
    const connections = keepConnectionsFresh(pool, dial);
    const faulty = await take(connections.getConnection);
    const dialled: PoolConnection[] = [];
    pool.on('connection', (connection) => dialled.push(connection));
    const asked = take(connections.getConnection);
    expect(connections.renew(faulty)).toBe(true);
    const taken = await asked;
    expect(dialled).toHaveLength(2);
    expect(taken).toBe(dialled[1]);
    expect(connections.renew(taken)).toBe(true);
  });

  it('are not used where they are older than the care for them', async () => {
    const old = await take();
    old.release();
    const { getConnection } = keepConnectionsFresh(pool, dial);
    expect(await take(getConnection)).not.toBe(old);
  });

  it('wait for a row for less time than a statement has, from the first statement on', async () => {
    prepareConnections(pool);
    expect(await readLockWait(await take())).toBe(5);
  });

  it('may break more than once without an end of the process', async () => {
    prepareConnections(pool);
    const connection = await take();
    for (const message of ['first', 'second', 'third']) {
      expect(() => connection.emit('error', new Error(message))).not.toThrow();
    }
    connection.destroy();
  });
});

/** A migration takes two. */
const poolSize = 2;

describeOnMysql('statements that wait for a connection of a pool', () => {
  let empty: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    empty = await createTestDatabase('mysql');
    const url = parseDatabaseUrl(empty.url);
    database = openDatabase({ url, poolSize, ...testSchema, migrateOnStart: true, log: silentLog });
    await waitUntilReady(database);
  });
  afterAll(async () => {
    await database.close();
    await empty.drop();
  });

  const readFailure = (asking: Promise<unknown>) =>
    asking.then(
      () => 'answered',
      (error: unknown) => [codeOf(error), isDatabaseOutOfReach(error)],
    );

  it('are refused where too many wait, or for too long, and leave the connection to the next', async () => {
    const slow = Array.from({ length: poolSize }, () => database.query('SELECT SLEEP(7)'));
    const waiting = Array.from({ length: 1_000 }, () => readFailure(database.query('SELECT 1')));
    expect(await readFailure(database.query('SELECT 1'))).toEqual(['POOL_QUEUE_FULL', true]);
    expect(await readFailure(database.execute('DELETE FROM failed_attempts'))).toEqual(['POOL_QUEUE_FULL', true]);
    expect(new Set(await Promise.all(waiting.map(async (failure) => String(await failure))))).toEqual(
      new Set(['POOL_TIMEOUT,true']),
    );
    await Promise.all(slow);
    expect(await database.query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    expect(database.pool()).toEqual({ inUse: 0, idle: poolSize, waiting: 0 });
  }, 60_000);
});
