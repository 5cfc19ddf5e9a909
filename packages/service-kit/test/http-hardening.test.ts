import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Type } from 'typebox';
import { requestPatience } from '../src/http/connection-limits.ts';
import { problemErrorHandler, problemNotFoundHandler } from '../src/http/problem-error-handler.ts';
import { createServer, type ServerOptions } from '../src/http/server.ts';

async function listen(publicUrl: string, limits: Pick<ServerOptions, 'patience'> = {}): Promise<FastifyInstance> {
  const app = createServer({ log: pino({ enabled: false }), trustProxy: false, publicUrl, ...limits });
  app.setErrorHandler(problemErrorHandler);
  app.setNotFoundHandler(problemNotFoundHandler);
  app.get('/', () => ({ here: true }));
  app.post('/', { schema: { body: Type.Object({}) } }, () => ({ here: true }));
  app.get('/broken', () => {
    throw new Error('broken');
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

async function open(app: FastifyInstance): Promise<Socket> {
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes until the server closes the connection, and the milliseconds that took. */
async function readToEnd(socket: Socket): Promise<{ answer: string; lasted: number }> {
  const startedAt = performance.now();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
  await once(socket, 'close');
  return { answer: Buffer.concat(chunks).toString(), lasted: performance.now() - startedAt };
}

async function send(app: FastifyInstance, text: string): Promise<string> {
  const socket = await open(app);
  socket.write(text);
  return (await readToEnd(socket)).answer;
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
const headersOf = (answer: string) => answer.slice(0, answer.indexOf('\r\n\r\n')).toLowerCase();

const end = 'connection: close\r\n\r\n';
const json = 'content-type: application/json\r\n';

/** A request of every kind of answer. */
const requests: [status: number, text: string][] = [
  [200, `GET / HTTP/1.1\r\nhost: a\r\n${end}`],
  [200, `HEAD / HTTP/1.1\r\nhost: a\r\n${end}`],
  [200, `GET / HTTP/1.0\r\n${end}`],
  [404, `GET /nowhere HTTP/1.1\r\nhost: a\r\n${end}`],
  [405, `PUT / HTTP/1.1\r\nhost: a\r\n${end}`],
  [500, `GET /broken HTTP/1.1\r\nhost: a\r\n${end}`],
  [400, `GET /%ff HTTP/1.1\r\nhost: a\r\n${end}`],
  [400, `POST / HTTP/1.1\r\nhost: a\r\n${json}content-length: 1\r\n${end}{`],
  [413, `POST / HTTP/1.1\r\nhost: a\r\n${json}content-length: 70000\r\n${end}${' '.repeat(70_000)}`],
  [415, `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 1\r\n${end}x`],
  [417, `POST / HTTP/1.1\r\nhost: a\r\nexpect: everything\r\n${end}`],
  [400, 'nonsense\r\n\r\n'],
  [400, `GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n${end}`],
  [431, `GET / HTTP/1.1\r\nhost: a\r\nlong: ${'x'.repeat(20_000)}\r\n${end}`],
];

describe('headers of every answer', () => {
  let secure: FastifyInstance;
  let plain: FastifyInstance;
  beforeAll(async () => {
    secure = await listen('HTTPS://api.example.com');
    plain = await listen('http://localhost:9001');
  });
  afterAll(() => Promise.all([secure?.close(), plain?.close()]));

  it.each(requests)('are there with a %d: %j', async (status, text) => {
    const answer = await send(secure, text);
    expect(statusOf(answer)).toBe(status);
    expect(headersOf(answer)).toContain('\r\nx-content-type-options: nosniff');
    expect(headersOf(answer)).toContain('\r\nstrict-transport-security: max-age=31536000');
  });

  it.each(requests)('do not ask for https where the service is reached by http: %d', async (status, text) => {
    const answer = await send(plain, text);
    expect(statusOf(answer)).toBe(status);
    expect(headersOf(answer)).toContain('\r\nx-content-type-options: nosniff');
    expect(headersOf(answer)).not.toContain('strict-transport-security');
  });

  it('are there with a problem document where the parser refused the request', async () => {
    const answer = await send(secure, 'nonsense\r\n\r\n');
    expect(headersOf(answer)).toContain('content-type: application/problem+json');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'the request is not valid HTTP',
    });
  });

  it.each([
    ['two that differ', 'host: a\r\nhost: b\r\n'],
    ['two that are alike', 'Host: a\r\nHOST: a\r\n'],
    ['none', ''],
  ])('come with a 400 where the request has several or no Host headers (RFC 9112 3.2): %s', async (_what, hosts) => {
    for (const path of ['/', '/nowhere']) {
      const answer = await send(secure, `GET ${path} HTTP/1.1\r\n${hosts}${end}`);
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain('exactly one Host header');
      expect(headersOf(answer)).toContain('nosniff');
    }
  });

  it('come with a 400 where a request of HTTP/1.0, which needs no Host header, has two', async () => {
    expect(statusOf(await send(secure, `GET / HTTP/1.0\r\nhost: a\r\nhost: a\r\n${end}`))).toBe(400);
  });
});

describe('a body that is too large', () => {
  let app: FastifyInstance;
  let socket: Socket;
  let answer: string;
  beforeAll(async () => {
    app = await listen('http://localhost:9001');
  });
  beforeEach(async () => {
    answer = '';
    socket = await open(app);
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
  });
  afterEach(() => {
    jest.useRealTimers();
    socket.destroy();
  });
  afterAll(() => app?.close());

  const begin = (announced: number, sent: number) =>
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\n${json}content-length: ${announced}\r\n\r\n${' '.repeat(sent)}`);

  it('is read to its end before it is refused, so that the answer is not lost', async () => {
    begin(70_000, 69_999);
    await send(app, `GET / HTTP/1.1\r\nhost: a\r\n${end}`);
    expect(answer).toBe('');
    socket.write(' ');
    await once(socket, 'data');
    expect(statusOf(answer)).toBe(413);
  });

  it('is waited for only there: what is refused for another reason is answered at once', async () => {
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n `);
    await send(app, `GET / HTTP/1.1\r\nhost: a\r\n${end}`);
    expect(statusOf(answer)).toBe(415);
  });

  it('is waited for for a second where the rest does not come', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] });
    begin(70_000, 69_999);
    await send(app, `GET / HTTP/1.1\r\nhost: a\r\n${end}`);
    jest.advanceTimersByTime(999);
    await send(app, `GET / HTTP/1.1\r\nhost: a\r\n${end}`);
    expect(answer).toBe('');
    jest.advanceTimersByTime(1);
    await once(socket, 'data');
    expect(statusOf(answer)).toBe(413);
  });

  it('is read no further than 4 MiB', async () => {
    const startedAt = performance.now();
    begin(2 ** 30, 4.5 * 2 ** 20);
    await once(socket, 'data');
    expect(statusOf(answer)).toBe(413);
    expect(performance.now() - startedAt).toBeLessThan(900);
  });
});

