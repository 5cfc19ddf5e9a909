import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type OtlpReceiver, startOtlpReceiver } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Database } from '../src/database/database.ts';
import { createServer } from '../src/http/server.ts';
import type { Logger } from '../src/logging.ts';
import type { SlowHash } from '../src/slow-hash.ts';
import { registerTracing } from '../src/tracing/register-tracing.ts';
import { createReportDelivery, reportExports } from '../src/tracing/report-exports.ts';
import { startTracing } from '../src/tracing/start-tracing.ts';
import { traceDatabase } from '../src/tracing/trace-database.ts';
import { traceSlowHash } from '../src/tracing/trace-slow-hash.ts';
import type { Tracing } from '../src/tracing/tracing.ts';
import { silentLog } from './support/test-service.ts';
import { countTimers } from './support/timers.ts';

const build = { service: 'test', version: '1.2.3' };
const traceparentOf = (index: number) => `00-${index.toString(16).padStart(32, '1')}-${'2'.repeat(16)}-01`;

describe('a request that is traced', () => {
  let receiver: OtlpReceiver;
  let tracing: Tracing;
  let app: FastifyInstance;
  const logged: Record<string, unknown>[] = [];
  const answered: string[] = [];
  /** The headers for a call out of the steps before a handler. */
  const guarded: Record<string, string>[] = [];
  const steps = new EventEmitter();

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    const started = await startTracing({ tracesUrl: `${receiver.endpoint}/v1/traces` }, build, silentLog);
    if (started === undefined) throw new Error('tracing is off');
    tracing = started;
    const log = pino({ base: undefined }, { write: (line) => logged.push(JSON.parse(line)) });
    app = createServer({ log, trustProxy: false, publicUrl: 'http://localhost:9000' });
    registerTracing(app, tracing);
    app.addHook('onResponse', async ({ id }) => void answered.push(id));
    app.addHook('onRequestAbort', async (_request) => void steps.emit('aborted'));
    // Requests are held back and released together, by one callback that belongs to none of them.
    let held: (() => void)[] = [];
    app.addHook('preHandler', (_request, _reply, done) => {
      if (held.length === 0) {
        setImmediate(() => {
          const released = held;
          held = [];
          for (const release of released) release();
        });
      }
      held.push(done);
    });
    app.get('/items/:id', async () => {
      await sleep(1);
      const attributes = { 'url.template': '/others/{id}' };
      return tracing.inSpan({ name: 'call', kind: 'client', attributes }, async () => tracing.headers());
    });
    const guard = async () => void guarded.push(tracing.headers());
    app.get('/guarded', { preHandler: [guard, guard] }, async () => tracing.headers());
    app.get('/broken', () =>
      tracing.inSpan({ name: 'step', kind: 'internal' }, async () => {
        throw new TypeError('hush: the inside');
      }),
    );
    app.get('/health/live', async () => tracing.headers());
    for (const url of ['/endless', '/metrics']) {
      app.get(url, async () => {
        steps.emit('begun');
        await once(steps, 'aborted');
      });
    }
    await app.ready();
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  it('goes on in its own trace when it was held back and released with others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        app.inject({ url: `/items/${index}`, headers: { traceparent: traceparentOf(index) } }),
      ),
    );
    const traces = answers.map((answer) => answer.json<{ traceparent: string }>().traceparent.split('-')[1]);
    expect(traces).toEqual(answers.map((_, index) => traceparentOf(index).split('-')[1]));
  });

  it('has all steps of a route that has several of a kind', async () => {
    const headers = (await app.inject('/guarded')).json<Record<string, string>>();
    expect(guarded).toEqual([headers, headers]);
  });

  it('begins a trace where the caller’s traceparent is no good', async () => {
    for (const traceparent of ['nonsense', `00-${'0'.repeat(32)}-${'2'.repeat(16)}-01`, '']) {
      const answer = await app.inject({ url: '/items/1', headers: { traceparent } });
      expect(answer.json<{ traceparent: string }>().traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    }
  });

  it('has its identifiers in its lines of the log, and the hooks after its own', async () => {
    const headers = { traceparent: traceparentOf(1), 'x-request-id': 'a-traced-request' };
    const answer = await app.inject({ url: '/items/1', headers });
    const [, traceId] = answer.json<{ traceparent: string }>().traceparent.split('-');
    const lines = logged.filter(({ requestId }) => requestId === 'a-traced-request');
    expect(lines).toEqual([
      expect.objectContaining({ trace_id: traceId, span_id: expect.stringMatching(/^[0-9a-f]{16}$/) }),
    ]);
    expect(answered).toContain('a-traced-request');
  });

  it('is none that machines ask every few seconds', async () => {
    const headers = { traceparent: traceparentOf(1), 'x-request-id': 'a-health-check' };
    expect((await app.inject({ url: '/health/live', headers })).json()).toEqual({});
    expect(answered).toContain('a-health-check');
  });

  /** Asks for what is never answered, and goes. */
  const askAndGo = async (path: string) => {
    const caller = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    caller.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    await once(steps, 'begun');
    const aborted = once(steps, 'aborted');
    caller.destroy();
    await aborted;
  };

  it('shows what failed by its kind alone, and is sent when tracing is closed', async () => {
    expect((await app.inject('/broken?code=hush')).statusCode).toBe(500);
    for (const url of ['/nowhere', '/items/1', '/health/live']) await app.inject(url);
    await app.listen({ host: '127.0.0.1', port: 0 });
    for (const path of ['/endless', '/metrics']) await askAndGo(path);
    await tracing.close();
    const failed = receiver.spans().filter((span) => span.failed);
    const own = receiver.spans().find(({ name }) => name === 'GET /items/:id');
    expect([own?.kind, own?.attributes]).toEqual([
      2,
      {
        'http.request.method': 'GET',
        'url.path': expect.stringMatching(/^\/items\/\d+$/),
        'http.route': '/items/:id',
        'http.response.status_code': 200,
      },
    ]);
    const call = receiver.spans().find(({ name }) => name === 'call');
    expect([call?.kind, call?.attributes]).toEqual([3, { 'url.template': '/others/{id}' }]);
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual(
      expect.arrayContaining([
        ['step', 'TypeError'],
        ['GET /broken', '500'],
        ['GET /endless', 'aborted'],
      ]),
    );
    const paths = receiver.spans().map(({ attributes }) => attributes['url.path']);
    for (const path of ['/health/live', '/metrics']) expect(paths).not.toContain(path);
    expect(receiver.spans().find(({ attributes }) => attributes['url.path'] === '/nowhere')).toMatchObject({
      name: 'GET',
      failed: false,
    });
    expect(receiver.payload()).not.toContain('hush');
  });
});

