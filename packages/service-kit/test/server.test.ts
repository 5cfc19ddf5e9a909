import { METHODS } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemDetails, ProblemError } from '@gatehouse/shared';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { Type } from 'typebox';
import { DatabaseUnavailableError } from '../src/database/database-errors.ts';
import { registerHealth } from '../src/http/health.ts';
import { registerMetrics } from '../src/http/metrics.ts';
import { problemErrorHandler, problemNotFoundHandler, toProblemError } from '../src/http/problem-error-handler.ts';
import { requestContextOf } from '../src/http/request-context-of.ts';
import { bodyLimit, createServer } from '../src/http/server.ts';
import { createMetrics } from '../src/metrics/create-metrics.ts';
import type { TrustProxy } from '../src/trust-proxy.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let app: FastifyInstance;
let log = '';
let fault: unknown;
const steps: string[] = [];
/** The ids of the requests whose answer the hooks after those of the figures saw. */
const answered: string[] = [];

/** The lines of the log that have a text, such as the id of a request. */
const linesOf = (text: string) =>
  log.split('\n').flatMap((line) => (line.includes(text) ? [JSON.parse(line) as Record<string, unknown>] : []));

function createSilentServer(trustProxy: TrustProxy = false): FastifyInstance {
  return createServer({ log: pino({ enabled: false }), trustProxy, publicUrl: 'http://localhost:9000' });
}

beforeAll(async () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  app = createServer({ log: pino({ level: 'info' }, stream), trustProxy: 1, publicUrl: 'https://api.example.com' });
  app.setErrorHandler(problemErrorHandler);
  app.setNotFoundHandler(problemNotFoundHandler);
  app.addSchema(ProblemDetails);
  registerMetrics(app, createMetrics());
  app.addHook('onResponse', async ({ id }) => void answered.push(id));
  registerHealth(app, [
    {
      name: 'database',
      async check() {
        if (fault !== undefined) throw fault;
      },
    },
    { name: 'keys', check: async () => {} },
  ]);
  const body = Type.Object({ name: Type.Optional(Type.String()), count: Type.Optional(Type.Integer()) });
  app.post('/echo', { schema: { body } }, (request) => request.body);
  app.get('/items/:id', (request) => ({ ...(request.params as object), address: requestContextOf(request).address }));
  const querystring = Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 9, default: 5 }) });
  app.get('/items', { schema: { querystring } }, (request) => request.query);
  app.get('/slow', async (_request, reply) => {
    await sleep(21);
    return reply.code(202).send();
  });
  app.get('/broken', () => {
    throw Object.assign(new Error('hush: the inside'), { sql: 'SELECT hush' });
  });
  app.post('/steps/:name', async (request) => {
    const { name } = request.params as { name: string };
    steps.push(`work ${name}`);
    if (name === 'broken') throw new Error('hush');
    return name;
  });
  app.addHook('onRequest', async (request) => void (request.url.startsWith('/steps') && steps.push('read')));
  app.addHook('onSend', async (request) => void (request.url.startsWith('/steps') && steps.push('answer')));
  app.get('/unavailable', () => {
    throw new DatabaseUnavailableError('hush');
  });
  app.get('/busy', () => {
    throw new ProblemError(429, 'slow down', { retryAfter: 7, challenge: 'Bearer', reason: 'private reason' });
  });
  await app.ready();
});
afterAll(() => app.close());

describe('request id', () => {
  it.each(['abcd1234', 'A-b_c.d1', '0b9f6f3e-5a5e-4f4e-9d4e-1c2d3e4f5a6b', 'x'.repeat(128)])(
    'is kept where the caller gives a harmless one: %s',
    async (id) => {
      const response = await app.inject({ url: '/health/live', headers: { 'x-request-id': id } });
      expect(response.headers['x-request-id']).toBe(id);
    },
  );

  it.each([
    'short',
    'x'.repeat(129),
    'with space',
    'new\nline00',
    'quote"quote',
    '<script>alert(1)</script>',
    'ünïcödé-id',
    '{"a":1}{"b":2}',
  ])('is replaced where the given one could do harm: %j', async (id) => {
    const response = await app.inject({ url: '/health/live', headers: { 'x-request-id': id } });
    expect(response.headers['x-request-id']).toMatch(uuid);
  });

  it('is new for each request without one, and stands in problem and log', async () => {
    const [one, other] = await Promise.all([app.inject('/nowhere'), app.inject('/nowhere')]);
    const id = one.headers['x-request-id'];
    expect(id).toMatch(uuid);
    expect(other.headers['x-request-id']).not.toBe(id);
    expect(one.json()).toMatchObject({ instance: `urn:request:${id}` });
    expect(log).toContain(`"requestId":"${id}"`);
  });
});

