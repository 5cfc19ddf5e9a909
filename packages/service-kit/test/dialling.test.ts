import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Pool } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import { dialInOrder, isFaultOfHost } from '../src/database/dial-in-order.ts';
import { createHosts, type HostAddress } from '../src/database/hosts.ts';
import { findPoolState } from '../src/database/pool-state.ts';
import { checkServer, memberQuestion, writableQuestion } from '../src/database/server-question.ts';

const faultOf = (code: string) => Object.assign(new Error(code), { code });
const [first, second, third] = ['first', 'second', 'third'].map((host) => ({ host, port: 3306 })) as [
  HostAddress,
  HostAddress,
  HostAddress,
];

describe('the hosts of a database', () => {
  it('are tried in their order; one that was passed over comes last for ten seconds', () => {
    let now = 5;
    const hosts = createHosts([first, second, third], () => now);
    expect(hosts.list()).toEqual([first, second, third]);
    hosts.passOver(first);
    now = 6;
    hosts.passOver(second);
    expect(hosts.list()).toEqual([third, first, second]);
    now = 10_004;
    expect(hosts.list()).toEqual([third, first, second]);
    now = 10_005;
    expect(hosts.list()).toEqual([first, third, second]);
    now = 10_006;
    expect(hosts.list()).toEqual([first, second, third]);
  });

  it('are told apart by their ports', () => {
    const other = { ...first, port: 3307 };
    const hosts = createHosts([first, other], () => 0);
    hosts.passOver(first);
    expect(hosts.list()).toEqual([other, first]);
  });
});

/** A server: the fault of a connection to it, and what it says of itself. */
type Server = { fault?: Error; readOnly?: unknown; unanswered?: Error };

/** What a pool of mysql2 does, with servers that need no network. */
function createPool(servers: Record<string, Server>) {
  const pool = new EventEmitter();
  const dialled: string[] = [];
  const destroyed: string[] = [];
  const left: string[] = [];
  const questions: object[] = [];
  const idle: object[] = [];
  const connect = (host: string, { readOnly = 0, unanswered }: Server) => ({
    host,
    query(question: object, tell: (error: Error | null, rows: object[]) => void) {
      questions.push(question);
      tell(unanswered ?? null, [{ readOnly }]);
    },
    destroy: () => destroyed.push(host),
  });
  Object.assign(pool, {
    _createConnectionConfig: () => ({ host: 'unknown', user: 'app' }),
    getConnection(callback: (error: Error | null, connection?: object) => void) {
      const known = idle.pop();
      if (known !== undefined) return callback(null, known);
      const { host } = (pool as unknown as { _createConnectionConfig(): { host: string } })._createConnectionConfig();
      dialled.push(host);
      const server = servers[host] ?? {};
      if (server.fault !== undefined) return callback(server.fault);
      const connection = connect(host, server);
      pool.emit('connection', connection);
      callback(null, connection);
    },
  });
  const dial = (hosts: readonly HostAddress[]) => {
    const getConnection = dialInOrder(
      pool as unknown as Pool,
      createHosts(hosts, () => 0),
      { question: writableQuestion, onLeave: () => left.push('left') },
    );
    return () =>
      new Promise<string>((resolve, reject) => {
        getConnection((error, connection) =>
          error === null ? resolve((connection as unknown as { host: string }).host) : reject(error),
        );
      });
  };
  return { dial, dialled, destroyed, questions, idle, left };
}

