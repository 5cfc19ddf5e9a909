import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createClientErrorHandler } from '../src/http/client-errors.ts';

describe('a connection whose bytes are no request', () => {
  let logged: Record<string, unknown>[];
  /** As Node's HTTP server has it. */
  let own: Socket;
  /** It stays open until the other end is closed altogether. */
  let caller: Socket;
  let faults: Error[];
  const refuse = (code: string) => {
    const log = pino(
      { base: undefined, timestamp: false, level: 'debug' },
      { write: (line) => logged.push(JSON.parse(line)) },
    );
    createClientErrorHandler(log, [['x-content-type-options', 'nosniff']])(Object.assign(new Error(), { code }), own);
  };

  beforeEach(async () => {
    [logged, faults] = [[], []];
    const server = createServer({ allowHalfOpen: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    caller = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true });
    [own] = (await once(server, 'connection')) as [Socket];
    own.on('error', (fault) => faults.push(fault));
    server.close();
  });
  afterEach(() => {
    for (const socket of [own, caller]) socket.destroy();
    expect(faults).toEqual([]);
  });

  it.each([
    ['HPE_INVALID_METHOD', 400],
    ['HPE_HEADER_OVERFLOW', 431],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ])('is answered and closed, whatever the caller does: %s', async (code, status) => {
    refuse(code);
    const [[answer]] = await Promise.all([once(caller, 'data') as Promise<[Buffer]>, once(own, 'close')]);
    expect(answer.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} .*nosniff.*"status":${status},`, 's'));
    expect(logged).toEqual([{ level: 20, status, code, msg: 'connection refused' }]);
  });

  it('is closed without an answer where the last one was sent', async () => {
    own.end();
    refuse('HPE_INVALID_METHOD');
    await new Promise((resolve) => own.once('close', resolve));
    expect([own.destroyed, logged]).toEqual([true, [expect.objectContaining({ status: 400 })]]);
  });

  it.each([
    ['was reset by the caller', 'ECONNRESET', () => {}],
    ['is closed', 'HPE_INVALID_METHOD', () => void own.destroy()],
  ])('is left alone where it %s', (_what, code, prepare) => {
    prepare();
    refuse(code);
    expect([own.writableEnded, logged]).toEqual([false, []]);
  });
});
