import { findFreePort } from '@gatehouse/test-kit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createBuildAuditEvent } from '../src/audit/audit-event.ts';
import { createAuditEventStore } from '../src/audit/audit-event-store.ts';
import { causally, plainly } from '../src/database/cluster-statements.ts';
import { type Database, openDatabase } from '../src/database/database.ts';
import { DatabaseUnavailableError } from '../src/database/database-errors.ts';
import { type DatabaseUrl, parseDatabaseUrl } from '../src/database/database-url.ts';
import { putRow } from '../src/database/insert-row.ts';
import { openWithSchema } from '../src/database/open-with-schema.ts';
import type { OpeningOptions } from '../src/database/opened-database.ts';
import { purgeExpiredBatch } from '../src/database/purge-expired.ts';
import { type Answer, type ScriptedServer, startScriptedServer } from './support/scripted-server.ts';
import { silentLog, testSchema, waitUntilReady } from './support/test-service.ts';

const readOnlyQuestion = 'SELECT @@GLOBAL.read_only AS readOnly';
const isOfMigrations = (sql: string) => sql === 'SELECT name FROM schema_migrations';

/** What is there at the end of a test, the last first. */
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function start(...rules: Parameters<typeof startScriptedServer>) {
  const server = await startScriptedServer(...rules);
  endings.push(server.close);
  return server;
}

const parseUrl = (ports: number[]) =>
  parseDatabaseUrl(`mysql://app:hush@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/gatehouse`);

async function openAt(url: DatabaseUrl, options: Partial<OpeningOptions> = {}) {
  const opened = await openWithSchema({ url, ...testSchema, migrateOnStart: true, log: silentLog, ...options });
  endings.push(opened.statements.close);
  return opened;
}
const open = (ports: number[], options?: Partial<OpeningOptions>) => openAt(parseUrl(ports), options);

const sayReadOnly = (sql: string): Answer | undefined => (sql === readOnlyQuestion ? [{ readOnly: 1 }] : undefined);