describe('a request body', () => {
  const post = (payload: string, type = 'application/json') =>
    app.inject({ method: 'POST', url: '/echo', payload, headers: { 'content-type': type } });
  const bodyOf = (bytes: number) => JSON.stringify({ name: 'x'.repeat(bytes - '{"name":""}'.length) });

  it('may have 64 KiB', async () => {
    expect(bodyLimit).toBe(65_536);
    expect((await post(bodyOf(65_536))).statusCode).toBe(200);
  });

  it('may not have a byte more', async () => {
    const response = await post(bodyOf(65_537));
    expect(response.statusCode).toBe(413);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.json()).toMatchObject({ status: 413, title: 'Content Too Large' });
  });

  it('that is too large is refused once it was read, without a wait', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] });
    try {
      expect((await post(bodyOf(70_000))).statusCode).toBe(413);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each(['{', '{"name": "x"', '{"__proto__": {}}', '{"constructor": {"prototype": {}}}', ''])(
    'is refused where it is no good JSON: %j',
    async (payload) => {
      const response = await post(payload);
      expect(response.statusCode).toBe(400);
      expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    },
  );

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense'])(
    'is refused where it is %s',
    async (type) => {
      expect((await post('name=x', type)).statusCode).toBe(415);
    },
  );

  it('is never coerced, and every fault is named', async () => {
    const response = await post('{"name": 1, "count": "2", "extra": null}');
    expect(response.statusCode).toBe(400);
    const { errors } = response.json<ProblemDetails>();
    expect(errors?.map(({ field }) => field)).toEqual(['extra', 'name', 'count']);
  });

  it('is read as it stands: neither a number nor a list is made of a text', async () => {
    const other = createSilentServer();
    other.setErrorHandler(problemErrorHandler);
    const body = Type.Object({ count: Type.Integer(), names: Type.Optional(Type.Array(Type.String())) });
    other.post('/echo', { schema: { body } }, (request) => request.body);
    const send = (payload: object) => other.inject({ method: 'POST', url: '/echo', payload });
    expect((await send({ count: 7, names: ['a'] })).json()).toEqual({ count: 7, names: ['a'] });
    for (const fault of [{ count: '7' }, { names: 'a' }, { more: 1 }]) {
      const response = await send({ count: 7, ...fault });
      const field = Object.keys(fault)[0];
      expect([response.statusCode, response.json()]).toEqual([
        400,
        expect.objectContaining({ errors: [expect.objectContaining({ field })] }),
      ]);
    }
    await other.close();
  });

  it.each(['null', '[]', '"text"', '1'])('is refused where it is no object: %s', async (payload) => {
    const response = await post(payload);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ errors: [{ field: 'body' }] });
  });
});

