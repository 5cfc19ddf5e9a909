import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createId } from '@gatehouse/service-kit';
import { type Answer, call, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent } from 'undici';
import { listExpiresAt, listIdOf } from '../../src/protocol/token-status.ts';
import type { StatusStore } from '../../src/status-lists/status-store.ts';
import { start } from '../support/builders.ts';
import { createEnding, readBits } from '../support/status.ts';
import { type StatusListServer, startStatusListServer } from '../support/status-list-server.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const tagOf = ({ headers }: Answer) => String(headers.etag);
const waiting = 'gatehouse_status_list_waiting_readers';
const refusedBy = (reason: string) => `gatehouse_status_list_refused_waits_total{reason="${reason}"}`;

/** Milliseconds: several readings of the database, on a machine that has other things to do; `npm run bench` measures. */
const soon = 1_000;

async function measure<T>(act: Promise<T>): Promise<[result: T, milliseconds: number]> {
  const startedAt = performance.now();
  const result = await act;
  return [result, performance.now() - startedAt];
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it never happened');
    await sleep(5);
  }
}

describe.each(testDialects)('a status list that is waited for, on %s', (dialect) => {
  let test: TestStores;
  let ending: ReturnType<typeof createEnding>;
  let isAway = false;
  let here: StatusListServer;
  let there: StatusListServer;
  let now = start;
  const clock = () => now;
  // Each wait has a connection of its own.
  const dispatcher = new Agent({ connections: null, pipelining: 1, keepAliveTimeout: 10, keepAliveMaxTimeout: 10 });

  /** A store whose database may be away. */
  const mayBeAway = (statuses: StatusStore): StatusStore => {
    const away = () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    return {
      ...statuses,
      read: (listId) => (isAway ? away() : statuses.read(listId)),
      readExtents: (listIds) => (isAway ? away() : statuses.readExtents(listIds)),
    };
  };
  const startServer = ({ statuses, grantStatuses }: Pick<TestStores, 'statuses' | 'grantStatuses'> = test) =>
    startStatusListServer({
      ...{ statuses: mayBeAway(statuses), grantStatuses },
      ...{ signingKeys: ending.signingKeys, clock },
    });

  beforeAll(async () => {
    test = await openStores(dialect);
    ending = createEnding(test, { clock });
    await ending.signingKeys.load();
    here = await startServer();
    there = await startServer(test.onReplica);
  });
  afterAll(async () => {
    await dispatcher.close();
    await Promise.all([here, there].map((server) => server?.close()));
    await test.close();
  });

  let nextIndex = 0;
  let lastList = listIdOf(start / 1000);
  /** A list that no other test uses: at most 26 can be in force. */
  const openList = async () => {
    lastList += 1;
    const expiresAt = listExpiresAt(lastList);
    await test.statuses.reserve({
      listId: lastList,
      registrationId: createId(),
      generation: 0,
      size: 4_096,
      expiresAt,
    });
    return lastList;
  };
  const get = (server: StatusListServer, listId: number, headers: Record<string, string> = {}) =>
    call(server.urlOf(listId), { headers, dispatcher });
  const waitFor = (server: StatusListServer, listId: number, tag: string, prefer = 'wait=10') =>
    get(server, listId, { prefer, 'if-none-match': tag });
  const revoke = async (server: StatusListServer, listId: number) => {
    nextIndex += 1;
    await server.statusLists.revoke([{ listId, index: nextIndex }]);
    return nextIndex;
  };
  const untilWaiting = (server: StatusListServer, count: number) =>
    until(async () => (await server.readMetric(waiting)) === count);

  let shared: number;
  let tag: string;
  beforeAll(async () => {
    shared = await openList();
    tag = tagOf(await get(here, shared));
  });

  it('is answered when it changes, at every replica, and not before', async () => {
    const listId = await openList();
    const first = tagOf(await get(here, listId));
    const readers = [here, there].map((server) => waitFor(server, listId, first));
    await Promise.all([here, there].map((server) => untilWaiting(server, 1)));
    await sleep(250);
    expect(await Promise.race([...readers, 'still waiting'])).toBe('still waiting');
    const index = await revoke(here, listId);
    const [answers, milliseconds] = await measure(Promise.all(readers));
    expect(milliseconds).toBeLessThan(soon);
    for (const answer of answers) {
      expect([answer.status, answer.headers['preference-applied']]).toEqual([200, 'wait']);
      expect([answer.headers.vary, answer.headers['cache-control']]).toEqual(['Prefer', 'no-store']);
      expect(readBits(answer.text).revoked).toEqual([index]);
      expect(tagOf(answer)).not.toBe(first);
    }
    expect(new Set(answers.map(tagOf)).size).toBe(1);
  });

  it('is a 304 when the time is over', async () => {
    const [answer, milliseconds] = await measure(waitFor(here, shared, tag, 'wait=1'));
    expect([answer.status, answer.text, tagOf(answer)]).toEqual([304, '', tag]);
    expect([answer.headers['preference-applied'], answer.headers['cache-control'], answer.headers.vary]).toEqual([
      ...['wait', 'no-store', 'Prefer'],
    ]);
    expect(milliseconds).toBeGreaterThan(950);
    expect(milliseconds).toBeLessThan(1_800);
  });

  it('is answered to a reader that has an older one, a reading of the database later', async () => {
    const listId = await openList();
    const first = tagOf(await get(here, listId));
    await revoke(there, listId);
    const [answer, milliseconds] = await measure(waitFor(here, listId, first));
    expect([answer.status, answer.headers['preference-applied'], readBits(answer.text).revoked]).toEqual([
      ...[200, 'wait', [nextIndex]],
    ]);
    expect(milliseconds).toBeLessThan(soon);
  });

  it('is never answered by a replica that has an older one than the reader', async () => {
    const listId = await openList();
    const before = tagOf(await get(there, listId));
    await revoke(here, listId);
    const current = tagOf(await get(here, listId));
    expect(current).not.toBe(before);
    // What the other replica built may be handed out for half a second; a wait reads the database.
    const answer = await waitFor(there, listId, current, 'wait=1');
    expect([answer.status, tagOf(answer)]).toEqual([304, current]);
  });

  it('is answered again only when it has changed again, and at most once for each reading of the database', async () => {
    const listId = await openList();
    let current = tagOf(await get(here, listId));
    let answers = 0;
    let isRevoking = true;
    const revoking = (async () => {
      const deadline = performance.now() + 1_000;
      while (performance.now() < deadline) {
        await revoke(there, listId);
        await sleep(10);
      }
      isRevoking = false;
    })();
    while (isRevoking) {
      current = tagOf(await waitFor(here, listId, current));
      answers += 1;
    }
    await revoking;
    expect(answers).toBeLessThanOrEqual(13);
    expect(answers).toBeGreaterThan(3);
  });

  it('is not answered because it was signed again in another hour, until the time is over', async () => {
    const listId = await openList();
    const first = tagOf(await get(here, listId));
    try {
      const reader = waitFor(here, listId, first, 'wait=1');
      await untilWaiting(here, 1);
      now += 3_600_000;
      const [answer, milliseconds] = await measure(reader);
      expect([answer.status, answer.headers['preference-applied']]).toEqual([200, 'wait']);
      expect(tagOf(answer)).not.toBe(first);
      expect(milliseconds).toBeGreaterThan(800);
    } finally {
      now = start;
    }
  });

  it('is answered when it has grown beyond its end, since readers would not know of tokens there', async () => {
    const listId = await openList();
    const reader = waitFor(here, listId, tagOf(await get(here, listId)));
    await untilWaiting(here, 1);
    const expiresAt = listExpiresAt(listId);
    await test.statuses.reserve({ listId, registrationId: createId(), generation: 0, size: 131_072, expiresAt });
    const [answer, milliseconds] = await measure(reader);
    expect(readBits(answer.text).length).toBe(262_144);
    expect(milliseconds).toBeLessThan(soon);
  });

  it.each<[title: string, headers: Record<string, string>, status: number]>([
    ['no If-None-Match', { prefer: 'wait=10' }, 200],
    ['an If-None-Match that names no list', { prefer: 'wait=10', 'if-none-match': '*' }, 200],
    ['a wait of 0', { prefer: 'wait=0' }, 304],
    ['a malformed wait', { prefer: 'wait=ten' }, 304],
    ['another preference', { prefer: 'respond-async' }, 304],
    ['no preference', {}, 304],
  ])('is answered at once to %s', async (_title, headers, status) => {
    const condition: Record<string, string> = status === 304 ? { 'if-none-match': tag } : {};
    const [answer, milliseconds] = await measure(get(here, shared, { ...condition, ...headers }));
    expect([answer.status, answer.headers['preference-applied']]).toEqual([status, undefined]);
    expect(answer.headers.vary).toBe('Prefer');
    const asksToWait = headers.prefer === 'wait=10';
    expect(answer.headers['cache-control']).toBe(asksToWait ? 'no-store' : 'public, max-age=1');
    expect(milliseconds).toBeLessThan(soon);
  });

  it('is waited for by a preference among others, in several headers', async () => {
    const socket = connect(Number(new URL(here.urlOf(shared)).port), '127.0.0.1');
    const lines = [
      'Host: a',
      'Prefer: respond-async',
      'prefer: foo="x, wait=0"; y, WAIT="1"',
      `If-None-Match: "x", ${tag}`,
    ];
    socket.write(`GET ${here.pathOf(shared)} HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
    const [text] = await measure(readAll(socket));
    expect(text).toMatch(/^HTTP\/1\.1 304 /);
    expect(text).toMatch(/^preference-applied: wait\r$/im);
  });

  it('is a 404 to readers that wait for one that there is not, or that ends', async () => {
    for (const none of [1, 2 ** 31, lastList + 20]) {
      const [answer, milliseconds] = await measure(waitFor(here, none, tag));
      expect([answer.status, answer.headers['cache-control']]).toEqual([404, 'no-store']);
      expect(milliseconds).toBeLessThan(soon);
    }
    const listId = await openList();
    const reader = waitFor(here, listId, tagOf(await get(here, listId)));
    await untilWaiting(here, 1);
    try {
      now = listExpiresAt(listId) + 3_600_000;
      expect((await reader).status).toBe(404);
    } finally {
      now = start;
    }
  });

  it('is read once every 100 ms, however many wait for however many lists, and not at all while nobody waits', async () => {
    const other = await openList();
    const otherTag = tagOf(await get(here, other));
    await sleep(300);
    const before = here.readings();
    await sleep(300);
    expect(here.readings()).toBe(before);
    const readers = Array.from({ length: 50 }, (_, turn) =>
      turn % 2 === 0 ? waitFor(here, shared, tag, 'wait=1') : waitFor(here, other, otherTag, 'wait=1'),
    );
    expect((await Promise.all(readers)).map(({ status }) => status)).toEqual(readers.map(() => 304));
    expect(here.readings() - before).toBeLessThanOrEqual(13);
    expect(here.readings() - before).toBeGreaterThan(4);
  });

  it('goes on being waited for while the database is away, and is answered when it is back', async () => {
    const listId = await openList();
    const reader = waitFor(here, listId, tagOf(await get(here, listId)));
    await untilWaiting(here, 1);
    await sleep(200);
    isAway = true;
    try {
      // A list counts as new for a second. A reader that comes later is told at once that nothing can be read.
      await sleep(1_200);
      const [late, milliseconds] = await measure(waitFor(here, listId, tag));
      expect([late.status, late.headers['preference-applied'], late.headers['retry-after']]).toEqual([
        503,
        undefined,
        '5',
      ]);
      expect(late.headers['cache-control']).toBe('no-store');
      expect(milliseconds).toBeLessThan(2_000);
      await revoke(there, listId);
    } finally {
      isAway = false;
    }
    expect([(await reader).status, readBits((await reader).text).revoked]).toEqual([200, [nextIndex]]);
  });

  it('is a 503 when the time is over and the database is away', async () => {
    const listId = await openList();
    const reader = waitFor(here, listId, tagOf(await get(here, listId)), 'wait=1');
    await untilWaiting(here, 1);
    await sleep(200);
    isAway = true;
    try {
      expect((await reader).status).toBe(503);
    } finally {
      isAway = false;
    }
  });

  it('gives the place of a reader that goes away to another at once', async () => {
    const leaving = new AbortController();
    const url = here.urlOf(shared);
    const headers = { prefer: 'wait=10', 'if-none-match': tag };
    const readers = Promise.allSettled(
      Array.from({ length: 3 }, () => fetch(url, { headers, signal: leaving.signal })),
    );
    await untilWaiting(here, 3);
    leaving.abort();
    const [, milliseconds] = await measure(untilWaiting(here, 0));
    expect(milliseconds).toBeLessThan(soon);
    await readers;
  });

  it('is not waited for by a request that was sent behind another on the same connection', async () => {
    const socket = connect(Number(new URL(here.urlOf(shared)).port), '127.0.0.1');
    const request = (seconds: number, connection: string) =>
      `GET ${here.pathOf(shared)} HTTP/1.1\r\nHost: a\r\nPrefer: wait=${seconds}\r\nIf-None-Match: ${tag}\r\nConnection: ${connection}\r\n\r\n`;
    socket.write(request(1, 'keep-alive') + request(10, 'keep-alive') + request(10, 'close'));
    await untilWaiting(here, 1);
    const [text, milliseconds] = await measure(readAll(socket));
    expect(milliseconds).toBeLessThan(2_000);
    expect(text.match(/^HTTP\/1\.1 304 /gm)).toHaveLength(3);
    expect(text.match(/^preference-applied: wait\r$/gim)).toHaveLength(1);
  });

  describe('by as many as may wait', () => {
    let server: StatusListServer;
    beforeAll(async () => {
      server = await startServer();
    });
    afterAll(() => server.close());

    const waitFrom = (address: string) =>
      server.app.inject({
        url: server.pathOf(shared),
        headers: { prefer: 'wait=30', 'if-none-match': tag, 'x-forwarded-for': address },
      });
    const expectRefusal = async (address: string) => {
      const [answer, milliseconds] = await measure(waitFrom(address));
      expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([304, undefined]);
      expect([answer.headers.vary, answer.headers['cache-control']]).toEqual(['Prefer', 'no-store']);
      expect(milliseconds).toBeLessThan(1_000);
    };

    it('lets 100 of a network wait, 500 strangers in all, and answers all of them at once when the process stops', async () => {
      const readers = Array.from({ length: 100 }, (_, host) => waitFrom(`2001:db8:1:1::${host.toString(16)}`));
      await untilWaiting(server, 100);
      await expectRefusal('2001:db8:1:1:ffff::1');
      expect(await server.readMetric(refusedBy('network'))).toBe(1);
      // The next /48, and IPv4 addresses one by one.
      await expectRefusal('2001:db8:1:2::1');
      readers.push(waitFrom('2001:db8:2:1::1'), waitFrom('192.0.2.1'), waitFrom('192.0.2.2'));
      await untilWaiting(server, 103);

      for (let host = 103; host < 500; host += 1) readers.push(waitFrom(`198.51.${host >> 6}.${host & 63}`));
      await untilWaiting(server, 500);
      await expectRefusal('203.0.113.1');
      expect(await server.readMetric(refusedBy('process'))).toBe(1);

      server.stopWaits();
      const [answers, milliseconds] = await measure(Promise.all(readers));
      expect(milliseconds).toBeLessThan(5_000);
      expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([304]));
      expect(answers.some(({ headers }) => headers['preference-applied'] !== undefined)).toBe(false);
      expect(answers.every(({ headers }) => headers.connection === 'close')).toBe(true);
      expect(await server.readMetric(waiting)).toBe(0);
      await expectRefusal('203.0.113.1');
      expect(await server.readMetric(refusedBy('stopping'))).toBe(1);
    });
  });

  it('lets a place be taken again, whatever ended the wait before', async () => {
    for (let round = 0; round < 3; round += 1) {
      const readers = Array.from({ length: 100 }, () => waitFor(here, shared, tag, 'wait=1'));
      const answers = await Promise.all(readers);
      expect(answers.filter(({ headers }) => headers['preference-applied'] === 'wait')).toHaveLength(100);
    }
    expect(await here.readMetric(waiting)).toBe(0);
  });
});

async function readAll(socket: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
