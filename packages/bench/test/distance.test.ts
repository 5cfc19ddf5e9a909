import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDistance, type Distance } from '../src/distance/distance.ts';

describe('a distance', () => {
  let echo: Server;
  let distance: Distance;
  let client: Socket;
  let received: string;

  beforeEach(async () => {
    echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    distance = createDistance();
    const { port } = echo.address() as { port: number };
    client = connect({ port: await distance.reach(port), host: '127.0.0.1', noDelay: true });
    received = '';
    client.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    await once(client, 'connect');
  });
  afterEach(() => {
    client.destroy();
    distance.close();
    echo.close();
  });

  const timeEcho = async (text: string) => {
    const startedAt = performance.now();
    client.write(text);
    await once(client, 'data');
    return performance.now() - startedAt;
  };

  it('lets an answer wait for the way there and back', async () => {
    distance.roundTrip = 500;
    // A timer of Node.js may fire a millisecond early.
    expect(await timeEcho('far')).toBeGreaterThan(497);
    distance.roundTrip = 0;
    expect(await timeEcho('near')).toBeLessThan(497);
  });

  it('keeps the order of what is underway when it becomes shorter', async () => {
    distance.roundTrip = 80;
    client.write('first ');
    await new Promise((resolve) => setTimeout(resolve, 20));
    distance.roundTrip = 2;
    client.write('second');
    while (received.length < 'first second'.length) await once(client, 'data');
    expect(received).toBe('first second');
  });
});