describe('a request that is never finished', () => {
  let app: FastifyInstance;
  // A tenth of the time that a service gives.
  const patience = { headersTimeout: 1_000, requestTimeout: 3_000, connectionsCheckingInterval: 200 };
  beforeAll(async () => {
    app = await listen('http://localhost:9001', { patience });
  });
  afterAll(() => app?.close());

  /** Sends a part, and then byte after byte, as who wants to keep the connection does. */
  const dawdle = async (text: string, drip: string) => {
    const socket = await open(app);
    socket.write(text);
    const timer = setInterval(() => socket.writable && socket.write(drip), 100);
    const end = await readToEnd(socket);
    clearInterval(timer);
    return {
      status: statusOf(end.answer),
      seconds: end.lasted / 1000,
      isSafe: headersOf(end.answer).includes('nosniff'),
    };
  };

  it('is given 10 s for its headers and 30 s for all of it', () => {
    const tenfold = Object.entries(patience).map(([name, milliseconds]) => [name, 10 * milliseconds]);
    expect(requestPatience).toEqual(Object.fromEntries(tenfold));
  });

  it('is gone after that time, by its headers or its body; connections are free again', async () => {
    const [silent, headers, body, chunks] = await Promise.all([
      dawdle('', ''),
      dawdle('GET / HTTP/1.1\r\nhost: a\r\n', 'a: b\r\n'),
      dawdle(`POST / HTTP/1.1\r\nhost: a\r\n${json}content-length: 1000\r\n\r\n`, ' '),
      dawdle(`POST / HTTP/1.1\r\nhost: a\r\n${json}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
    ]);
    for (const { status, isSafe } of [silent, headers, body, chunks]) expect([status, isSafe]).toEqual([408, true]);
    for (const { seconds } of [silent, headers]) expect(seconds).toBeLessThan(2.5);
    for (const { seconds } of [body, chunks]) {
      expect(seconds).toBeGreaterThan(2.5);
      expect(seconds).toBeLessThan(8);
    }
    const open = await new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
    expect(open).toBe(0);
  });
});

it('a connection has the time of a service', async () => {
  const app = await listen('http://localhost:9001');
  expect([app.server.headersTimeout, app.server.requestTimeout]).toEqual([10_000, 30_000]);
  await app.close();
});
