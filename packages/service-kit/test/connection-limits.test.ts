import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Type } from 'typebox';
import { connectionLimits } from '../src/http/connection-limits.ts';
import { registerHealth } from '../src/http/health.ts';
import { problemErrorHandler } from '../src/http/problem-error-handler.ts';
import { createServer, type ServerOptions } from '../src/http/server.ts';
import { unfinishedBodyLimits } from '../src/http/unfinished-bodies.ts';

type Limits = Partial<Pick<ServerOptions, 'connections' | 'unfinishedBodies' | 'trustProxy'>>;

let app: FastifyInstance;
let sockets: Socket[];
let lines: Record<string, unknown>[];
let answerSlowly = () => {};
beforeEach(() => {
  [sockets, lines] = [[], []];
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const socket of sockets) socket.destroy();
  await app.close();
});

async function listen({ trustProxy = false, ...limits }: Limits = {}): Promise<void> {
  const log = pino({ base: undefined, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
  app = createServer({ log, trustProxy, publicUrl: 'http://localhost:9000', ...limits });
  app.setErrorHandler(problemErrorHandler);
  registerHealth(app, []);
  app.get('/slow', () => {
    const { promise, resolve } = createLatch();
    answerSlowly = resolve;
    return promise;
  });
  app.post('/', { schema: { body: Type.Object({}) } }, () => ({ here: true }));
  await app.listen({ host: '127.0.0.1', port: 0 });
}

function createLatch() {
  let resolve = () => {};
  const promise = new Promise<object>((settle) => {
    resolve = () => settle({});
  });
  return { promise, resolve };
}

/** Opens a connection from an address of this machine. */
async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const { port } = app.server.address() as { port: number };
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
  sockets.push(socket);
  const accepted = once(app.server, 'connection');
  await Promise.all([once(socket, 'connect'), accepted]);
  return socket;
}

/** The next answer on a connection; empty where the server closes it without one. */
async function readAnswer(socket: Socket): Promise<string> {
  const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  return Buffer.isBuffer(chunk) ? chunk.toString() : '';
}

function ask(socket: Socket, path = '/health/live'): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
  return readAnswer(socket);
}

const served = expect.stringMatching(/^HTTP\/1\.1 200 /);
const warnings = () => lines.filter(({ level }) => level === 40);

describe('connections of one network', () => {
  it('are bounded: one more is cut, those of others and those that it has are served, and its end makes room', async () => {
    await listen({ connections: { ofNetwork: 2 } });
    const [first, second] = [await open(), await open()];
    expect(await readAnswer(await open())).toBe('');
    expect(await Promise.all([first, second, await open('127.0.0.2')].map((socket) => ask(socket)))).toEqual([
      served,
      served,
      served,
    ]);
    const network = { connections: 2, network: '127.0.0.1', cut: 1 };
    const msg = 'too many connections of one network; its new ones are cut';
    expect(warnings()).toEqual([{ level: 40, ...network, msg }]);
    first.destroy();
    let answer = '';
    // The server hears of the end a moment later.
    for (let tries = 0; answer === '' && tries < 100; tries += 1) {
      await sleep(20);
      answer = await ask(await open());
    }
    expect(answer).toEqual(served);
  });

  it('are counted in a log line every ten seconds at most', async () => {
    await listen({ connections: { ofNetwork: 1 } });
    await open();
    const now = jest.spyOn(performance, 'now');
    const cutAt = async (time: number) => {
      now.mockReturnValue(time);
      expect(await readAnswer(await open())).toBe('');
    };
    for (const time of [0, 1, 9_999]) await cutAt(time);
    expect(warnings().map(({ cut }) => cut)).toEqual([1]);
    await cutAt(10_000);
    expect(warnings().map(({ cut }) => cut)).toEqual([1, 3]);
  });

  it.each([true, 1, '127.0.0.0/8', 'loopback'])(
    'are not bounded of a proxy that is trusted: %s',
    async (trustProxy) => {
      await listen({ trustProxy, connections: { ofNetwork: 2 } });
      for (let left = 5; left > 0; left -= 1) await open();
      expect(await Promise.all(sockets.map((socket) => ask(socket)))).toEqual(Array(5).fill(served));
      expect(warnings()).toEqual([]);
    },
  );

  it.each([false, 0, '10.0.0.0/8,127.0.0.2'])('are bounded of all others: TRUST_PROXY is %s', async (trustProxy) => {
    await listen({ trustProxy, connections: { ofNetwork: 1 } });
    await open();
    expect(await readAnswer(await open())).toBe('');
  });
});