describe('the delivery of spans', () => {
  const lines: unknown[] = [];
  const log = {
    warn: (...line: unknown[]) => lines.push(['warn', ...line]),
    info: (...line: unknown[]) => lines.push(['info', ...line]),
  } as unknown as Logger;

  it('is told of in the log once when it begins to fail, and once when it goes on', () => {
    const results = [
      { code: 0 },
      { code: 1, error: new TypeError('hush') },
      { code: 1 },
      { code: 0 },
      { code: 0 },
      { code: 1 },
    ];
    const rest = results.values();
    const exporter = { export: (_spans: unknown, done: (result: unknown) => void) => done(rest.next().value) };
    const reporting = reportExports(exporter as unknown as SpanExporter, createReportDelivery(log));
    const told = results.map(() => {
      let result: unknown;
      reporting.export([], (found) => {
        result = found;
      });
      return result;
    });
    expect(told).toEqual(results);
    expect(lines).toEqual([
      ['warn', { reason: 'TypeError' }, 'spans cannot be delivered'],
      ['info', 'spans are delivered again'],
      ['warn', { reason: 'Error' }, 'spans cannot be delivered'],
    ]);
  });
});

describe('a receiver that refuses spans', () => {
  it('is told of in the log when it refuses the first batch, and not called better when nothing is left to send', async () => {
    const receiver = createHttpServer((_request, response) => void response.writeHead(400).end());
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const tracesUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/traces`;
    const lines: unknown[] = [];
    const log = pino({ base: undefined, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
    const tracing = await startTracing({ tracesUrl }, build, log);
    // As many as OpenTelemetry's SDK sends at once.
    for (let left = 512; left > 0; left -= 1) {
      tracing?.startRequest({ method: 'GET', route: '/', path: '/', headers: {} }).end(200);
    }
    while (lines.length === 0) await nextTurn();
    await tracing?.close();
    expect(lines).toEqual([{ level: 40, reason: 'OTLPExporterError', msg: 'spans cannot be delivered' }]);
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });
});

describe('a database or a hash that is not traced', () => {
  it('is the same one', () => {
    const [database, slowHash] = [{} as Database, {} as SlowHash];
    expect(traceDatabase(database, undefined)).toBe(database);
    expect(traceSlowHash(slowHash, undefined)).toBe(slowHash);
  });
});

describe('work outside of a request', () => {
  it('is no span, and sends no traceparent', async () => {
    const receiver = await startOtlpReceiver();
    const tracing = await startTracing({ tracesUrl: `${receiver.endpoint}/v1/traces` }, build, silentLog);
    const headers = await tracing?.inSpan({ name: 'background', kind: 'client' }, async () => tracing.headers());
    expect(headers).toEqual({});
    await tracing?.close();
    expect(receiver.spans()).toEqual([]);
    await receiver.close();
  });
});

describe('the resource that spans are of', () => {
  it('is the service and its version, beside what the environment says', async () => {
    const receiver = await startOtlpReceiver();
    process.env.OTEL_RESOURCE_ATTRIBUTES = 'service.instance.id=replica-1';
    const tracing = await startTracing({ tracesUrl: `${receiver.endpoint}/v1/traces` }, build, silentLog);
    delete process.env.OTEL_RESOURCE_ATTRIBUTES;
    tracing?.startRequest({ method: 'GET', route: '/', path: '/', headers: {} }).end(200);
    await tracing?.close();
    for (const [key, stringValue] of [
      ['service.name', 'test'],
      ['service.version', '1.2.3'],
      ['service.instance.id', 'replica-1'],
    ]) {
      expect(receiver.payload()).toContain(JSON.stringify({ key, value: { stringValue } }));
    }
    await receiver.close();
  });
});

describe('tracing where no address is given', () => {
  it('is off', async () => {
    expect(await startTracing({ tracesUrl: undefined }, build, silentLog)).toBeUndefined();
  });
});

describe('tracing that is closed', () => {
  it('leaves no timer behind', async () => {
    const timers = countTimers();
    const tracing = await startTracing({ tracesUrl: 'http://127.0.0.1:9/v1/traces' }, build, silentLog);
    await tracing?.close();
    expect(countTimers()).toBe(timers);
  });
});
