import { setTimeout as sleep } from 'node:timers/promises';
import { type MariaDbServer, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../src/database/database.ts';
import { codeOf, isConnectionLost } from '../src/database/database-errors.ts';
import type { FailedAttemptRow } from '../src/guess-limit/failed-attempt-table.ts';
import { createId, idToBytes } from '../src/time-ordered-id.ts';
import { type MovableAddress, startMovableAddress } from './support/database-address.ts';
import { openOn, startDatabaseServer } from './support/database-server.ts';
import { waitUntilReady } from './support/test-service.ts';

const hash = Buffer.alloc(32, 1);
const insertSql = 'INSERT INTO failed_attempts (id, subject_hash, address_hash, expires_at) VALUES (?, ?, ?, ?)';

function createRow(): FailedAttemptRow {
  return { id: idToBytes(createId()), subject_hash: hash, address_hash: hash, expires_at: 1 };
}

async function runOn(server: MariaDbServer, sql: string): Promise<unknown> {
  const [result] = await (await server.connectAsRoot()).query(sql);
  return result;
}

async function countRows(server: MariaDbServer): Promise<number> {
  const [row] = (await runOn(server, 'SELECT COUNT(*) AS count FROM gatehouse.failed_attempts')) as [{ count: number }];
  return Number(row.count);
}

/** On servers of its own, whose software comes with the MariaDB that the other tests use. */
const describeOnServers = testDialects.includes('mysql') ? describe : describe.skip;

describeOnServers('when the primary is lost behind the address of the database', () => {
  let primary: MariaDbServer;
  let replica: MariaDbServer;
  let address: MovableAddress;
  let database: Database;
  let failures: unknown[];

  beforeAll(async () => {
    primary = await startDatabaseServer();
    replica = await startDatabaseServer();
  }, 120_000);
  beforeEach(async () => {
    await Promise.all([primary, replica].map((server) => runOn(server, 'DELETE FROM gatehouse.failed_attempts')));
    address = await startMovableAddress(primary.port);
    failures = [];
    database = openOn(address.port, (error) => failures.push(codeOf(error)));
    await waitUntilReady(database);
    // As many statements at once as the pool has connections.
    await Promise.all(Array.from({ length: 10 }, () => database.query('SELECT SLEEP(0.2)')));
    expect(await readPort()).toBe(primary.port);
  });
  afterEach(async () => {
    await database?.close();
    await address?.close();
  });
  afterAll(() => Promise.all([primary?.drop(), replica?.drop()]));

  const insert = () => database.execute(insertSql, Object.values(createRow()));
  const readPort = async () => Number((await database.query<{ port: unknown }>('SELECT @@port AS port'))[0]?.port);

  describe('because it is a replica now', () => {
    const setReadOnly = (server: MariaDbServer, readOnly: 0 | 1) => runOn(server, `SET GLOBAL read_only = ${readOnly}`);
    afterEach(() => Promise.all([setReadOnly(primary, 0), setReadOnly(replica, 0)]));

    it('writes to the new one, at the same moment and later', async () => {
      await setReadOnly(primary, 1);
      address.pointTo(replica.port);
      expect(await Promise.all(Array.from({ length: 20 }, insert))).toEqual(Array(20).fill(1));
      expect(await insert()).toBe(1);
      expect([await countRows(primary), await countRows(replica)]).toEqual([0, 21]);
    });

    it('reads from the new one as well, over no connection of before', async () => {
      await setReadOnly(primary, 1);
      address.pointTo(replica.port);
      await insert();
      const ports = await Promise.all(Array.from({ length: 30 }, readPort));
      expect(new Set(ports)).toEqual(new Set([replica.port]));
    });

    it('refuses writes while there is no primary at all, and goes on by itself when there is', async () => {
      await Promise.all([setReadOnly(primary, 1), setReadOnly(replica, 1)]);
      address.pointTo(replica.port);
      await expect(insert()).rejects.toMatchObject({ code: 'ER_OPTION_PREVENTS_STATEMENT' });
      await setReadOnly(replica, 0);
      expect(await insert()).toBe(1);
    });
  });

  describe('because it died', () => {
    afterEach(async () => {
      await primary?.stop('SIGKILL');
      await primary?.start();
    });

    it('sends a read again that was on its way', async () => {
      const reading = database.query<{ port: unknown }>('SELECT SLEEP(5), @@port AS port');
      await sleep(300);
      address.pointTo(replica.port);
      primary.signal('SIGKILL');
      expect(Number((await reading)[0]?.port)).toBe(replica.port);
    });

    it('does not send a write again that was on its way, and writes the next one', async () => {
      const slowInsert = `${insertSql.replace(/VALUES.*/, '')} SELECT ?, ?, ?, ? + SLEEP(5)`;
      const writing = database.execute(slowInsert, Object.values(createRow())).catch((error: unknown) => error);
      await sleep(300);
      address.pointTo(replica.port);
      primary.signal('SIGKILL');
      expect(isConnectionLost(await writing)).toBe(true);
      expect(await insert()).toBe(1);
      expect(await countRows(replica)).toBe(1);
    });

    it('gives up a server that says nothing any more, and asks the new one', async () => {
      primary.signal('SIGSTOP');
      // Its threads stop one after the other.
      await sleep(300);
      address.pointTo(replica.port);
      expect(await readPort()).toBe(replica.port);
      expect(await insert()).toBe(1);
      expect(failures).toEqual(['ETIMEDOUT']);
    }, 120_000);
  });
});
