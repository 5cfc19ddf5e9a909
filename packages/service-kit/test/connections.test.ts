import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Pool, PoolConnection } from 'mysql2';
import { plainly } from '../src/database/cluster-statements.ts';
import { openConnections } from '../src/database/connections.ts';
import { createHosts, type HostAddress, type Hosts } from '../src/database/hosts.ts';
import { openStatements } from '../src/database/open-statements.ts';
import { silentLog } from './support/test-service.ts';

type Taken = (error: Error | null, connection?: PoolConnection) => void;
type Answered = (error: Error | null, result?: unknown) => void;

const faultOf = (code: string) => Object.assign(new Error('hush'), { code });
const lockWait = 'SET SESSION innodb_lock_wait_timeout = 5';

/** What a pool of mysql2 does, with a server that needs no network: it answers statements by `answers`, one after the other. */
function createPool(answers: unknown[] = []) {
  /** What was done by which connection, in order. */
  const done: string[] = [];
  const sent: unknown[][] = [];
  const idle: PoolConnection[] = [];
  let dialled = 0;
  const connect = (): PoolConnection => {
    dialled += 1;
    const number = dialled;
    const answer = (sql: string, tell: Answered) => {
      if (sql.startsWith('SET')) return tell(null);
      const next = answers.shift();
      return next instanceof Error ? tell(next) : tell(null, next);
    };
    const connection = Object.assign(new EventEmitter(), {
      config: { host: 'first', port: 3306 },
      query(question: string | { sql: string }, ...rest: unknown[]) {
        const sql = typeof question === 'string' ? question : question.sql;
        done.push(`${number}: ${sql}`);
        sent.push([sql, ...rest.slice(0, -1)]);
        answer(sql, rest.at(-1) as Answered);
      },
      release() {
        done.push(`${number}: released`);
        idle.push(connection);
      },
      destroy: () => void done.push(`${number}: ended`),
    }) as unknown as PoolConnection;
    return connection;
  };
  const dial = (callback: Taken) => {
    const connection = connect();
    events.emit('connection', connection);
    callback(null, connection);
  };
  const members = {
    _createConnectionConfig: () => ({}),
    _allConnections: { length: 3 },
    _freeConnections: { length: 1 },
    getConnection(callback: Taken) {
      const known = idle.pop();
      if (known === undefined) dial(callback);
      else callback(null, known);
    },
    promise: () => ({ end: async () => void done.push('closed') }),
  };
  const events = Object.assign(new EventEmitter(), members);
  return { pool: events as unknown as Pool, members: events, done, sent, idle, connect, dial };
}
const open = ({ pool }: { pool: Pool }, hosts?: Hosts, causalSetting?: string) =>
  openConnections(pool, { hosts, causalSetting });

describe('the connections of a pool', () => {
  it.each([
    [undefined, lockWait],
    ['wsrep_sync_wait = 7', `${lockWait}, wsrep_sync_wait = 7`],
  ])('are told once how long to wait for a row, and to read what holds: %j', async (causalSetting, told) => {
    const created = createPool();
    const connections = open(created, undefined, causalSetting);
    const connection = await connections.take();
    connection.release();
    expect(await connections.take()).toBe(connection);
    expect(created.done).toEqual([`1: ${told}`, '1: released']);
  });

  it('may break more than once without an end of the process', async () => {
    const connection = await open(createPool()).take();
    for (const message of ['first', 'second']) {
      expect(() => connection.emit('error', new Error(message))).not.toThrow();
    }
  });

  it('are ended where they are older than the care for them', async () => {
    const created = createPool();
    const old = created.connect();
    created.idle.push(old);
    expect(await open(created).take()).not.toBe(old);
    expect(created.done).toEqual(['1: ended', `2: ${lockWait}`]);
  });

  it('are ended at their next use where one of their age failed, and new ones stay', async () => {
    const created = createPool();
    const connections = open(created);
    const [faulty, late, idle] = [await connections.take(), await connections.take(), await connections.take()];
    idle.release();
    expect(connections.renew(faulty)).toBe(true);
    const fresh = await connections.take();
    // It failed at the same time as the first, of which its caller did not know.
    expect(connections.renew(late)).toBe(false);
    fresh.release();
    expect(await connections.take()).toBe(fresh);
    expect(created.done.filter((step) => step.endsWith('ended'))).toEqual(['1: ended', '3: ended', '2: ended']);
    expect(connections.renew(fresh)).toBe(true);
  });

  it('are not used where they were asked for before a failover, however late they come', async () => {
    const created = createPool();
    const connections = open(created);
    const faulty = await connections.take();
    const waiting: Taken[] = [];
    created.members.getConnection = (callback) => void waiting.push(callback);
    const asked = connections.take();
    connections.renew(faulty);
    created.members.getConnection = created.dial;
    for (const callback of waiting) created.dial(callback);
    expect(connections.renew(await asked)).toBe(true);
    expect(created.done).toEqual([
      ...[`1: ${lockWait}`, '1: ended'],
      ...[`2: ${lockWait}`, '2: ended'],
      ...[`3: ${lockWait}`, '3: ended'],
    ]);
  });

  it('pass the host of a faulty one over, once, where there are several hosts', async () => {
    const passedOver: HostAddress[] = [];
    const first = { host: 'first', port: 3306 };
    const hosts = createHosts([first]);
    const leave = (address: HostAddress) => passedOver.push(address) > 0;
    const created = createPool([[{ readOnly: 0 }]]);
    const connections = open(created, { ...hosts, leave });
    const faulty = await connections.take();
    expect(created.done).toEqual([`1: ${lockWait}`, '1: SELECT @@GLOBAL.read_only AS readOnly']);
    expect([connections.renew(faulty), connections.renew(faulty)]).toEqual([true, false]);
    expect(passedOver).toEqual([first]);
  });
});

