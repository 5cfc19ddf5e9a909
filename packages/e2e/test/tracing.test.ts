import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createTestDatabase,
  findFreePort,
  type Gatehouse,
  type OtlpReceiver,
  type ReceivedSpan,
  type ServiceName,
  startGatehouse,
  startOtlpReceiver,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Credentials, registerClient, serviceAccountKind } from './support/clients.ts';
import { type Secrets, travel } from './support/journey.ts';
import { postToken } from './support/tokens.ts';
import { atOnce } from './support/wait.ts';

// Each starts and ends processes several times, on a machine that may be busy.
jest.setTimeout(240_000);

const server = 2;
const client = 3;

const newTrace = () => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
};

describe('tracing, once an endpoint is configured', () => {
  let receiver: OtlpReceiver;
  let gatehouse: Gatehouse;
  let spans: ReceivedSpan[];
  let secrets: Secrets;
  const single = newTrace();
  const notSampled = newTrace();
  const many = Array.from({ length: 24 }, newTrace);

  /** Tokens of a service account: auth-server asks org-api for the Robot. */
  const ask = async (basic: Credentials, traceparent: string) => {
    const form = { grant_type: 'client_credentials' };
    const answer = await postToken(gatehouse, { basic, form, headers: { traceparent, 'x-canary': 'SECRET-header' } });
    expect(answer.status).toBe(200);
    secrets.set(`token ${traceparent}`, answer.json<{ access_token: string }>().access_token);
  };

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    // Nothing is sent before the process ends, unless there is a lot of it.
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, OTEL_BSP_SCHEDULE_DELAY: '60000' };
    const traced = { 'auth-server': env, 'org-api': { ...env, OTEL_SERVICE_NAME: 'organization' } };
    gatehouse = await startGatehouse({ dialect: 'sqlite', env: traced });
    ({ secrets } = await travel(gatehouse));
    secrets.set('a header', 'SECRET-header');
    const basic = await registerClient(gatehouse, serviceAccountKind());
    await ask(basic, single.traceparent);
    await ask(basic, notSampled.traceparent.replace(/01$/, '00'));
    await atOnce(many.length, (index) => ask(basic, many[index]?.traceparent ?? ''));
    expect(await gatehouse.authServer.stop()).toBe(0);
    expect(await gatehouse.orgApi.stop()).toBe(0);
    spans = receiver.spans();
  });
  afterAll(async () => {
    await gatehouse?.stop();
    await receiver?.close();
  });

  const find = (traceId: string, service: string, name: string, kind: number): ReceivedSpan => {
    const found = spans.find(
      (span) => span.traceId === traceId && span.service === service && span.name === name && span.kind === kind,
    );
    if (found === undefined) throw new Error(`no ${name} of ${service}: ${JSON.stringify(spans.slice(-40))}`);
    return found;
  };
  const lookup = 'POST /internal/directory/user-queries';

  test('continues the caller’s trace through both services, span below span', () => {
    const token = find(single.traceId, 'auth-server', 'POST /oauth/token', server);
    const call = find(single.traceId, 'auth-server', lookup, client);
    const answer = find(single.traceId, 'organization', lookup, server);
    const statement = find(single.traceId, 'organization', 'SELECT users', client);
    expect(token.parentSpanId).toBe(single.spanId);
    expect(call.parentSpanId).toBe(token.spanId);
    expect(answer.parentSpanId).toBe(call.spanId);
    expect(statement.parentSpanId).toBe(answer.spanId);
  });

  test('describes requests, calls, statements and hashes by the semantic conventions, and by closed sets of words', () => {
    const token = find(single.traceId, 'auth-server', 'POST /oauth/token', server);
    expect(token.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/oauth/token',
      'url.path': '/oauth/token',
      'http.response.status_code': 200,
    });
    const call = find(single.traceId, 'auth-server', lookup, client);
    expect(call.attributes).toEqual({
      'http.request.method': 'POST',
      'url.template': '/internal/directory/user-queries',
    });
    const statement = find(single.traceId, 'auth-server', 'SELECT clients', client);
    expect(statement.attributes).toEqual({
      'db.system.name': 'sqlite',
      'db.operation.name': 'SELECT',
      'db.collection.name': 'clients',
    });
    find(single.traceId, 'auth-server', 'argon2id verify', 1);
  });

  test('keeps concurrent requests apart: every span hangs below one of its own trace', () => {
    for (const { traceId, spanId } of many) {
      const own = spans.filter((span) => span.traceId === traceId);
      const ids = new Set([spanId, ...own.map((span) => span.spanId)]);
      expect(own.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''))).toEqual([]);
      expect(find(traceId, 'auth-server', 'POST /oauth/token', server).parentSpanId).toBe(spanId);
    }
  });

  test('honours the caller’s decision not to sample', () => {
    expect(spans.filter(({ traceId }) => traceId === notSampled.traceId)).toEqual([]);
  });

  test('covers the journey, sign-in pages and administration included, and leaves out probes and scrapes', () => {
    const routes = new Set(spans.filter(({ kind }) => kind === server).map(({ name }) => name));
    for (const route of ['POST /clients', 'GET /oauth/authorize', 'POST /oauth/sign-in', 'POST /oauth/introspect']) {
      expect(routes).toContain(route);
    }
    expect([...routes].filter((name) => /health|metrics/.test(name))).toEqual([]);
    const administered = spans.find(({ name, kind }) => name === 'POST /clients' && kind === server)?.traceId ?? '';
    find(administered, 'organization', 'POST /internal/directory/password-checks', server);
  });

  test('tells no secret, in whatever form, and no query', () => {
    const payload = receiver.payload();
    expect(payload.length).toBeGreaterThan(10_000);
    const forms = (value: string) => [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString('base64').replace(/=+$/, ''),
      Buffer.from(value).toString('hex'),
    ];
    const told = [...secrets].filter(([, value]) => forms(value).some((form) => payload.includes(form)));
    expect(told.map(([what]) => what)).toEqual([]);
    expect(spans.filter(({ attributes }) => String(attributes['url.path']).includes('?'))).toEqual([]);
    expect(payload).not.toMatch(/Basic [A-Za-z0-9+/]{8,}|Bearer [\w-]{8,}|\$argon2|eyJ[\w-]+\./);
  });

  test('lets the log lines of a request be found by its trace, at both services', () => {
    const lines = (output: string) => output.split('\n').filter((line) => line.includes(single.traceId));
    const [authLine] = lines(gatehouse.authServer.output()).map((line) => JSON.parse(line));
    const [orgLine] = lines(gatehouse.orgApi.output()).map((line) => JSON.parse(line));
    expect(authLine).toMatchObject({
      path: '/oauth/token',
      span_id: find(single.traceId, 'auth-server', 'POST /oauth/token', server).spanId,
    });
    expect(orgLine).toMatchObject({ path: '/internal/directory/user-queries', trace_id: single.traceId });
  });
});

