import { randomBytes } from 'node:crypto';
import { startTracing, type Tracing } from '@gatehouse/service-kit/tracing';
import { type OtlpReceiver, startOtlpReceiver } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest } from './support/browser.ts';
import { type Realm, startRealm, webClient } from './support/realm.ts';
import { silentLog } from './support/stores.ts';

const robotClient = {
  client_id: 'robot',
  client_secret: 'robot-secret',
  scope: ['openid'],
  authorized_grant_types: ['service_account'],
  srvc_ac_user_name: 'robot@example.com',
};
const kinds: Readonly<Record<number, string>> = { 1: 'internal', 2: 'server', 3: 'client' };

describe('both services, traced', () => {
  let receiver: OtlpReceiver;
  let realm: Realm;
  const traces = { tokens: newTrace(), signIn: newTrace(), details: newTrace(), nothing: newTrace() };
  const figures: string[] = [];

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    const tracings: Tracing[] = [];
    const observe = async (service: string) => {
      const build = { service, version: '1.2.3' };
      const tracing = await startTracing({ tracesUrl: `${receiver.endpoint}/v1/traces` }, build, silentLog);
      if (tracing === undefined) throw new Error('tracing is off');
      tracings.push(tracing);
      return { build, tracing };
    };
    const [observation, observationOfOrgApi] = [await observe('auth-server'), await observe('org-api')];
    realm = await startRealm({}, { observation, observationOfOrgApi });
    await realm.register(webClient);
    await realm.register(robotClient);
    const headersOf = (trace: Trace) => ({ traceparent: trace.traceparent });
    const { access_token } = await realm.tokens(
      robotClient,
      { grant_type: 'service_account' },
      headersOf(traces.tokens),
    );
    await fetch(`${realm.orgUrl}/organization/api/organization/user/allDetails/userId/robot@example.com`, {
      headers: { authorization: `Bearer ${access_token}`, ...headersOf(traces.details) },
    });
    await realm.send('/nowhere?code=hush', { headers: headersOf(traces.nothing) });
    await realm.send('/health/ready', { headers: headersOf(traces.nothing) });
    for (const url of [realm.url, realm.orgUrl]) figures.push(await (await fetch(`${url}/metrics`)).text());
    const answer = await realm.send(authorizePath(codeRequest), { headers: headersOf(traces.signIn) });
    expect(answer.status).toBe(200);
    await realm.close();
    for (const tracing of tracings) await tracing.close();
  });
  afterAll(() => receiver.close());

  const spansOf = ({ traceId }: Trace) => receiver.spans().filter((span) => span.traceId === traceId);
  /** What hangs below what, each once. */
  const listSteps = (trace: Trace): string[] => {
    const listBelow = (parent: string, way: string): string[] =>
      spansOf(trace)
        .filter(({ parentSpanId }) => parentSpanId === parent)
        .flatMap((span) => {
          const step = `${way}${span.service} ${kinds[span.kind]} ${span.name}`;
          return [step, ...listBelow(span.spanId, `${step} > `)];
        });
    return [...new Set(listBelow(trace.spanId, ''))].sort();
  };
  const readAttributes = (trace: Trace, name: string) => spansOf(trace).find((span) => span.name === name)?.attributes;
  const below = (parent: string, ...steps: string[]) => [parent, ...steps.map((step) => `${parent} > ${step}`)];

  it('continue the trace of a caller from one to the other, step below step', () => {
    const query = 'POST /internal/directory/user-queries';
    const token = 'auth-server server POST /oauth/token';
    const own = ['clients', 'failed_attempts', 'known_networks', 'resources', 'status_blocks'];
    expect(listSteps(traces.tokens)).toEqual(
      [
        ...below(
          token,
          ...own.map((table) => `auth-server client SELECT ${table}`),
          ...['failed_attempts', 'known_networks', 'status_blocks'].map(
            (table) => `auth-server client INSERT ${table}`,
          ),
          'auth-server client DELETE failed_attempts',
          'auth-server internal argon2id verify',
        ),
        ...below(
          `${token} > auth-server client ${query}`,
          ...below(`org-api server ${query}`, 'org-api client SELECT users', 'org-api client INSERT used_identifiers'),
        ),
      ].sort(),
    );
    const page = 'auth-server server GET /oauth/authorize';
    // The limits of org-api and the upstreams are read here too, unless the request before has read them a moment ago.
    const steps = listSteps(traces.signIn).filter((step) => !/SELECT (resources|upstreams)$/.test(step));
    const settings = 'POST /internal/directory/settings';
    expect(steps).toEqual([
      ...below(
        page,
        ...below(
          `auth-server client ${settings}`,
          ...below(`org-api server ${settings}`, 'org-api client INSERT used_identifiers'),
        ),
        'auth-server client SELECT client_logos',
        'auth-server client SELECT clients',
      ),
    ]);
    const route = '/organization/api/organization/user/allDetails/userId/:username';
    const list = 'org-api client GET /oauth/status-lists/{id} > auth-server server GET /oauth/status-lists/:listId';
    expect(listSteps(traces.details)).toEqual(
      expect.arrayContaining(
        below(
          `org-api server GET ${route}`,
          ...['org-api client SELECT users', list, `${list} > auth-server client SELECT status_revocations`],
        ),
      ),
    );
  });

  it('describe requests, calls and statements by the semantic conventions', () => {
    expect(readAttributes(traces.tokens, 'POST /oauth/token')).toEqual({
      'http.request.method': 'POST',
      'url.path': '/oauth/token',
      'http.route': '/oauth/token',
      'http.response.status_code': 200,
    });
    expect(readAttributes(traces.tokens, 'SELECT clients')).toEqual({
      'db.system.name': 'sqlite',
      'db.operation.name': 'SELECT',
      'db.collection.name': 'clients',
    });
    expect(readAttributes(traces.details, 'GET /oauth/status-lists/{id}')).toEqual({
      'http.request.method': 'GET',
      'url.template': '/oauth/status-lists/{id}',
    });
  });

  it('have one span for what leads nowhere, and none for what machines ask every few seconds', () => {
    expect(spansOf(traces.nothing)).toEqual([
      expect.objectContaining({
        ...{ service: 'auth-server', name: 'GET', failed: false },
        attributes: { 'http.request.method': 'GET', 'url.path': '/nowhere', 'http.response.status_code': 404 },
      }),
    ]);
  });

  it('say in their figures which of them in which version runs', () => {
    const builds = figures.map((text) => text.split('\n').filter((line) => line.startsWith('gatehouse_build_info')));
    expect(builds).toEqual([
      ['gatehouse_build_info{service="auth-server",version="1.2.3"} 1'],
      ['gatehouse_build_info{service="org-api",version="1.2.3"} 1'],
    ]);
  });
});

interface Trace {
  traceId: string;
  spanId: string;
  traceparent: string;
}

function newTrace(): Trace {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}