describe('where all connections are in use', () => {
  const isCut = (socket: Socket) => socket.closed || socket.readableEnded;

  it('the one that is idle longest is cut for a new one, whatever it did before', async () => {
    await listen({ connections: { all: 3 } });
    const [first, second, third] = [await open(), await open(), await open()] as [Socket, Socket, Socket];
    await ask(first);
    const gone = once(second, 'close');
    second.resume();
    expect(await ask(await open())).toEqual(served);
    await gone;
    expect([first, third].map(isCut)).toEqual([false, false]);
    expect(warnings()).toEqual([
      { level: 40, connections: 3, cut: 1, msg: 'too many connections; those that are idle longest are cut' },
    ]);
  });

  it('no request is cut while a connection is idle, and the first request where none is', async () => {
    await listen({ connections: { all: 2 } });
    const [waiting, unfinished] = [await open(), await open()] as [Socket, Socket];
    const answer = ask(waiting, '/slow');
    await sleep(20);
    const gone = once(unfinished.resume(), 'close');
    const third = await open();
    await gone;
    third.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{');
    await sleep(20);
    expect(await ask(await open())).toEqual(served);
    expect(await answer).toBe('');
    expect(isCut(third)).toBe(false);
  });

  it('a connection with several requests is idle once the last of them is answered', async () => {
    await listen({ connections: { all: 2 } });
    const [piped, idle] = [await open(), await open()] as [Socket, Socket];
    piped.write('GET /health/live HTTP/1.1\r\nhost: a\r\n\r\nGET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(await readAnswer(piped)).toEqual(served);
    const gone = once(idle.resume(), 'close');
    await open();
    await gone;
    const answer = readAnswer(piped);
    answerSlowly();
    expect(await answer).toEqual(served);
  });

  it('many idle connections of many addresses keep no health check out', async () => {
    await listen({ connections: { all: 20, ofNetwork: 5 } });
    for (let number = 1; number <= 60; number += 1) await open(`127.0.0.${1 + (number % 12)}`);
    expect(await ask(await open('127.0.1.1'))).toEqual(served);
    const count = await new Promise((resolve) => app.server.getConnections((_error, found) => resolve(found)));
    expect(count).toBe(20);
  });

  it('a connection that closes is forgotten', async () => {
    await listen({ connections: { all: 2 } });
    const [first, second] = [await open(), await open()] as [Socket, Socket];
    first.destroy();
    await sleep(20);
    await open();
    expect(await ask(second)).toEqual(served);
    expect(warnings()).toEqual([]);
  });
});

describe('bodies that do not end', () => {
  const head = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
  interface Begin {
    address?: string;
    headers?: string;
  }
  /** Sends the head of a request and the first byte of its body. */
  const begin = async (bytes: number | 'chunks', { address, headers = '' }: Begin = {}) => {
    const socket = await open(address);
    const length = bytes === 'chunks' ? 'transfer-encoding: chunked' : `content-length: ${bytes}`;
    socket.write(`${head}${headers}${length}\r\n\r\n${bytes === 'chunks' ? '1\r\n{\r\n' : '{'}`);
    await sleep(10);
    return socket;
  };
  /** Sends a whole request. */
  const post = async (address?: string, headers = '', bytes = 2_000) => {
    const socket = await open(address);
    socket.write(`${head}${headers}content-length: ${bytes}\r\n\r\n${'{}'.padEnd(bytes)}`);
    return readAnswer(socket);
  };
  const forwardedFor = (address: string) => `x-forwarded-for: ${address}\r\n`;
  const refused = expect.stringMatching(
    /^HTTP\/1\.1 503 .*\r\nconnection: close\r\nretry-after: 5\r\n.*"detail":"too many requests are unfinished; try again"/is,
  );

  it('hold a bounded number of bytes of a network and of all; one more is refused before it is read', async () => {
    await listen({ unfinishedBodies: { all: 10_000, ofNetwork: 6_000 } });
    const first = await begin(6_000);
    expect([await post(), await post('127.0.0.2')]).toEqual([refused, served]);
    const second = await begin(4_000, { address: '127.0.0.2' });
    expect(await post('127.0.0.3')).toEqual(refused);
    expect(await ask(await open())).toEqual(served);

    second.destroy();
    await sleep(20);
    expect([await post(), await post('127.0.0.3')]).toEqual([refused, served]);
    const answer = readAnswer(first);
    first.write('}'.padStart(5_999));
    expect([await answer, await post()]).toEqual([served, served]);
  });

  it('are counted by the callers that a proxy names, all of an IPv6 /48 as one', async () => {
    await listen({ trustProxy: 'loopback', unfinishedBodies: { all: 10_000, ofNetwork: 2_000 } });
    await begin(2_000, { headers: forwardedFor('2001:db8:1:1::1') });
    expect(await post(undefined, forwardedFor('2001:db8:1:2::1'))).toEqual(refused);
    expect(await post(undefined, forwardedFor('2001:db8:2:1::1'))).toEqual(served);
  });

  it('do not keep out a body of at most 1 KiB, and such a one counts for nothing', async () => {
    await listen({ unfinishedBodies: { all: 2_000, ofNetwork: 2_000 } });
    for (let left = 3; left > 0; left -= 1) await begin(1_024);
    expect(await post()).toEqual(served);
    await begin(1_025);
    expect([await post(undefined, '', 1_024), await post(undefined, '', 1_025)]).toEqual([served, refused]);
  });

  it('hold 4 MiB of a network and 32 MiB of all: in chunks, 64 of 64 KiB', async () => {
    await listen();
    for (let left = 64; left > 0; left -= 1) await begin('chunks');
    expect([await post(), await post('127.0.0.2')]).toEqual([refused, served]);
    expect([unfinishedBodyLimits, connectionLimits]).toEqual([
      { all: 32 * 1024 * 1024, ofNetwork: 4 * 1024 * 1024 },
      { all: 10_000, ofNetwork: 256 },
    ]);
  });

  it('are forgotten however their requests end: too large, of another type, by another method, unread', async () => {
    await listen({ unfinishedBodies: { all: 100_000, ofNetwork: 70_000 } });
    const endings = [
      `${head}content-length: 1000000\r\n\r\n{`,
      `${head.replace('json', 'nonsense')}content-length: 60000\r\n\r\n`,
      `${head.replace('POST', 'PUT')}content-length: 60000\r\n\r\n`,
      `${head.replace('POST', 'GET').replace('/ ', '/health/live ')}content-length: 60000\r\n\r\n`,
    ];
    for (const text of endings) {
      const socket = await open();
      socket.write(text);
      expect(await readAnswer(socket)).toMatch(/^HTTP\/1\.1 (413|415|405|200) /);
      socket.destroy();
      await sleep(20);
    }
    for (let turn = 0; turn < 3; turn += 1) {
      (await begin(60_000)).destroy();
      await sleep(20);
    }
    expect(await post()).toEqual(served);
  });
});