describe('a database on a server', () => {
  it('asks what the server is and which migrations were done, and nothing else where none is due', async () => {
    const server = await start(sayReadOnly);
    const { statements, isMultiPrimary } = await open([server.port]);
    expect(isMultiPrimary).toBe(false);
    const beginnings = server.sent.map(({ sql }) => sql.split(' ', 2).join(' '));
    expect(beginnings).toEqual(['SELECT VERSION()', 'SHOW GLOBAL', 'SELECT name']);
    expect(await statements.query('SELECT ?', ["it's"])).toEqual([]);
    expect(server.sent.at(-1)?.sql).toBe("SELECT 'it\\'s'");
  });

  it('is the first that answers and takes writes; those before it are left alone from then on', async () => {
    const [replica, primary] = [await start(sayReadOnly), await start()];
    const { statements } = await open([await findFreePort(), replica.port, primary.port]);
    await statements.query('SELECT 1', []);
    expect(primary.find(/^SELECT 1/)).toEqual(['SELECT 1']);
    expect(replica.find(/./)).toEqual([readOnlyQuestion]);
  });

  it('moves on from a host that refuses a statement, though it says that it takes writes', async () => {
    const left = { code: 1047, message: 'WSREP has not yet prepared node for application use' };
    const [first, other] = [
      await start((sql) => (sql === 'DELETE FROM first' ? left : undefined)),
      await start((sql) => (sql.startsWith('DELETE') ? { affectedRows: 1 } : undefined)),
    ];
    const { statements } = await open([first.port, other.port]);
    expect(await statements.execute('DELETE FROM first', [])).toBe(1);
    expect(await statements.execute('DELETE FROM second', [])).toBe(1);
    expect([first.find(/^DELETE/), other.find(/^DELETE/)]).toEqual([
      ['DELETE FROM first'],
      ['DELETE FROM first', 'DELETE FROM second'],
    ]);
  });

  it('is not sought at other hosts where the first has a fault that those would have too', async () => {
    const fault = { code: 1142, message: 'SELECT command denied' };
    const [first, other] = [await start((sql) => (isOfMigrations(sql) ? fault : undefined)), await start()];
    await expect(open([first.port, other.port])).rejects.toMatchObject({ code: 'ER_TABLEACCESS_DENIED_ERROR' });
    expect(other.sent).toEqual([]);
  });

  it('is out of reach by the fault of the last host where none answers', async () => {
    const [one, other] = [await findFreePort(), await findFreePort()];
    await expect(open([one, other])).rejects.toMatchObject({ code: 'ECONNREFUSED', port: other });
  });

  it('is told nothing over a plain connection where TLS is demanded', async () => {
    const server = await start();
    const url = parseDatabaseUrl(`mysql://app:hush@localhost:${server.port}/gatehouse?tls=verify`);
    await expect(openAt(url)).rejects.toMatchObject({ code: 'HANDSHAKE_NO_SSL_SUPPORT' });
    expect(server.sent).toEqual([]);
  });

  it('is migrated under the lock, at the host that answers', async () => {
    const server = await start((sql) => (isOfMigrations(sql) ? [] : undefined));
    await open([await findFreePort(), server.port]);
    const steps = server.find(/_LOCK|^CREATE TABLE (failed_attempts|audit_events)|^INSERT/);
    expect(steps.map((sql) => /[A-Z]+_LOCK|CREATE TABLE \w+|INSERT/.exec(sql)?.[0])).toEqual([
      ...['GET_LOCK', 'CREATE TABLE failed_attempts', 'CREATE TABLE audit_events'],
      ...['INSERT', 'RELEASE_LOCK'],
    ]);
  });

  it('compares identifiers and names byte for byte, whatever the server is set to', async () => {
    const server = await start((sql) => (isOfMigrations(sql) ? [] : undefined));
    await open([server.port]);
    const [audit, used] = server.find(/^CREATE TABLE (audit_events|used_identifiers)/).sort();
    expect(used).toContain('identifier_hash binary(32) PRIMARY KEY');
    expect(audit).toContain('id binary(16) PRIMARY KEY');
    expect(audit).toContain('client_id varchar(255) CHARACTER SET ascii COLLATE ascii_bin');
    expect(audit).toContain('actor_key varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin');
  });

  it.each([
    [10, {}],
    [3, { poolSize: 3 }],
  ])('has at most %i connections with the options %j; further statements wait', async (inUse, options) => {
    let answerAll = () => {};
    const released = new Promise<Answer>((resolve) => {
      answerAll = () => resolve({ affectedRows: 1 });
    });
    const server = await start((sql) => (sql.startsWith('DELETE') ? released : undefined));
    const { statements } = await open([server.port], options);
    const sent = Array.from({ length: 12 }, () => statements.execute('DELETE FROM failed_attempts', []));
    await new Promise(setImmediate);
    expect(statements.pool()).toEqual({ inUse, idle: 0, waiting: 12 - inUse });
    answerAll();
    expect(await Promise.all(sent)).toEqual(Array(12).fill(1));
    expect(statements.pool()).toEqual({ inUse: 0, idle: inUse, waiting: 0 });
  });

  it('of several that take writes sends what must not be late over connections that wait', async () => {
    const galera = [
      { Variable_name: 'wsrep_on', Value: 'ON' },
      { Variable_name: 'wsrep_sync_wait', Value: '0' },
    ];
    const server = await start((sql) => (sql.startsWith('SHOW GLOBAL VARIABLES') ? galera : undefined));
    const { statements, isMultiPrimary } = await open([await findFreePort(), server.port]);
    expect(isMultiPrimary).toBe(true);
    await statements.query("SELECT 'causal'", []);
    await statements.query("SELECT 'plain'", [], plainly);
    const tellsToWait = ({ sql }: { sql: string }) => sql.includes('wsrep_sync_wait = 7');
    const isWaiting = (text: string) => {
      const connection = server.sent.find(({ sql }) => sql.includes(text))?.connection;
      return server.sent.some((sent) => sent.connection === connection && tellsToWait(sent));
    };
    expect([isWaiting("'causal'"), isWaiting("'plain'")]).toEqual([true, false]);
  });
});

