import { setTimeout as sleep } from 'node:timers/promises';
import { type MariaDbServer, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mysql2/promise';
import type { Database } from '../src/database/database.ts';
import { codeOf } from '../src/database/database-errors.ts';
import type { FailedAttemptRow } from '../src/guess-limit/failed-attempt-table.ts';
import { openOn, startDatabaseServer } from './support/database-server.ts';
import { waitUntilReady } from './support/test-service.ts';

/** Row 0 and row 1 are fought for; the rest makes the other transaction the heavier one, which the server spares. */
const rows = Array.from({ length: 50 }, (_, index) => Buffer.alloc(16, index));

const describeOnMysql = testDialects.includes('mysql') ? describe : describe.skip;

describeOnMysql('a statement in a deadlock with another transaction', () => {
  let server: MariaDbServer;
  let database: Database;
  let other: Connection;
  let failures: unknown[];

  beforeAll(async () => {
    server = await startDatabaseServer();
    database = openOn(server.port, (error) => failures.push(codeOf(error)));
    await waitUntilReady(database);
    other = await server.connectAsRoot();
    await other.query('USE gatehouse');
  }, 120_000);
  beforeEach(async () => {
    failures = [];
    const hash = Buffer.alloc(32);
    for (const id of rows) {
      await database.execute('INSERT INTO failed_attempts VALUES (?, ?, ?, 1)', [id, hash, hash]);
    }
  });
  afterEach(async () => {
    await database.execute('DELETE FROM failed_attempts');
  });
  afterAll(async () => {
    await database?.close();
    await server?.drop();
  });

  /** The other transaction has row 1 and wants row 0; the statement, which has row 0, waits for row 1 by then. */
  const provokeDeadlock = async (statement: () => Promise<unknown>) => {
    await other.query('START TRANSACTION');
    await other.query('UPDATE failed_attempts SET expires_at = 2 WHERE id >= ?', [rows[1]]);
    const running = statement();
    running.catch(() => {});
    await untilWaiting();
    await other.query('UPDATE failed_attempts SET expires_at = 2 WHERE id = ?', [rows[0]]);
    await other.query('COMMIT');
    return running;
  };
  const untilWaiting = async () => {
    const sql = `SELECT 1 FROM information_schema.innodb_trx JOIN information_schema.processlist ON id = trx_mysql_thread_id
      WHERE trx_state = 'LOCK WAIT' AND db = DATABASE()`;
    for (;;) {
      // What the server tells of transactions is not renewed while somebody asks more often than that.
      await sleep(200);
      const [waiting] = await other.query(sql);
      if ((waiting as unknown[]).length > 0) return;
    }
  };
  const readExpiries = async () => {
    const sql = 'SELECT expires_at FROM failed_attempts WHERE id IN (?, ?)';
    const found = await database.query<Pick<FailedAttemptRow, 'expires_at'>>(sql, [rows[0], rows[1]]);
    return found.map((row) => Number(row.expires_at));
  };

  it('is done all the same, once', async () => {
    const sql = 'UPDATE failed_attempts SET expires_at = expires_at + 10 WHERE id IN (?, ?) ORDER BY id';
    expect(await provokeDeadlock(() => database.execute(sql, [rows[0], rows[1]]))).toBe(2);
    expect(await readExpiries()).toEqual([12, 12]);
    expect(failures).toEqual(['ER_LOCK_DEADLOCK']);
  });

  it('gives up a row that another transaction keeps before its connection counts as lost, and asks again', async () => {
    await other.query('START TRANSACTION');
    await other.query('UPDATE failed_attempts SET expires_at = 2 WHERE id = ?', [rows[0]]);
    const sql = 'UPDATE failed_attempts SET expires_at = expires_at + 10 WHERE id = ?';
    const running = database.execute(sql, [rows[0]]);
    while (failures.length === 0) await sleep(50);
    await other.query('COMMIT');
    expect(await running).toBe(1);
    expect(failures).toEqual(['ER_LOCK_WAIT_TIMEOUT']);
    expect(await readExpiries()).toEqual([12, 1]);
  }, 30_000);
});
