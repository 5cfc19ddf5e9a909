import { createTestDatabase, type TestDatabase, testDialects } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import type { Database } from '../src/database/database.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { createLogger } from '../src/logging.ts';
import { createMetrics } from '../src/metrics/create-metrics.ts';
import { openMeteredDatabase } from '../src/metrics/metered-database.ts';
import type { Metrics } from '../src/metrics/metrics.ts';
import { createId, idToBytes } from '../src/time-ordered-id.ts';
import { type Answer, startScriptedServer } from './support/scripted-server.ts';
import { silentLog, testSchema, waitUntilReady } from './support/test-service.ts';

const readFigures = async (metrics: Metrics) => {
  const lines = (await metrics.print()).split('\n').filter((line) => line.startsWith('gatehouse_database_'));
  return new Map(lines.map((line) => [line.slice('gatehouse_database_'.length, line.lastIndexOf(' ')), line]));
};
const readErrors = async (metrics: Metrics) => {
  const figures = await readFigures(metrics);
  const count = (kind: string) => Number(figures.get(`errors_total{kind="${kind}"}`)?.split(' ').at(-1));
  return { deadlock: count('deadlock'), out_of_reach: count('out_of_reach'), other: count('other') };
};
const openMetered = (metrics: Metrics, { url }: TestDatabase) =>
  openMeteredDatabase(metrics, { url: parseDatabaseUrl(url), ...testSchema, migrateOnStart: true, log: silentLog });

const insertSql = 'INSERT INTO failed_attempts (id, subject_hash, address_hash, expires_at) VALUES (?, ?, ?, ?)';

describe.each(testDialects)('the figures of a database on %s', (dialect) => {
  it('say whether it is ready, how many connections it has, and which statements failed', async () => {
    const metrics = createMetrics();
    const empty = await createTestDatabase(dialect);
    const database = openMetered(metrics, empty);
    const readReadiness = async () => (await readFigures(metrics)).get('ready');
    try {
      expect(await readReadiness()).toBe('gatehouse_database_ready 0');
      await waitUntilReady(database);
      expect(await readReadiness()).toBe('gatehouse_database_ready 1');
      const ofPool = ['connections{state="in_use"}', 'connections{state="idle"}', 'connection_requests_waiting'];
      const figures = [...(await readFigures(metrics))].filter(([name]) => name.startsWith('connection'));
      expect(figures.map(([name]) => name)).toEqual(dialect === 'mysql' ? ofPool : []);
      // The check of the gauge beside them has a connection.
      const counts = figures.map(([, line]) => Number(line.split(' ').at(-1)));
      expect(counts.reduce((sum, count) => sum + count, 0) > 0).toBe(dialect === 'mysql');

      // A row that is there already is an answer, and no error.
      const row = [idToBytes(createId()), Buffer.alloc(32), Buffer.alloc(32), 1];
      await database.execute(insertSql, row);
      await expect(database.execute(insertSql, row)).rejects.toThrow();
      await expect(database.query('SELECT nothing FROM nowhere')).rejects.toThrow();
      expect(await readErrors(metrics)).toEqual({ deadlock: 0, out_of_reach: 0, other: 1 });
    } finally {
      await database.close();
      await empty.drop();
    }
  });

  it('count no statement that was never sent, because there is no connection yet', async () => {
    const metrics = createMetrics();
    const empty = await createTestDatabase(dialect);
    const database = openMetered(metrics, empty);
    try {
      await expect(database.query('SELECT 1')).rejects.toThrow('not connected yet');
      await expect(database.execute(insertSql, [])).rejects.toThrow('not connected yet');
      expect(await readErrors(metrics)).toEqual({ deadlock: 0, out_of_reach: 0, other: 0 });
    } finally {
      await database.close();
      await empty.drop();
    }
  });
});

describe('the figures of a database that is a file', () => {
  it('count a statement once as out of reach while another process holds the file', async () => {
    const metrics = createMetrics();
    const file = await createTestDatabase('sqlite');
    const database = openMetered(metrics, file);
    await waitUntilReady(database);
    const other = openMetered(createMetrics(), file);
    await waitUntilReady(other);
    try {
      await database.query('PRAGMA busy_timeout = 0');
      await other.execute('BEGIN IMMEDIATE');
      const insert = () => database.execute(insertSql, [idToBytes(createId()), Buffer.alloc(32), Buffer.alloc(32), 1]);
      await expect(insert()).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
      expect(await readErrors(metrics)).toEqual({ deadlock: 0, out_of_reach: 1, other: 0 });
    } finally {
      await other.close();
      await database.close();
      await file.drop();
    }
  });
});

describe('the figures of a database on a server', () => {
  /** Ready before it has sent a statement over the connections of its pool. */
  const openOn = async (answer?: (sql: string) => Answer | undefined) => {
    const metrics = createMetrics();
    const server = await startScriptedServer(answer);
    let database: Database | undefined;
    await new Promise<void>((resolve) => {
      const log = Object.assign(createLogger('test', 'silent'), { info: () => resolve() });
      const url = parseDatabaseUrl(`mysql://app:hush@127.0.0.1:${server.port}/gatehouse`);
      database = openMeteredDatabase(metrics, { url, ...testSchema, migrateOnStart: false, log });
    });
    if (database === undefined) throw new Error('resolved by the log of the database');
    return { metrics, server, database };
  };

  it('count a connection that is refused as out of reach, once for each statement that needs it', async () => {
    const { metrics, server, database } = await openOn();
    await server.close();
    await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(database.execute('DELETE FROM failed_attempts')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await readErrors(metrics)).toEqual({ deadlock: 0, out_of_reach: 2, other: 0 });
    await database.close();
  });

  it('count a deadlock apart, even if the statement succeeds when it is sent again', async () => {
    const answers: Answer[] = [{ code: 1213, message: 'Deadlock found' }, { affectedRows: 1 }];
    const { metrics, server, database } = await openOn((sql) =>
      sql.startsWith('DELETE') ? answers.shift() : undefined,
    );
    expect(await database.execute('DELETE FROM failed_attempts')).toBe(1);
    expect(await readErrors(metrics)).toEqual({ deadlock: 1, out_of_reach: 0, other: 0 });
    await database.close();
    await server.close();
  });

  it('show the connections of its pool, by whether they are in use', async () => {
    const { metrics, server, database } = await openOn();
    await Promise.all([database.query('SELECT 1'), database.query('SELECT 2')]);
    const figures = await readFigures(metrics);
    // The readiness beside them is asked for over one of them.
    expect(figures.get('connections{state="in_use"}')).toBe('gatehouse_database_connections{state="in_use"} 1');
    expect(figures.get('connections{state="idle"}')).toBe('gatehouse_database_connections{state="idle"} 1');
    expect(figures.get('connection_requests_waiting')).toBe('gatehouse_database_connection_requests_waiting 0');
    await database.close();
    await server.close();
  });
});

const describeOnMysql = testDialects.includes('mysql') ? describe : () => {};

describeOnMysql('the figures of a database on mysql', () => {
  it('count a deadlock apart', async () => {
    const metrics = createMetrics();
    const empty = await createTestDatabase('mysql');
    const database = openMetered(metrics, empty);
    await waitUntilReady(database);
    try {
      const deadlock = "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found'";
      await expect(database.query(deadlock)).rejects.toThrow();
      const { deadlock: deadlocks, ...others } = await readErrors(metrics);
      expect([deadlocks > 0, others]).toEqual([true, { out_of_reach: 0, other: 0 }]);
    } finally {
      await database.close();
      await empty.drop();
    }
  });
});
