import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, type MariaDbServer, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../src/database/database.ts';
import { isDatabaseOutOfReach } from '../src/database/database-errors.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { createHosts } from '../src/database/hosts.ts';
import { createId, idToBytes } from '../src/time-ordered-id.ts';
import { startDatabaseServer } from './support/database-server.ts';
import { silentLog, testSchema, waitUntilReady } from './support/test-service.ts';

describe('the hosts of a database', () => {
  const [one, other] = [
    { host: 'one', port: 1 },
    { host: 'other', port: 2 },
  ];

  it('are tried in their order, those that failed a moment ago last', () => {
    let now = 0;
    const hosts = createHosts([one, other], () => now);
    expect(hosts.list()).toEqual([one, other]);
    hosts.passOver(one);
    expect(hosts.list()).toEqual([other, one]);
    now = 5_000;
    hosts.passOver(other);
    expect(hosts.list()).toEqual([one, other]);
    hosts.passOver(one);
    now = 20_000;
    expect(hosts.list()).toEqual([one, other]);
  });
});

const describeOnServers = testDialects.includes('mysql') ? describe : describe.skip;

describeOnServers('a database of two hosts', () => {
  let first: MariaDbServer;
  let second: MariaDbServer;
  let database: Database | undefined;

  beforeAll(async () => {
    first = await startDatabaseServer();
    second = await startDatabaseServer();
  }, 120_000);
  afterEach(() => database?.close());
  afterAll(() => Promise.all([first?.drop(), second?.drop()]));

  const openOnBoth = async (ports = [first.port, second.port]) => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const url = parseDatabaseUrl(`mysql://app:app@${hosts}/gatehouse`);
    const opened = openDatabase({ url, ...testSchema, migrateOnStart: false, log: silentLog });
    database = opened;
    await waitUntilReady(opened);
    return opened;
  };
  const readPorts = async (opened: Database, times = 20) => {
    const asking = Array.from({ length: times }, () => opened.query<{ port: unknown }>('SELECT @@port AS port'));
    return new Set((await Promise.all(asking)).map(([row]) => Number(row?.port)));
  };
  const insert = (opened: Database) =>
    opened.execute('INSERT INTO failed_attempts (id, subject_hash, address_hash, expires_at) VALUES (?, ?, ?, 1)', [
      idToBytes(createId()),
      Buffer.alloc(32),
      Buffer.alloc(32),
    ]);
  const setReadOnly = async (server: MariaDbServer, readOnly: 0 | 1) => {
    await (await server.connectAsRoot()).query(`SET GLOBAL read_only = ${readOnly}`);
  };

  it('is on the first', async () => {
    expect(await readPorts(await openOnBoth())).toEqual(new Set([first.port]));
  });

  it('is on the second where nobody listens at the first', async () => {
    const opened = await openOnBoth([await findFreePort(), second.port]);
    expect(await readPorts(opened)).toEqual(new Set([second.port]));
    expect(await insert(opened)).toBe(1);
  });

  it('is on the second where the first takes no writes', async () => {
    await setReadOnly(first, 1);
    try {
      expect(await readPorts(await openOnBoth())).toEqual(new Set([second.port]));
    } finally {
      await setReadOnly(first, 0);
    }
  });

  it('moves to the second when the first is demoted, with its reads', async () => {
    const opened = await openOnBoth();
    await readPorts(opened);
    await setReadOnly(first, 1);
    try {
      expect(await Promise.all(Array.from({ length: 20 }, () => insert(opened)))).toEqual(Array(20).fill(1));
      expect(await readPorts(opened)).toEqual(new Set([second.port]));
    } finally {
      await setReadOnly(first, 0);
    }
  });

  it('moves to the second when the first dies under load, and tells of nothing but that it was out of reach', async () => {
    const opened = await openOnBoth();
    const failures: unknown[] = [];
    let running = true;
    const keepWriting = async () => {
      while (running) await insert(opened).catch((error: unknown) => failures.push(error));
    };
    const writing = Promise.all(Array.from({ length: 8 }, keepWriting));
    await sleep(300);
    await first.stop('SIGKILL');
    await sleep(1_000);
    const failed = failures.length;
    await sleep(500);
    running = false;
    await writing;
    await first.start();
    expect(failures.filter((error) => !isDatabaseOutOfReach(error))).toEqual([]);
    // At most one write of each connection was on its way.
    expect(failures.length).toBeLessThanOrEqual(10);
    expect(failures.length).toBe(failed);
    expect(await readPorts(opened)).toEqual(new Set([second.port]));
  }, 60_000);

  it('moves on from a first host that accepts connections and says nothing', async () => {
    first.signal('SIGSTOP');
    try {
      expect(await readPorts(await openOnBoth())).toEqual(new Set([second.port]));
    } finally {
      first.signal('SIGCONT');
    }
  }, 60_000);
});
