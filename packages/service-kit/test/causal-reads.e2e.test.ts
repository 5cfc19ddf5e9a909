import { setTimeout as sleep } from 'node:timers/promises';
import { canStartGaleraCluster, type GaleraCluster, type Lag, startGaleraCluster } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plainly } from '../src/database/cluster-statements.ts';
import type { Database } from '../src/database/database.ts';
import { plainlyFirst } from '../src/database/plainly-first.ts';
import type { FailedAttemptRow } from '../src/guess-limit/failed-attempt-table.ts';
import { createId, idToBytes } from '../src/time-ordered-id.ts';
import { openOn } from './support/database-server.ts';
import { waitUntilReady } from './support/test-service.ts';

const hash = Buffer.alloc(32, 1);
const insertSql = 'INSERT INTO failed_attempts (id, subject_hash, address_hash, expires_at) VALUES (?, ?, ?, ?)';
const rounds = 10;

const describeOnCluster = canStartGaleraCluster() ? describe : describe.skip;

describeOnCluster('on a cluster whose every server takes writes, beside one that lags', () => {
  let cluster: GaleraCluster;
  let here: Database;
  let late: Database;
  let lag: Lag;

  beforeAll(async () => {
    cluster = await startGaleraCluster();
    const [first, second] = cluster.nodes as [GaleraCluster['nodes'][0], GaleraCluster['nodes'][0]];
    const root = await first.connectAsRoot();
    await root.query('CREATE DATABASE gatehouse');
    await root.query("CREATE USER app@'%' IDENTIFIED BY 'app'");
    await root.query("GRANT ALL ON gatehouse.* TO app@'%'");
    here = openOn(first.port);
    await waitUntilReady(here);
    late = openOn(second.port);
    await waitUntilReady(late);
    lag = await second.startLagging();
  }, 180_000);
  afterAll(async () => {
    await lag?.stop();
    await Promise.all([here?.close(), late?.close()]);
    await cluster?.drop();
  });

  const insertAt = async (database: Database, id = idToBytes(createId())) => {
    await database.execute(insertSql, [id, hash, hash, 1]);
    return id;
  };
  /** Does it in the middle of a lag, again and again. */
  const inEveryRound = async <T>(ask: () => Promise<T>): Promise<T[]> => {
    const answers: T[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await sleep(Math.random() * 100);
      answers.push(await ask());
    }
    return answers;
  };
  const findSql = 'SELECT id FROM failed_attempts WHERE id = ?';

  it('knows that it is one', () => {
    expect([here.isMultiPrimary(), late.isMultiPrimary()]).toEqual([true, true]);
  });

  it('has twice the connections that one server has', async () => {
    await Promise.all([late.query('SELECT 1'), late.query('SELECT 1', [], plainly)]);
    expect(late.pool()).toMatchObject({ inUse: 0, waiting: 0 });
    expect(late.pool()?.idle).toBeGreaterThanOrEqual(2);
  });

  it('a query misses nothing that was acknowledged elsewhere, and a plain one does', async () => {
    const found = await inEveryRound(async () => {
      const id = await insertAt(here);
      const [waited, atOnce] = await Promise.all([late.query(findSql, [id]), late.query(findSql, [id], plainly)]);
      return { waited: waited.length, atOnce: atOnce.length };
    });
    expect(found.map(({ waited }) => waited)).toEqual(Array(rounds).fill(1));
    expect(found.filter(({ atOnce }) => atOnce === 0).length).toBeGreaterThan(0);
  });

  it('what is looked for plainly first is found all the same', async () => {
    const find = plainlyFirst<FailedAttemptRow>(late, async (keys, reading) => {
      const rows = await late.query<FailedAttemptRow>(findSql, [Buffer.from(keys[0] ?? '', 'hex')], reading);
      return new Map(rows.map((row) => [row.id.toString('hex'), row]));
    });
    const found = await inEveryRound(async () => {
      const key = (await insertAt(here)).toString('hex');
      return (await find([key])).has(key);
    });
    expect(found).toEqual(Array(rounds).fill(true));
  });

  it('a change finds the row that was acknowledged elsewhere, and is made once', async () => {
    const sql = 'UPDATE failed_attempts SET expires_at = expires_at + 1 WHERE id = ? AND expires_at = 1';
    const matched = await inEveryRound(async () => {
      const id = await insertAt(here);
      const counts = await Promise.all([late, here, late].map((database) => database.execute(sql, [id])));
      return counts.sort();
    });
    expect(matched).toEqual(Array(rounds).fill([0, 0, 1]));
  });

  it('of two who insert one key one is told that it is taken', async () => {
    const outcomes = await inEveryRound(async () => {
      const id = idToBytes(createId());
      const inserting = [late, here].map((database) =>
        insertAt(database, id).then(
          () => 'inserted',
          (error: { code: string }) => error.code,
        ),
      );
      return (await Promise.all(inserting)).sort();
    });
    expect(outcomes).toEqual(Array(rounds).fill(['ER_DUP_ENTRY', 'inserted']));
  });
});
