import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import type { Tracing } from '@gatehouse/service-kit/tracing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFollowCall } from '../src/organization/follow-organization.ts';
import { createHttpOrganizationDirectory } from '../src/organization/http-organization-directory.ts';
import type { OrganizationDirectory } from '../src/organization/organization-directory.ts';
import { OrganizationUnavailableError } from '../src/protocol/organization-unavailable.ts';

describe('asking org-api', () => {
  let server: Server;
  let directory: OrganizationDirectory;
  /** Requests that are still to be met with a connection that breaks. */
  let breaking: number;
  let asked: number;
  /** The id that the organization answers with a failure. */
  let unanswerable: { id: string; status: number } | undefined;
  beforeEach(async () => {
    asked = 0;
    breaking = 0;
    unanswerable = undefined;
    server = createServer((request, response) => {
      asked += 1;
      breaking -= 1;
      if (breaking >= 0) return void request.socket.destroy();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const refused = unanswerable && Buffer.concat(chunks).includes(unanswerable.id);
        if (refused) response.statusCode = unanswerable?.status ?? 500;
        response.setHeader('content-type', 'application/json').end('{"users":[]}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    directory = createHttpOrganizationDirectory({
      url: `http://127.0.0.1:${port}`,
      ca: undefined,
      issueServiceToken: () => 'token',
      traceHeaders: () => ({}),
      followCall: (_path, call) => call(),
    });
  });
  afterEach(async () => {
    await directory.close();
    server.close();
  });

  const context = { address: '127.0.0.1', requestId: 'request' };
  const find = () => directory.findUserById('id', context);

  it('is measured by route and outcome, and is a span of the trace where tracing is on', async () => {
    const metrics = createMetrics();
    const spans: unknown[] = [];
    const inSpan = <T>(span: unknown, work: () => Promise<T>) => {
      spans.push(span);
      return work();
    };
    for (const tracing of [undefined, { inSpan } as unknown as Tracing]) {
      const followCall = createFollowCall({ metrics: tracing === undefined ? metrics : createMetrics(), tracing });
      expect(await followCall('/internal/directory/user-queries', async () => 'found')).toBe('found');
      await expect(
        followCall('/internal/directory/password-checks', () => Promise.reject(new Error('no'))),
      ).rejects.toThrow('no');
    }
    const attributes = { 'http.request.method': 'POST', 'url.template': '/internal/directory/user-queries' };
    expect(spans).toEqual([
      { name: 'POST /internal/directory/user-queries', kind: 'client', attributes },
      expect.objectContaining({ name: 'POST /internal/directory/password-checks' }),
    ]);
    const lines = (await metrics.print()).split('\n');
    const bounds = lines.filter((line) => line.includes('_bucket{route="user_queries"'));
    expect(bounds.map((line) => /le="([^"]+)"/.exec(line)?.[1])).toEqual([
      ...['0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf'],
    ]);
    const counts = lines.filter((line) => line.includes('_count{'));
    expect(counts).toEqual([
      'gatehouse_organization_request_duration_seconds_count{route="user_queries",outcome="answered"} 1',
      'gatehouse_organization_request_duration_seconds_count{route="password_checks",outcome="failed"} 1',
    ]);
  });

  it('is tried once more where the connection broke, as it does when a replica stops', async () => {
    breaking = 1;
    expect([await find(), asked]).toEqual([undefined, 2]);
  });

  it('is given up where it breaks again', async () => {
    breaking = 2;
    await expect(find()).rejects.toThrow(OrganizationUnavailableError);
    expect(asked).toBe(2);
  });

  it.each([400, 500])('asks for each user alone where the organization answers %d for several', async (status) => {
    unanswerable = { id: 'bad', status };
    const found = await Promise.allSettled(['one', 'bad', 'two'].map((id) => directory.findUserById(id, context)));
    expect(found.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(asked).toBe(4);
  });

  it('asks no more where the organization cannot answer now', async () => {
    unanswerable = { id: 'bad', status: 503 };
    const found = await Promise.allSettled(['one', 'bad', 'two'].map((id) => directory.findUserById(id, context)));
    expect(found.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(asked).toBe(1);
  });

  it('checks a password only once, because a check that broke off may have counted as a guess', async () => {
    breaking = 1;
    const credentials = { username: 'ada@example.com', password: 'a guess', clientId: 'my-app' };
    await expect(directory.checkPassword(credentials, context)).rejects.toThrow(OrganizationUnavailableError);
    expect(asked).toBe(1);
  });

  const credentials = { username: 'ada@example.com', password: 'a guess' };
  const knownBrowsers = [{ id: 'browser', userId: 'ada', passwordChangedAt: 1 }];

  it('checks a password without the known browsers where org-api is of a release that does not know them', async () => {
    unanswerable = { id: 'knownBrowsers', status: 400 };
    await directory.checkPassword({ ...credentials, knownBrowsers }, context);
    expect(asked).toBe(2);
  });

  it.each([
    ['for other reasons', 500, knownBrowsers],
    ['where it knows of no browser', 400, []],
  ])('checks a password only once %s', async (_, status, browsers) => {
    unanswerable = { id: 'ada@example.com', status };
    const answer = directory.checkPassword({ ...credentials, knownBrowsers: browsers }, context);
    await expect(answer).rejects.toThrow(OrganizationUnavailableError);
    expect(asked).toBe(1);
  });
});
