import { canStartMysqlGroup, type MysqlGroup, startMysqlGroup } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase, untilReady } from '../src/database/database.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { createId, idToBytes } from '../src/time-ordered-id.ts';
import { silentLog, testSchema, waitUntilReady } from './support/test-service.ts';

const describeGroup = canStartMysqlGroup() ? describe : describe.skip;

describeGroup('a group of three MySQL servers that all take writes', () => {
  let group: MysqlGroup;
  const opened: Database[] = [];

  beforeAll(async () => {
    group = await startMysqlGroup();
    const root = await group.members[0]?.connectAsRoot();
    await root?.query('CREATE DATABASE gatehouse');
    await root?.query("CREATE USER app@'%' IDENTIFIED BY 'app'");
    await root?.query("GRANT ALL ON gatehouse.* TO app@'%'");
    await root?.query("GRANT SELECT ON performance_schema.replication_group_members TO app@'%'");
    await openOn([0]);
  }, 180_000);
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });
  afterAll(() => group?.drop());

  const memberAt = (index: number) => {
    const member = group.members[index];
    if (member === undefined) throw new Error(`no member ${index}`);
    return member;
  };
  /** Of the members in that order, as a replica starts. */
  const open = (indices: number[]) => {
    const hosts = indices.map((index) => `127.0.0.1:${memberAt(index).port}`).join(',');
    const url = parseDatabaseUrl(`mysql://app:app@${hosts}/gatehouse`);
    const database = openDatabase({ url, ...testSchema, migrateOnStart: true, log: silentLog });
    opened.push(database);
    return database;
  };
  const openOn = async (indices: number[]) => {
    const database = open(indices);
    await waitUntilReady(database);
    return database;
  };
  const readPort = async (database: Database) => {
    const [row] = await database.query<{ port: unknown }>('SELECT @@port AS port');
    return Number(row?.port);
  };
  const insert = async (database: Database) => {
    const id = idToBytes(createId());
    const values = [id, Buffer.alloc(32), Buffer.alloc(32)];
    await database.execute(
      'INSERT INTO failed_attempts (id, subject_hash, address_hash, expires_at) VALUES (?, ?, ?, 1)',
      values,
    );
    return id;
  };
  const has = async (database: Database, id: Buffer) =>
    (await database.query('SELECT id FROM failed_attempts WHERE id = ?', [id])).length === 1;

  it('shows at each what was acknowledged at another', async () => {
    const [one, other] = [await openOn([0]), await openOn([1])];
    expect([one.isMultiPrimary(), other.isMultiPrimary()]).toEqual([true, true]);
    for (let i = 0; i < 50; i += 1) expect(await has(other, await insert(one))).toBe(true);
  });

  it('is left by its services where a server leaves it, and joined again with all that they wrote', async () => {
    const database = await openOn([0, 1, 2]);
    expect(await readPort(database)).toBe(memberAt(0).port);
    const root = await memberAt(0).connectAsRoot();
    await root.query('STOP GROUP_REPLICATION');
    const id = await insert(database);
    expect(await readPort(database)).toBe(memberAt(1).port);
    await memberAt(0).join();
    expect(await has(await openOn([0]), id)).toBe(true);
  }, 60_000);

  it('loses no write to a server that was killed and came back outside it, so that it can join again', async () => {
    await memberAt(0).kill();
    await memberAt(0).startOutside();
    const replica = await openOn([0, 1, 2]);
    const id = await insert(replica);
    expect(await readPort(replica)).toBe(memberAt(1).port);
    const alone = open([0]);
    await expect(untilReady(alone, 3_000)).rejects.toThrow('out of reach');
    await memberAt(0).join();
    await waitUntilReady(alone);
    expect(await has(alone, id)).toBe(true);
  }, 60_000);
});
