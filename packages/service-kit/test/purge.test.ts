import { setTimeout as sleep } from 'node:timers/promises';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseUnavailableError } from '../src/database/database-errors.ts';
import { type PurgeObserver, startPurging } from '../src/database/purge-expired.ts';
import { createLogger } from '../src/logging.ts';
import { createId, idToBytes } from '../src/time-ordered-id.ts';
import { openTestDatabase, silentLog } from './support/test-service.ts';

const now = 1_000;
const tables = ['failed_attempts', 'used_identifiers'];

describe.each(testDialects)('the purge on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  beforeAll(async () => {
    test = await openTestDatabase(dialect);
  });
  beforeEach(async () => {
    for (const table of tables) await test.database.execute(`DELETE FROM ${table}`);
  });
  afterAll(() => test.close());

  const insertAttempts = async (count: number, expiresAt: number) => {
    const hash = Buffer.alloc(32, 1);
    const values = Array.from({ length: count }, () => [idToBytes(createId()), hash, hash, expiresAt]);
    const marks = values.map(() => '(?, ?, ?, ?)').join(', ');
    const sql = `INSERT INTO failed_attempts (id, subject_hash, address_hash, expires_at) VALUES ${marks}`;
    await test.database.execute(sql, values.flat());
  };
  const insertIdentifier = (first: number, expiresAt: number) =>
    test.database.execute('INSERT INTO used_identifiers (identifier_hash, expires_at) VALUES (?, ?)', [
      Buffer.alloc(32, first),
      expiresAt,
    ]);
  const countRows = () =>
    Promise.all(
      tables.map(async (table) => {
        const [row] = await test.database.query<{ count: unknown }>(`SELECT COUNT(*) AS count FROM ${table}`);
        return Number(row?.count);
      }),
    );
  /** Purges until `isEnough` says so at the end of a round, and gives how many rows each statement deleted. */
  const purge = async (isEnough: () => Promise<boolean> = async () => true, of = tables) => {
    const deleted: [string, number][] = [];
    const failed: string[] = [];
    await new Promise<void>((resolve) => {
      const observer: PurgeObserver = {
        deleted: (table, rows) => deleted.push([table, rows]),
        failed: (table) => failed.push(table),
        finished: () => void isEnough().then((enough) => enough && resolve(purging.stop())),
      };
      const options = { database: test.database, tables: of, clock: () => now, log: silentLog, observer, interval: 10 };
      const purging = startPurging(options);
    });
    return { deleted, failed };
  };

  it('deletes in one round all rows that have expired, batch by batch, and no other', async () => {
    await insertAttempts(600, now);
    await insertAttempts(7, now + 1);
    await insertIdentifier(1, now);
    await insertIdentifier(2, now + 1);
    const { deleted } = await purge();
    expect(deleted.slice(0, 4)).toEqual([
      ['failed_attempts', 250],
      ['failed_attempts', 250],
      ['failed_attempts', 100],
      ['used_identifiers', 1],
    ]);
    expect(await countRows()).toEqual([7, 1]);
  }, 10_000);

  it('begins another round after its interval', async () => {
    let inserted: Promise<boolean> | undefined;
    const { deleted } = await purge(async () => {
      if (inserted !== undefined) return (await inserted) && (await countRows())[1] === 0;
      inserted = insertIdentifier(1, now).then(() => true);
      return false;
    });
    expect(deleted.filter(([, rows]) => rows > 0)).toEqual([['used_identifiers', 1]]);
  }, 10_000);

  it('begins no round while another one works, and works for half of the time', async () => {
    let [running, most, worked] = [0, 0, 0];
    const execute: typeof test.database.execute = async () => {
      running += 1;
      most = Math.max(most, running);
      worked += 1;
      await sleep(30);
      running -= 1;
      return 250;
    };
    const database = { ...test.database, execute };
    const startedAt = performance.now();
    const purging = startPurging({ database, tables, clock: () => now, log: silentLog, interval: 5 });
    await sleep(500);
    purging.stop();
    const atStop = worked;
    expect(most).toBe(1);
    expect(atStop).toBeLessThanOrEqual((performance.now() - startedAt) / 55);
    await sleep(200);
    expect(worked).toBe(atStop);
  });

  it.each([
    ['a fault of the statement: it is logged', new Error('no such table'), 1],
    ['no database: that logs itself', new DatabaseUnavailableError('out of reach'), 0],
  ])('goes on with the next table, and tells that the round failed: %s', async (_what, fault, warned) => {
    const warnings: unknown[] = [];
    const log = Object.assign(createLogger('test', 'silent'), { warn: (...one: unknown[]) => warnings.push(one) });
    const failed: string[] = [];
    const [deleted, rounds] = [new Set<string>(), [] as string[]];
    const observer: PurgeObserver = {
      deleted: (table) => void deleted.add(table),
      failed: (table) => failed.push(table),
      finished: () => rounds.push('finished'),
    };
    const execute = (sql: string) => (sql.includes('failed_attempts') ? Promise.reject(fault) : Promise.resolve(0));
    const database = { ...test.database, execute };
    const common = { database, tables, clock: () => now, log, interval: 20 };
    const purging = startPurging({ ...common, observer });
    while (deleted.size === 0) await sleep(5);
    purging.stop();
    expect([failed, [...deleted], rounds]).toEqual([['failed_attempts'], ['used_identifiers'], []]);
    const text = 'purge of expired rows failed; it will be tried again';
    expect(warnings).toEqual(warned === 0 ? [] : [[{ err: fault, table: 'failed_attempts' }, text]]);
    // Nobody need watch.
    const unwatched = startPurging(common);
    while (warnings.length < 2 * warned) await sleep(5);
    unwatched.stop();
  });

  it('deletes nothing once it is stopped', async () => {
    await insertIdentifier(1, now);
    const options = { database: test.database, tables, clock: () => now, log: silentLog, interval: 1 };
    startPurging(options).stop();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await countRows()).toEqual([0, 1]);
  });
});