describe('the wait for a connection', () => {
  const failing = (fault: Error) => {
    const created = createPool();
    created.members.getConnection = (callback) => callback(fault);
    return open(created);
  };

  it.each([
    ['Queue limit reached.', 'POOL_QUEUE_FULL'],
    ['Pool is closed.', 'POOL_CLOSED'],
  ])('fails with a code where the driver has none: %s', async (message, code) => {
    await expect(failing(new Error(message)).take()).rejects.toMatchObject({ message, code });
  });

  it('fails as the driver says otherwise', async () => {
    const refused = faultOf('ECONNREFUSED');
    await expect(failing(refused).take()).rejects.toBe(refused);
    expect(refused.code).toBe('ECONNREFUSED');
    const unknown = new Error('of another kind');
    await expect(failing(unknown).take()).rejects.toBe(unknown);
    expect(unknown).not.toHaveProperty('code');
  });

  describe('that takes long', () => {
    beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
    afterEach(() => void jest.useRealTimers());

    const waitFor = async (milliseconds: number) => {
      const created = createPool();
      let give: Taken = () => {};
      created.members.getConnection = (callback) => {
        give = callback;
      };
      const taken = open(created)
        .take()
        .catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(milliseconds);
      return { ...created, taken, give };
    };

    it('succeeds within five seconds, and leaves no timer', async () => {
      const { taken, give, dial, done } = await waitFor(4_999);
      dial(give);
      expect(await taken).toBeInstanceOf(EventEmitter);
      expect(jest.getTimerCount()).toBe(0);
      expect(done).toEqual([`1: ${lockWait}`]);
    });

    it('is given up after five seconds; what comes later goes back to the pool', async () => {
      const { taken, give, dial, done } = await waitFor(5_000);
      expect(await taken).toMatchObject({ code: 'POOL_TIMEOUT' });
      dial(give);
      expect(done).toEqual([`1: ${lockWait}`, '1: released']);
    });

    it('is given up after five seconds; what fails later is nothing', async () => {
      const { taken, give, done } = await waitFor(5_000);
      expect(await taken).toMatchObject({ code: 'POOL_TIMEOUT' });
      expect(() => give(faultOf('ECONNREFUSED'))).not.toThrow();
      expect(done).toEqual([]);
    });
  });
});

