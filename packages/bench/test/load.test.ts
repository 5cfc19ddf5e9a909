import { describe, expect, it } from '@jest/globals';
import { createAnswerReader } from '../src/load/answer-reader.ts';
import { buildFormRequest, buildRequest } from '../src/load/load.ts';
import { createRequestOrder } from '../src/load/request-order.ts';

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