describe('a URL', () => {
  it.each(['/items/%', '/items/%E0%A4%A', '/items/%ff?code=hush'])(
    'that is badly encoded is a 400: %s',
    async (url) => {
      const response = await app.inject({ url, headers: { 'x-request-id': 'bad-url-request' } });
      expect(response.statusCode).toBe(400);
      expect(response.headers['x-request-id']).toBe('bad-url-request');
      expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(response.json()).toMatchObject({ detail: 'the URL is not valid percent-encoded UTF-8' });
      expect(response.body).not.toContain('hush');
      expect(linesOf('bad-url-request')).toContainEqual(expect.objectContaining({ reason: 'FST_ERR_BAD_URL' }));
    },
  );

  it('that leads nowhere is a 404, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const response = await app.inject({ method, url: '/nowhere' });
      expect(response.statusCode).toBe(404);
      expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    }
  });

  it.each(METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD'].includes(method)))(
    'that exists for other methods is a 405 with Allow: %s',
    async (method) => {
      for (const url of ['/items', '/items/7', '/items/%C3%A9%2F7?a=b', '/%69tems']) {
        const response = await app.inject({ method: method as 'GET', url });
        expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD']);
        expect(response.json()).toMatchObject({ status: 405, detail: 'this path takes only GET, HEAD' });
        expect(response.headers['x-request-id']).toBeDefined();
      }
      expect((await app.inject({ method: method as 'GET', url: '/items/7/8' })).headers).not.toHaveProperty('allow');
    },
  );

  it('that exists names each method that any of its routes gives it, and not that of preflights', async () => {
    const other = createSilentServer();
    other.setErrorHandler(problemErrorHandler);
    const handler = async () => 'here';
    other.get('/here', handler);
    other.route({ method: ['PUT', 'PATCH'], url: '/here', handler });
    other.options('/here', handler);
    other.get('*', handler);
    const refused = await other.inject({ method: 'DELETE', url: '/here' });
    expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'GET, HEAD, PATCH, PUT']);
    const lost = await other.inject({ method: 'DELETE', url: '/nowhere' });
    expect([lost.statusCode, lost.headers.allow]).toEqual([404, undefined]);
    await other.close();
  });

  it('is a 405 for another method whatever the body is', async () => {
    const body = { method: 'PUT', url: '/items', headers: { 'content-type': 'text/strange' }, payload: 'x' } as const;
    expect((await app.inject(body)).statusCode).toBe(405);
    expect((await app.inject({ ...body, url: '/echo' })).headers.allow).toBe('POST');
  });

  it('that is badly encoded is a 400 or a 404, whatever the method', async () => {
    for (const method of ['TRACE', 'PUT', 'PROPFIND']) {
      const response = await app.inject({ method: method as 'GET', url: '/items/%ff' });
      expect([400, 404, 405]).toContain(response.statusCode);
    }
  });

  it('has its numbers read from text, within their range', async () => {
    expect((await app.inject('/items?limit=9')).json()).toEqual({ limit: 9 });
    expect((await app.inject('/items')).json()).toEqual({ limit: 5 });
    for (const limit of ['0', '10', 'x', '1.5', '1&limit=2', '1e999', '-1e999', 'NaN']) {
      expect((await app.inject(`/items?limit=${limit}`)).statusCode).toBe(400);
    }
  });

  it('may have a long parameter, decoded', async () => {
    const id = `${'é'.repeat(200)}/?#%`;
    expect((await app.inject(`/items/${encodeURIComponent(id)}`)).json()).toMatchObject({ id });
  });

  it('may have a parameter of 4096 characters, and is a 414 with a longer one', async () => {
    expect((await app.inject(`/items/${'x'.repeat(4096)}`)).statusCode).toBe(200);
    const response = await app.inject(`/items/${'x'.repeat(4097)}`);
    const { status, detail } = response.json<{ status: number; detail: string }>();
    expect([response.statusCode, status, detail]).toEqual([414, 414, 'a part of the path is too long']);
  });

  it('is logged in one line, with the status and the time that it took', async () => {
    const id = 'a-slow-request';
    const startedAt = performance.now();
    await app.inject({ url: '/slow?a=b', headers: { 'x-request-id': id } });
    const took = performance.now() - startedAt;
    const [line, ...others] = linesOf(id);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ method: 'GET', path: '/slow', status: 202, requestId: id, msg: 'request' });
    const milliseconds = Number(line?.milliseconds);
    expect(milliseconds).toBeGreaterThanOrEqual(20);
    expect(milliseconds).toBeLessThanOrEqual(Math.ceil(took));
    expect(String(milliseconds)).toMatch(/^\d+(\.\d)?$/);
  });

  it('is logged by its path alone, without the query', async () => {
    await app.inject('/items/7?code=hush-hush');
    expect(log).toContain('"path":"/items/7"');
    expect(log).not.toContain('hush-hush');
  });
});