describe('statements over a pool', () => {
  let told: unknown[];
  beforeEach(() => {
    told = [];
  });
  const create = (pools: { pool: Pool }[], isMultiPrimary = false) => {
    const rest = pools.map(({ pool }) => pool);
    const openPool = () => {
      const pool = rest.shift();
      if (pool === undefined) throw new Error('one pool too many');
      return pool;
    };
    const server = { type: 'mysql', isMultiPrimary, isOfGroup: false, causalSetting: 'wsrep_sync_wait = 7' } as const;
    const onStatementError = (error: unknown) => void told.push(error);
    return openStatements({ server, hosts: undefined, openPool }, { log: silentLog, onStatementError });
  };
  const withoutSettings = (steps: string[]) => steps.filter((step) => !step.includes('SET SESSION'));

  it('give rows, or how many were matched, and the connection back', async () => {
    const created = createPool([[{ one: 1 }], { affectedRows: 2 }]);
    const { query, execute, pool, close } = create([created]);
    expect(await query('SELECT ?', ['a'])).toEqual([{ one: 1 }]);
    expect(await execute('UPDATE t SET a = ?', ['b'])).toBe(2);
    expect(created.sent.slice(1)).toEqual([
      ['SELECT ?', ['a']],
      ['UPDATE t SET a = ?', ['b']],
    ]);
    expect(created.done.slice(1)).toEqual(['1: SELECT ?', '1: released', '1: UPDATE t SET a = ?', '1: released']);
    expect(created.done[0]).toBe(`1: ${lockWait}, wsrep_sync_wait = 7`);
    expect(pool()).toEqual({ inUse: 2, idle: 1, waiting: 0 });
    await close();
    expect([created.done.at(-1), told]).toEqual(['closed', []]);
  });

  it('fail without what the driver knows of them, which the observer is told', async () => {
    const fault = Object.assign(faultOf('ER_PARSE_ERROR'), { sql: 'SELECT hush' });
    const created = createPool([fault]);
    const error = await create([created])
      .query('SELECT 1', [])
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'StatementError', code: 'ER_PARSE_ERROR' });
    expect(error).not.toHaveProperty('sql');
    expect(told).toEqual([fault]);
    expect(created.done.at(-1)).toBe('1: released');
  });

  it('fail without an observer too', async () => {
    const server = { type: 'mysql', isMultiPrimary: false, isOfGroup: false, causalSetting: undefined } as const;
    const { pool } = createPool([faultOf('ER_PARSE_ERROR')]);
    const { query } = openStatements({ server, hosts: undefined, openPool: () => pool }, { log: silentLog });
    await expect(query('SELECT 1', [])).rejects.toMatchObject({ name: 'StatementError' });
  });

  it('fail by the fault of the pool where there is no connection', async () => {
    const created = createPool();
    const refused = faultOf('ECONNREFUSED');
    created.members.getConnection = (callback) => callback(refused);
    await expect(create([created]).query('SELECT 1', [])).rejects.toBe(refused);
  });

  it('are sent over a new connection where a read was lost with its own', async () => {
    const created = createPool([faultOf('ECONNRESET'), [{ one: 1 }]]);
    expect(await create([created]).query('SELECT 1', [])).toEqual([{ one: 1 }]);
    expect(withoutSettings(created.done)).toEqual([
      ...['1: SELECT 1', '1: ended', '2: SELECT 1', '2: released', '1: released'],
    ]);
  });

  it('go over two pools beside several primaries, of which one waits for what others acknowledged', async () => {
    const [causal, plain] = [createPool([[{ one: 1 }]]), createPool([[{ two: 2 }], { affectedRows: 3 }])];
    const { query, execute, pool, close } = create([causal, plain], true);
    expect(await query('SELECT 1', [])).toEqual([{ one: 1 }]);
    expect(await query('SELECT 2', [], plainly)).toEqual([{ two: 2 }]);
    expect(await execute('DELETE', [])).toBe(3);
    expect(causal.done).toEqual([`1: ${lockWait}, wsrep_sync_wait = 7`, '1: SELECT 1', '1: released']);
    expect(plain.done).toEqual([...[`1: ${lockWait}`, '1: SELECT 2', '1: released'], ...['1: DELETE', '1: released']]);
    expect(pool()).toEqual({ inUse: 4, idle: 2, waiting: 0 });
    await close();
    expect([causal.done.at(-1), plain.done.at(-1)]).toEqual(['closed', 'closed']);
  });

  it('go to new connections of both pools once a server refused a write of one', async () => {
    const refused = faultOf('ER_OPTION_PREVENTS_STATEMENT');
    const [causal, plain] = [createPool([[], []]), createPool([refused, { affectedRows: 1 }])];
    const { query, execute } = create([causal, plain], true);
    await query('SELECT 1', []);
    expect(await execute('UPDATE', [])).toBe(1);
    await query('SELECT 2', []);
    expect(withoutSettings(causal.done)).toEqual([
      ...['1: SELECT 1', '1: released', '1: ended', '2: SELECT 2', '2: released'],
    ]);
  });

  it('that were given up for another are sent once by the pool that waits', async () => {
    const [causal, plain] = [createPool([{ affectedRows: 1 }]), createPool([faultOf('ER_LOCK_DEADLOCK')])];
    expect(await create([causal, plain], true).execute('UPDATE', [])).toBe(1);
    expect([withoutSettings(plain.done), withoutSettings(causal.done)]).toEqual([
      ['1: UPDATE', '1: released'],
      ['1: UPDATE', '1: released'],
    ]);
  });
});
