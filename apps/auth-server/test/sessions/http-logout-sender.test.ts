import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sendLogoutTokenByHttp } from '../../src/sessions/http-logout-sender.ts';

describe('a logout token, sent to the client (Back-Channel Logout 1.0 2.5)', () => {
  let uri: string;
  let received: unknown[];
  let answer: (response: ServerResponse) => void;
  const server = createServer(async (request: IncomingMessage, response) => {
    const { method, url, headers } = request;
    received.push([method, url, headers['content-type'], await text(request)]);
    answer(response);
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout?a=1`;
  });
  beforeEach(() => {
    received = [];
  });
  afterAll(() => void server.close());

  it.each([200, 204])('is the one field of a form, and arrived where the answer is %d', async (status) => {
    answer = (response) => response.writeHead(status).end();
    await sendLogoutTokenByHttp(uri, 'a.b+c&d=');
    expect(received).toEqual([
      ['POST', '/logout?a=1', 'application/x-www-form-urlencoded', 'logout_token=a.b%2Bc%26d%3D'],
    ]);
  });

  it.each([201, 302, 400, 500])('did not arrive where the answer is %d, and goes nowhere else', async (status) => {
    answer = (response) => response.writeHead(status, { location: uri }).end('hush');
    await expect(sendLogoutTokenByHttp(uri, 'token')).rejects.toThrow(new Error(`the client answered ${status}`));
    expect(received).toHaveLength(1);
  });

  it('has arrived once the answer is at its end, so that the connection is free again', async () => {
    let isAtEnd = false;
    answer = (response) => {
      response.writeHead(200).write('so far');
      setTimeout(() => {
        isAtEnd = true;
        response.end();
      }, 50);
    };
    await sendLogoutTokenByHttp(uri, 'token');
    expect(isAtEnd).toBe(true);
  });

  it('did not arrive where no answer comes within three seconds', async () => {
    answer = () => {};
    const startedAt = performance.now();
    await expect(sendLogoutTokenByHttp(uri, 'token')).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - startedAt).toBeGreaterThan(2_900);
  });
});