/** The modules of a service that ran, by Node's own account. */
async function listModules(name: ServiceName, env: Record<string, string>): Promise<string[]> {
  const [folder, port, database] = await Promise.all([
    mkdtemp(join(tmpdir(), 'gatehouse-modules-')),
    findFreePort(),
    createTestDatabase('sqlite'),
  ]);
  const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
  const service = await startServiceProcess({
    name,
    port,
    env: { DATABASE_URL: database.url, KEY_ENCRYPTION_KEY, NODE_V8_COVERAGE: folder, ...env },
  });
  expect(await service.stop()).toBe(0);
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  await Promise.all([database.drop(), rm(folder, { recursive: true })]);
  return texts.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url));
}

describe('tracing that is off', () => {
  test.each(['auth-server', 'org-api'] as const)('is not even loaded by %s', async (name) => {
    // What the SDK is recognised by, in a file of the bundle or in one of its own.
    const isTracing = (url: string) =>
      url.startsWith('file:') && /exports\.BatchSpanProcessor ?=/.test(readFileSync(fileURLToPath(url), 'utf8'));
    const off = await listModules(name, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_SDK_DISABLED: 'true',
    });
    expect(off.some((url) => url.endsWith(`apps/${name}/dist/main.js`))).toBe(true);
    expect(off.filter(isTracing)).toEqual([]);
    const on = await listModules(name, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(on.filter(isTracing).length).toBeGreaterThan(0);
  });
});

describe('tracing to a receiver that is not there', () => {
  test('changes no answer, is said once in the log, and does not hold up the end', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_BSP_SCHEDULE_DELAY: '50' };
    const gatehouse = await startGatehouse({ dialect: 'sqlite', env: { 'auth-server': env, 'org-api': env } });
    const basic = await registerClient(gatehouse, serviceAccountKind());
    for (let index = 0; index < 5; index += 1) {
      expect((await postToken(gatehouse, { basic, form: { grant_type: 'client_credentials' } })).status).toBe(200);
    }
    const startedAt = performance.now();
    expect(await gatehouse.authServer.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(9_500);
    const warnings = gatehouse.authServer
      .output()
      .split('\n')
      .filter((line) => line.includes('cannot be delivered'));
    expect(warnings).toHaveLength(1);
    await gatehouse.stop();
  });
});