describe('a failure', () => {
  it('nobody foresaw is a 500 that says nothing of the inside but the request id, which the log has too', async () => {
    const response = await app.inject({ url: '/broken', headers: { 'x-request-id': 'broken-request' } });
    expect(response.statusCode).toBe(500);
    expect(response.json()).toEqual({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail: 'internal server error, request id broken-request',
      instance: 'urn:request:broken-request',
    });
    expect(log).toMatch(/"requestId":"broken-request".*hush: the inside/);
  });

  it('of the database is a 503 with a time to retry', async () => {
    const response = await app.inject('/unavailable');
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
    expect(response.body).not.toContain('hush');
  });

  it('has its headers, and keeps its private reason for the log', async () => {
    const response = await app.inject('/busy');
    expect(response.statusCode).toBe(429);
    expect(response.headers).toMatchObject({ 'retry-after': '7', 'www-authenticate': 'Bearer' });
    expect(response.body).not.toContain('private reason');
    expect(log).toContain('private reason');
  });

  it('has no header that it does not need', async () => {
    const { headers } = await app.inject('/nowhere');
    for (const name of ['retry-after', 'www-authenticate']) expect(headers).not.toHaveProperty(name);
  });

  it.each([
    ['/broken', { level: 50, msg: 'request failed', err: expect.objectContaining({ status: 500 }) }],
    ['/unavailable', { level: 50, msg: 'request failed', err: expect.objectContaining({ status: 503 }) }],
    ['/busy', { level: 30, msg: 'request refused', status: 429, detail: 'slow down', reason: 'private reason' }],
  ])('is an error in the log where the service is at fault, and news else: %s', async (url, line) => {
    const id = `logged-as-${url.slice(1)}`;
    await app.inject({ url, headers: { 'x-request-id': id } });
    expect(linesOf(id)[0]).toMatchObject(line);
  });

  const inside = 'internal server error, request id some-request';
  it.each([
    [{ statusCode: 400, message: 'not so' }, 400, 'not so'],
    [{ statusCode: 499 }, 499, 'bad request'],
    [{ statusCode: 399, message: 'hush' }, 500, inside],
    [{ statusCode: 500, message: 'hush' }, 500, inside],
    [{ statusCode: 503, message: 'hush' }, 500, inside],
    [{ message: 'hush' }, 500, inside],
  ])('of a library has its own status and text where it is a 4xx alone: %j', (error, status, message) => {
    expect(toProblemError(error, 'some-request')).toMatchObject({ status, message });
  });
});

describe('health', () => {
  it('is live whatever fails', async () => {
    fault = new Error('out of reach');
    const response = await app.inject('/health/live');
    expect(response.json()).toEqual({ status: 'ok' });
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    fault = undefined;
  });

  it('is ready where every check passes', async () => {
    const response = await app.inject('/health/ready');
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { status: 'ok', checks: { database: 'ok', keys: 'ok' } },
    ]);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('is a 503 that names the failing part', async () => {
    fault = new Error('out of reach');
    const response = await app.inject('/health/ready');
    fault = undefined;
    expect(response.statusCode).toBe(503);
    expect(response.json()).toEqual({ status: 'unavailable', checks: { database: 'out of reach', keys: 'ok' } });
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('says no more than that where a part fails by no error', async () => {
    fault = 'hush';
    const response = await app.inject('/health/ready');
    fault = undefined;
    expect(response.json()).toMatchObject({ checks: { database: 'failing', keys: 'ok' } });
  });
});

describe('metrics', () => {
  it('are in the Prometheus text format, by route and never by path', async () => {
    await app.inject('/items/secret-path-part');
    await app.inject('/secret-path-part');
    const response = await app.inject('/metrics');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toMatch(/^text\/plain/);
    expect(response.body).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/items\/:id",status="200"\} \d/,
    );
    expect(response.body).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="unmatched",status="404"\} \d/,
    );
    expect(response.body).toContain('process_cpu_seconds_total');
    expect(response.body).not.toContain('secret-path-part');
  });

  it('hold the time to an answer in seconds, and leave it to the hooks after them', async () => {
    await app.inject({ url: '/slow', headers: { 'x-request-id': 'a-measured-request' } });
    expect(answered).toContain('a-measured-request');
    const text = (await app.inject('/metrics')).body;
    const read = (figure: string) =>
      Number(new RegExp(`^http_request_duration_seconds_${figure}\\{.*route="/slow".* (\\S+)$`, 'm').exec(text)?.[1]);
    const lines = linesOf('"path":"/slow"').map(({ milliseconds }) => Number(milliseconds));
    expect(read('count')).toBe(lines.length);
    // The log has them to a tenth of a millisecond.
    const logged = lines.reduce((sum, milliseconds) => sum + milliseconds, 0);
    expect(Math.abs(read('sum') * 1000 - logged)).toBeLessThan(0.1 * lines.length);
  });

  it('belong to one service each', () => {
    expect(createMetrics()).not.toBe(createMetrics());
  });
});

