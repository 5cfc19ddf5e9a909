import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createAnswerReader } from '../src/load/answer-reader.ts';
import { buildFormRequest, buildRequest } from '../src/load/load.ts';
import { createRequestOrder } from '../src/load/request-order.ts';

const socketScript = fileURLToPath(new URL('../dist/load/socket-load.js', import.meta.url));

describe('a request', () => {
  it('is a whole HTTP/1.1 message', () => {
    const request = buildRequest({ path: '/clients', headers: { Accept: 'text/plain' }, body: 'ä' });
    expect(request).toBe(
      'POST /clients HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/plain\r\nContent-Length: 2\r\n\r\nä',
    );
  });
  it('of a client carries its secret as Basic', () => {
    const request = buildFormRequest('/oauth/token', { clientId: 'a', secret: 'b' }, { grant_type: 'x y' });
    expect(request).toContain(`Authorization: Basic ${Buffer.from('a:b').toString('base64')}\r\n`);
    expect(request.endsWith('\r\n\r\ngrant_type=x+y')).toBe(true);
  });
});

describe('an answer', () => {
  const message = 'HTTP/1.1 201 Created\r\ncontent-length: 4\r\n\r\nbody';

  it('is complete with its last byte, however it was cut', () => {
    const reader = createAnswerReader();
    for (const part of ['HTTP/1.1 20', '1 Created\r\nContent-Le', 'ngth: 4\r\n\r\nbo']) {
      expect(reader.push(Buffer.from(part))).toBeUndefined();
    }
    const answer = reader.push(Buffer.from('dy'));
    expect([answer?.status, answer?.body.toString()]).toEqual([201, 'body']);
  });
  it('leaves nothing to the next one', () => {
    const reader = createAnswerReader();
    expect(reader.push(Buffer.from(message))?.status).toBe(201);
    expect(reader.push(Buffer.from(message))?.body.toString()).toBe('body');
  });
});

describe('the order of requests', () => {
  const take = (order: ReturnType<typeof createRequestOrder>, count: number) =>
    Array.from({ length: count }, () => order.next());

  it('cycle: over and over', () => {
    expect(take(createRequestOrder(['a', 'b'], 'cycle'), 5)).toEqual(['a', 'b', 'a', 'b', 'a']);
  });
  it('once: each a single time', () => {
    expect(take(createRequestOrder(['a', 'b'], 'once'), 3)).toEqual(['a', 'b', undefined]);
  });
  it('chain: the successor of a refresh token behind all that wait, and anything else as it was', () => {
    const order = createRequestOrder(['x&refresh_token=1&y', 'z'], 'chain');
    const [first = '', second = ''] = take(order, 2);
    expect(order.next()).toBeUndefined();
    order.learn(second, '{"access_token":"a"}');
    order.learn(first, '{"refresh_token":"2"}');
    expect(take(order, 3)).toEqual(['z', 'x&refresh_token=2&y', undefined]);
  });
});

describe('a window', () => {
  it('of what can be sent only once is counted from the request on with which the warm-up is over', async () => {
    const requests = Array.from({ length: 20 }, (_, index) => buildRequest({ path: `/${index}` }));
    const [window, result] = await runLoad(requests, { seconds: 10, warmupRequests: 5 }, (response) =>
      response.end('{}'),
    );
    expect(window).toBe('window');
    expect(JSON.parse(result ?? '')).toMatchObject({ requests: 15, failures: 0 });
  });
  it('without an answer says how long one was waited for', async () => {
    const [, result] = await runLoad([buildRequest({ path: '/' })], { seconds: 0.2 }, (response) => {
      setTimeout(() => response.end('{}'), 500);
    });
    const { requests, p99 } = JSON.parse(result ?? '');
    expect(requests).toBe(0);
    expect(p99).toBeGreaterThanOrEqual(199);
  });
});

/** What the generator wrote about a server that answers so. */
async function runLoad(
  requests: string[],
  size: object,
  answer: (response: ServerResponse) => void,
): Promise<string[]> {
  const server = createServer((request, response) => void request.resume().on('end', () => answer(response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-load-'));
  const [requestsFile, planFile] = [join(folder, 'requests'), join(folder, 'plan.json')];
  const { port } = server.address() as AddressInfo;
  await writeFile(requestsFile, requests.join('\0'), 'latin1');
  await writeFile(
    planFile,
    JSON.stringify({ connections: 2, warmupSeconds: 0, ...size, port, order: 'once', requestsFile }),
  );
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [socketScript, planFile]);
    return stdout.trim().split('\n');
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
}
