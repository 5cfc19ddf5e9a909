import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OverloadedError } from '@gatehouse/service-kit';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import type { Tracing } from '@gatehouse/service-kit/tracing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createFollowCall, type FollowCall } from '../../src/organization/follow-organization.ts';
import { createHttpOrganizationDirectory } from '../../src/organization/http-organization-directory.ts';
import type { OrganizationDirectory } from '../../src/organization/organization-directory.ts';
import { OrganizationUnavailableError } from '../../src/protocol/organization-unavailable.ts';

/** Time passes when the test says so, from before the first connection on; what comes over the network goes on. */
beforeAll(() => {
  const others = ['performance', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const;
  jest.useFakeTimers({ doNotFake: [...others] });
});
afterAll(() => void jest.useRealTimers());

describe('asking org-api', () => {
  let server: Server;
  let directory: OrganizationDirectory;
  /** Requests that are still to be met with a connection that breaks. */
  let breaking: number;
  let asked: number;
  /** The bodies of the calls, in the order in which they were begun. */
  let questions: string[];
  /** The id that the organization answers with a failure. */
  let unanswerable: { id: string; status: number } | undefined;
  /** The path that the organization does not know. */
  let missing: string | undefined;
  /** What the organization answers where it can. */
  let content: object;
  /** How far it comes with an answer that it does not finish. */
  let stops: 'before' | 'within' | undefined;
  /** Where the calls arrived. */
  let paths: (string | undefined)[];
  beforeEach(async () => {
    asked = 0;
    questions = [];
    paths = [];
    content = { users: [] };
    stops = undefined;
    breaking = 0;
    unanswerable = undefined;
    missing = undefined;
    server = createServer((request, response) => {
      asked += 1;
      paths.push(request.url);
      breaking -= 1;
      if (breaking >= 0) return void request.socket.destroy();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.statusCode = statusOf(request.url, Buffer.concat(chunks));
        if (stops === 'before') return;
        response.setHeader('content-type', 'application/json');
        if (stops === 'within') return void response.write('{');
        response.end(JSON.stringify(content));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    directory = connect();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    server.closeAllConnections();
    await directory.close();
    server.close();
  });

  const statusOf = (path: string | undefined, body: Buffer) => {
    if (path === missing) return 404;
    return unanswerable !== undefined && body.includes(unanswerable.id) ? unanswerable.status : 200;
  };
  const connect = (path = '', followCall: FollowCall = (_path, call) => call()) =>
    createHttpOrganizationDirectory({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
      ca: undefined,
      issueServiceToken: ({ body }) => {
        questions.push(body);
        return 'token';
      },
      traceHeaders: () => ({}),
      followCall,
    });
  const context = { address: '127.0.0.1', requestId: 'request' };
  const find = () => directory.findUserById('id', context);

  /** What a call came to, once all that is under way has arrived. */
  const stateOf = async (call: Promise<unknown>) => {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    return Promise.race([call, Promise.resolve('waiting')]);
  };

  /** Stops the clock that durations are read from; gives what lets milliseconds pass. */
  const stopTime = () => {
    let at = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => at);
    return (milliseconds: number) => {
      at += milliseconds;
      jest.advanceTimersByTime(milliseconds);
    };
  };

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

  it('is measured in seconds', async () => {
    const metrics = createMetrics();
    const followCall = createFollowCall({ metrics, tracing: undefined });
    const pass = stopTime();
    await followCall('/internal/directory/user-queries', async () => pass(250));
    const sum = 'gatehouse_organization_request_duration_seconds_sum{route="user_queries",outcome="answered"}';
    expect(await metrics.print()).toContain(`${sum} 0.25\n`);
  });

  it.each([
    ['', '/internal/directory/user-queries'],
    ['/inside', '/inside/internal/directory/user-queries'],
  ])('goes to the paths below its address: %j', async (base, path) => {
    const other = connect(base);
    await other.findUserById('id', context);
    await other.close();
    expect(paths).toEqual([path]);
  });

  it.each(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])(
    'is tried once more where its connection ended: %s',
    async (code) => {
      let calls = 0;
      const other = connect('', (_path, call) => {
        calls += 1;
        return calls === 1 ? Promise.reject(Object.assign(new Error('ended'), { code })) : call();
      });
      expect(await other.findUserById('id', context)).toBeUndefined();
      await other.close();
      expect([calls, asked]).toEqual([2, 1]);
    },
  );

  it.each([
    ['begin', 'before'],
    ['finish', 'within'],
  ] as const)('is given up when org-api does not %s an answer for 8 seconds', async (_what, how) => {
    stops = how;
    const call = find().catch((error: unknown) => error);
    await once(server, 'request');
    expect(await stateOf(call)).toBe('waiting');
    jest.advanceTimersByTime(7_000);
    expect(await stateOf(call)).toBe('waiting');
    jest.advanceTimersByTime(2_000);
    expect(await stateOf(call)).toBeInstanceOf(OrganizationUnavailableError);
  });

  it('takes no more than 64 connections to look users up', async () => {
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    await Promise.all(Array.from({ length: 65 }, (_, turn) => directory.findUserByUsername(`user-${turn}`, context)));
    expect([asked, connections]).toEqual([65, 64]);
  });

  it('uses a connection again after a refusal, however long that is', async () => {
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    unanswerable = { id: 'id', status: 503 };
    content = { users: [], text: 'x'.repeat(100_000) };
    for (let turn = 0; turn < 2; turn += 1) await expect(find()).rejects.toThrow(OrganizationUnavailableError);
    expect([asked, connections]).toEqual([2, 1]);
  });

  it('is over once the directory is closed', async () => {
    const other = connect();
    await other.close();
    await expect(other.findUserById('id', context)).rejects.toThrow(OrganizationUnavailableError);
    expect(asked).toBe(0);
  });

  it('finds no recent user where there is none', async () => {
    expect(await directory.findRecentUser('id', ({ enabled }) => enabled, context)).toBeUndefined();
  });

  it('looks a user in demand up again when the answer is half a second old, with all others of 25 ms', async () => {
    const ids = ['one', 'two'];
    content = { users: ids.map((id) => ({ id })) };
    const findRecent = (id: string) => directory.findRecentUser(id, () => true, context);
    const pass = stopTime();
    await Promise.all(ids.map(findRecent));
    pass(500);
    await findRecent('one');
    pass(1);
    await findRecent('one');
    pass(24);
    await findRecent('two');
    expect(questions).toEqual([JSON.stringify({ ids })]);
    pass(1);
    expect(questions).toEqual([JSON.stringify({ ids }), JSON.stringify({ ids })]);
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

  it('cuts a username and a password that are longer than any', async () => {
    const text = 'x'.repeat(4_096);
    await directory.checkPassword({ username: `${text}1`, password: `${text}2` }, context);
    expect(JSON.parse(questions[0] ?? '')).toMatchObject({ username: text, password: text });
  });

  it('is refused for a while where the organization checks too many passwords', async () => {
    content = { outcome: 'busy', retryAfter: 3 };
    const answer = directory.checkPassword(credentials, context);
    await expect(answer).rejects.toThrow(OverloadedError);
    await expect(answer).rejects.toMatchObject({ retryAfter: 3 });
  });

  it('checks no password where the organization refuses to', async () => {
    unanswerable = { id: 'ada@example.com', status: 401 };
    await expect(directory.checkPassword(credentials, context)).rejects.toThrow(OrganizationUnavailableError);
  });

  it('checks a password without asking for a second step where org-api is of the release before, which has none', async () => {
    unanswerable = { id: 'understands', status: 400 };
    missing = '/internal/directory/settings';
    await directory.checkPassword({ ...credentials, knownBrowsers }, context);
    expect(JSON.parse(questions.at(-1) ?? '')).toMatchObject({ username: 'ada@example.com', knownBrowsers });
    expect(asked).toBe(3);
  });

  it('leaves out all that such an org-api does not know, and nothing else', async () => {
    unanswerable = { id: 'understands', status: 400 };
    missing = '/internal/directory/settings';
    const known = knownBrowsers.map((one) => ({ ...one, since: 1_700_000_000_000 }));
    await directory.checkPassword({ ...credentials, browser: 'Firefox on Windows', knownBrowsers: known }, context);
    const [first, , last] = questions.map((question) => JSON.parse(question || '{}') as Record<string, unknown>);
    const { username, password } = credentials;
    const asBefore = { username, password, address: context.address };
    expect(first).toEqual({
      ...{ ...asBefore, understands: ['second_step'], browser: 'Firefox on Windows', knownBrowsers: known },
    });
    expect(last).toEqual({ ...asBefore, knownBrowsers });
    await directory.checkPassword({ ...credentials, browser: 'Firefox on Windows' }, context);
    expect(JSON.parse(questions.at(-1) ?? '')).toEqual(asBefore);
  });

  describe('where a replica of org-api knows second steps', () => {
    beforeEach(() => {
      unanswerable = { id: 'understands', status: 400 };
    });

    it('never does so', async () => {
      await expect(directory.checkPassword(credentials, context)).rejects.toThrow(OrganizationUnavailableError);
      expect(questions.filter((question) => question.includes('a guess') && !question.includes('understands'))).toEqual(
        [],
      );
    });

    it('never does so afterwards, where that replica is gone', async () => {
      await directory.readSettings(context);
      missing = '/internal/directory/settings';
      await expect(directory.checkPassword(credentials, context)).rejects.toThrow(OrganizationUnavailableError);
      expect(questions.filter((question) => question.includes('a guess') && !question.includes('understands'))).toEqual(
        [],
      );
    });

    it('asks as before over other connections, until one leads to it', async () => {
      content = { outcome: 'wrong' };
      const sockets = new Set<unknown>();
      server.prependListener('request', ({ socket }) => {
        sockets.add(socket);
        if (sockets.size === 4) unanswerable = undefined;
      });
      expect(await directory.checkPassword(credentials, context)).toEqual(content);
      const checks = questions.filter((question) => question.includes('understands'));
      expect([checks.length, new Set(checks).size]).toEqual([4, 1]);
    });
  });

  it('checks a password only once for other reasons', async () => {
    unanswerable = { id: 'ada@example.com', status: 500 };
    const answer = directory.checkPassword({ ...credentials, knownBrowsers }, context);
    await expect(answer).rejects.toThrow(OrganizationUnavailableError);
    expect(asked).toBe(1);
  });
});