describe('trust in a proxy', () => {
  it('goes as many hops as it was told and no further', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
    expect((await app.inject({ url: '/items/1', headers: forwarded })).json()).toMatchObject({
      address: '198.51.100.7',
    });
  });

  it.each<[trustProxy: TrustProxy, address: string]>([
    [false, '127.0.0.1'],
    [2, '203.0.113.9'],
    [true, '203.0.113.9'],
    ['loopback', '198.51.100.7'],
    ['loopback,198.51.100.0/24', '203.0.113.9'],
    ['192.0.2.1', '127.0.0.1'],
  ])('is what %j says', async (trustProxy, address) => {
    const other = createSilentServer(trustProxy);
    other.get('/', (request) => requestContextOf(request).address);
    const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
    expect((await other.inject({ url: '/', headers })).body).toBe(address);
    await other.close();
  });

  it.each(['not-an-address', '198.51.100.777:1234', '\u00e9'])(
    'falls back on who is connected for %j',
    async (last) => {
      const headers = { 'x-forwarded-for': `203.0.113.9, ${last}` };
      expect((await app.inject({ url: '/items/1', headers })).json()).toMatchObject({ address: '127.0.0.1' });
    },
  );

  it.each(['fe80::1', 'fe80::1%eth0', `fe80::1%${'x'.repeat(400)}`])('tells %s without its zone', async (ip) => {
    const headers = { 'x-forwarded-for': ip };
    expect((await app.inject({ url: '/items/1', headers })).json()).toMatchObject({ address: 'fe80::1' });
  });

  it('gives no address where nobody is connected any more', () => {
    const request = { id: 'some-request', ip: 'not-an-address', socket: new Socket() } as FastifyRequest;
    expect(requestContextOf(request)).toEqual({ requestId: 'some-request', address: '' });
  });
});

describe('a Host header', () => {
  it('is told from others that are as long', async () => {
    const headers = { from: 'a@example.com', date: 'Mon, 01 Jan 2024 00:00:00 GMT' };
    expect((await app.inject({ url: '/items/1', headers })).statusCode).toBe(200);
  });
});

describe('requests that come together', () => {
  const send = (name: string) => app.inject({ method: 'POST', url: `/steps/${name}` });
  beforeEach(() => {
    steps.length = 0;
  });

  it('are worked on together and then answered together, one that fails among them', async () => {
    const names = ['a', 'broken', 'b', 'c'];
    const answers = await Promise.all(names.map(send));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 500, 200, 200]);
    expect(steps.slice(0, 4)).toEqual(Array(4).fill('read'));
    expect(steps.slice(4, 8)).toEqual(names.map((name) => `work ${name}`));
    expect(steps.slice(8)).toEqual(Array(4).fill('answer'));
  });

  it('are all read before the first is worked on, though it could have been answered by then', async () => {
    const first = send('a');
    // The turn of the event loop goes on: it is time enough to answer a request that is not held.
    for (let ticks = 0; ticks < 50; ticks += 1) await new Promise<void>((resolve) => process.nextTick(resolve));
    await Promise.all([first, send('b')]);
    expect(steps).toEqual(['read', 'read', 'work a', 'work b', 'answer', 'answer']);
  });
});