describe('a group of several primaries', () => {
  const variables = [{ Variable_name: 'group_replication_single_primary_mode', Value: 'OFF' }];
  /** A server with the member state that `find` gives at that moment. */
  const startMember = (find: () => string) =>
    start((sql) => {
      if (sql.startsWith('SHOW GLOBAL VARIABLES')) return variables;
      if (sql.includes('memberState')) return [{ readOnly: 0, memberState: find() }];
      return sql.startsWith('DELETE') ? { affectedRows: 1 } : undefined;
    });
  const isUse = /^DELETE|^SELECT name/;

  it('is used at a member: a server that came back outside it gets no statement', async () => {
    const [outside, member] = [await startMember(() => 'OFFLINE'), await startMember(() => 'ONLINE')];
    const { statements } = await open([outside.port, member.port]);
    expect(await statements.execute('DELETE FROM users', [])).toBe(1);
    expect(await statements.execute('DELETE FROM users', [], causally)).toBe(1);
    expect([outside.find(isUse), member.find(isUse).length]).toEqual([[], 3]);
  });

  it('is out of reach where its one address leads outside it, at the start and later', async () => {
    let state = 'OFFLINE';
    const server = await startMember(() => state);
    const fault = { code: 'GROUP_MEMBER_NOT_ONLINE' };
    await expect(open([server.port])).rejects.toMatchObject(fault);
    state = 'ONLINE';
    const { statements } = await open([server.port]);
    state = 'OFFLINE';
    await expect(statements.execute('DELETE FROM users', [])).rejects.toMatchObject(fault);
    expect(server.find(/^DELETE/)).toEqual([]);
    state = 'ONLINE';
    expect(await statements.execute('DELETE FROM users', [])).toBe(1);
  });

  it('is asked once for each connection, and not by a statement', async () => {
    const member = await startMember(() => 'ONLINE');
    const { statements } = await open([member.port]);
    for (let i = 0; i < 5; i += 1) await statements.execute('DELETE FROM users', []);
    // The one that asks what the server is, and the one of the pool.
    expect(member.find(/memberState/)).toHaveLength(2);
  });

  it('says which right is missing where its user may not read the members', async () => {
    const denied = { code: 1142, message: "SELECT command denied to user 'app' for table 'replication_group_members'" };
    const server = await start((sql) => {
      if (sql.startsWith('SHOW GLOBAL VARIABLES')) return variables;
      return sql.includes('memberState') ? denied : undefined;
    });
    await expect(open([server.port])).rejects.toThrow('replication_group_members');
  });
});

/** As a service opens it. */
async function openReady() {
  const server = await start();
  const url = parseUrl([server.port]);
  const database = openDatabase({ url, ...testSchema, migrateOnStart: false, log: silentLog });
  endings.push(database.close);
  await waitUntilReady(database);
  return { server, database };
}

describe('the check of a database on a server', () => {
  it('fails once the server is gone', async () => {
    const { server, database } = await openReady();
    await expect(database.check()).resolves.toBeUndefined();
    await server.close();
    await expect(database.check()).rejects.toThrow(new DatabaseUnavailableError('out of reach'));
  });
});

describe('a statement to a server, in its dialect', () => {
  const sendBy = async (send: (database: Database) => Promise<unknown>): Promise<ScriptedServer> => {
    const { server, database } = await openReady();
    await send(database);
    return server;
  };

  it.each<[string, (database: Database) => Promise<unknown>, string]>([
    [
      'puts a row in the place of the one with its key',
      (database) => putRow(database, 'known', { id: 1, name: 'a', expires_at: 2 }, ['id']),
      "INSERT INTO known (id, name, expires_at) VALUES (1, 'a', 2) ON DUPLICATE KEY UPDATE name = VALUES(name), expires_at = VALUES(expires_at)",
    ],
    [
      'purges a batch in the order of the key',
      (database) => purgeExpiredBatch(database, 'known', 5),
      'DELETE FROM known WHERE expires_at <= 5 ORDER BY expires_at LIMIT 250',
    ],
  ])('%s', async (_what, send, sql) => {
    const server = await sendBy(send);
    expect(server.sent.at(-1)?.sql).toBe(sql);
  });

  it('leaves audit events as they are that are stored already, and assigns no key, by which Vitess spreads them', async () => {
    const event = createBuildAuditEvent(() => 1)({ type: 'keys.rotated', actor: { kind: 'service' } });
    const server = await sendBy((database) => createAuditEventStore(database, 1).insert([event]));
    expect(server.sent.at(-1)?.sql).toMatch(
      /^INSERT INTO audit_events .* ON DUPLICATE KEY UPDATE occurred_at = occurred_at$/,
    );
  });
});