describe('a pool that dials several hosts', () => {
  it('takes the first that answers and takes writes, and passes the others over', async () => {
    const servers = { first: { fault: faultOf('ECONNREFUSED') }, second: { readOnly: 1 }, third: { readOnly: 'OFF' } };
    const { dial, dialled, destroyed } = createPool(servers);
    const getHost = dial([first, second, third]);
    expect(await getHost()).toBe('third');
    expect([dialled, destroyed]).toEqual([['first', 'second', 'third'], ['second']]);
    expect(await getHost()).toBe('third');
    expect(dialled).toEqual(['first', 'second', 'third', 'third']);
  });

  it('says once that a host it used takes no writes any more, and nothing of one that it never used', async () => {
    const servers: Record<string, Server> = { first: { readOnly: 1 }, second: {} };
    const { dial, left } = createPool(servers);
    const getHost = dial([first, second, third]);
    expect([await getHost(), left]).toEqual(['second', []]);
    servers.second = { unanswered: faultOf('PROTOCOL_SEQUENCE_TIMEOUT') };
    expect([await getHost(), left]).toEqual(['third', []]);
    servers.third = { readOnly: 1 };
    servers.first = {};
    expect(await getHost()).toBe('first');
    expect(await getHost()).toBe('first');
    expect(left).toEqual(['left']);
  });

  it('gives a server two seconds to say whether it takes writes', async () => {
    const { dial, questions } = createPool({});
    await dial([first])();
    expect(questions).toEqual([{ sql: 'SELECT @@GLOBAL.read_only AS readOnly', timeout: 2_000 }]);
  });

  it('asks a connection once whether its server takes writes', async () => {
    const { dial, idle } = createPool({});
    const getHost = dial([first]);
    idle.push({ host: 'one of before' });
    expect(await getHost()).toBe('one of before');
  });

  it.each<[string, Server, string]>([
    ['refuses connections', { fault: faultOf('ECONNREFUSED') }, 'ECONNREFUSED'],
    ['offers no TLS', { fault: faultOf('HANDSHAKE_NO_SSL_SUPPORT') }, 'HANDSHAKE_NO_SSL_SUPPORT'],
    ['takes no writes', { readOnly: 'ON' }, 'ER_READ_ONLY_MODE'],
    ['does not answer in time', { unanswered: faultOf('PROTOCOL_SEQUENCE_TIMEOUT') }, 'PROTOCOL_SEQUENCE_TIMEOUT'],
  ])('has the fault of the last where each %s', async (_what, server, code) => {
    const { dial, dialled } = createPool({ first: server, second: server });
    await expect(dial([first, second])()).rejects.toMatchObject({ code });
    expect(dialled).toEqual(['first', 'second']);
  });

  it('tries the next where a connection broke, of which the driver has no code', async () => {
    const broken = Object.assign(new Error('closed'), { fatal: true });
    const { dial, dialled } = createPool({ first: { fault: broken } });
    expect(await dial([first, second])()).toBe('second');
    expect(dialled).toEqual(['first', 'second']);
  });

  it('tries no other where too many wait for the pool, or the statement is at fault', async () => {
    for (const code of ['POOL_QUEUE_FULL', 'ER_PARSE_ERROR']) {
      const { dial, dialled } = createPool({ first: { fault: faultOf(code) } });
      await expect(dial([first, second])()).rejects.toMatchObject({ code });
      expect(dialled).toEqual(['first']);
      expect(isFaultOfHost(faultOf(code))).toBe(false);
    }
  });

  it('has the fault of the pool where there is no host', async () => {
    const { dial } = createPool({ unknown: { fault: faultOf('ECONNREFUSED') } });
    await expect(dial([])()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a server that is asked whether it takes writes', () => {
  const ask = (rows: object[]) => checkServer({ query: async () => [rows] } as unknown as Connection, writableQuestion);

  it.each([0, '0', 'OFF'])('does where read_only is %j', async (readOnly) => {
    await expect(ask([{ readOnly }])).resolves.toBeUndefined();
  });

  it.each([[[{ readOnly: 1 }]], [[{ readOnly: 'ON' }]], [[]]])('does not where it says %j', async (rows) => {
    await expect(ask(rows)).rejects.toMatchObject({ code: 'ER_READ_ONLY_MODE' });
  });
});

describe('a server that is asked whether it is in its group', () => {
  const ask = (row: object) => checkServer({ query: async () => [[row]] } as unknown as Connection, memberQuestion);

  it('is where it is ONLINE and takes writes', async () => {
    await expect(ask({ readOnly: 0, memberState: 'ONLINE' })).resolves.toBeUndefined();
    await expect(ask({ readOnly: 1, memberState: 'ONLINE' })).rejects.toMatchObject({ code: 'ER_READ_ONLY_MODE' });
  });

  it.each(['OFFLINE', 'RECOVERING', 'ERROR', 'UNREACHABLE', null])('is not where it is %s', async (memberState) => {
    const fault = await ask({ readOnly: 0, memberState }).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'GROUP_MEMBER_NOT_ONLINE' });
    expect(isFaultOfHost(fault)).toBe(true);
  });
});

describe('the state of pools', () => {
  const pool = (all: number, free: number, waiting: number) =>
    ({
      _allConnections: { length: all },
      _freeConnections: { length: free },
      _connectionQueue: { length: waiting },
    }) as unknown as Pool;

  it('is the sum of all of them', () => {
    expect(findPoolState([pool(5, 2, 1), undefined, pool(3, 3, 4)])).toEqual({ inUse: 3, idle: 5, waiting: 5 });
  });

  it('is nothing where there is no pool, or the driver counts in another way', () => {
    expect(findPoolState([undefined, {} as Pool])).toBeUndefined();
    const counted = { _allConnections: { length: 2 } } as unknown as Pool;
    expect(findPoolState([counted])).toEqual({ inUse: 2, idle: 0, waiting: 0 });
  });
});
