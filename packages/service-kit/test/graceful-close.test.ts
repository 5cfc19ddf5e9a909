import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createServer } from '../src/http/server.ts';
import { countTimers } from './support/timers.ts';

describe('a service that is told to stop', () => {
  let app: FastifyInstance;
  let socket: Socket;
  let port: number;
  beforeEach(async () => {
    app = createServer({ log: pino({ enabled: false }), trustProxy: false, publicUrl: 'http://localhost:9000' });
    app.get('/', () => ({ here: true }));
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as { port: number }).port;
    socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
  });
  afterEach(async () => {
    socket.destroy();
    await app.close();
  });

  const ask = async () => {
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().toLowerCase();
  };
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const probe = connect(port, '127.0.0.1', () => resolve(probe.destroy() === undefined));
      probe.once('error', () => resolve(true));
    });

  /** The server has seen that the only connection ended. */
  const untilAlone = async () => {
    const count = () => new Promise((resolve) => app.server.getConnections((_error, found) => resolve(found)));
    while ((await count()) !== 0) await setImmediate();
  };

  it('answers what comes over a kept-alive connection, says that it closes it, and takes no new one', async () => {
    expect(await ask()).toContain('\r\nconnection: keep-alive\r\n');
    const closed = app.close();
    expect(await isRefused()).toBe(true);
    const last = await ask();
    expect([last.startsWith('http/1.1 200 '), last.includes('\r\nconnection: close\r\n')]).toEqual([true, true]);
    await closed;
  });

  it('cuts a connection that stays silent for a second', async () => {
    await ask();
    const cut = once(socket, 'close');
    const startedAt = performance.now();
    await app.close();
    await cut;
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it('does not wait where nobody is connected', async () => {
    socket.destroy();
    await untilAlone();
    const startedAt = performance.now();
    await app.close();
    expect(performance.now() - startedAt).toBeLessThan(900);
  });
});

describe('a service that has stopped', () => {
  it.each([true, false])('leaves no timer behind, whether it listened or not: %s', async (listens) => {
    const app = createServer({ log: pino({ enabled: false }), trustProxy: false, publicUrl: 'http://localhost:9000' });
    const timers = countTimers();
    await (listens ? app.listen({ host: '127.0.0.1', port: 0 }) : app.ready());
    await app.close();
    expect(countTimers()).toBe(timers);
  });
});
