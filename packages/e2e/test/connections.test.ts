import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, type ServiceName, type ServiceProcess, startServiceProcess } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

/** Connections of one address that a process holds. An auth-server alone has up to 832 at org-api. */
const services: [ServiceName, number][] = [
  ['auth-server', 256],
  ['org-api', 1_024],
];

describe.each(services)('%s', (name, limit) => {
  let folder: string;
  let port: number;
  let service: ServiceProcess;
  let sockets: Socket[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-connections-'));
    port = await findFreePort();
    const secrets = { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const env = { ...secrets, DATABASE_URL: `sqlite:${join(folder, 'data.sqlite')}` };
    service = await startServiceProcess({ name, port, env });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
    await once(socket, 'connect');
    return socket.resume();
  };
  const askLive = async () => {
    const socket = await open('127.0.0.9');
    socket.write('GET /health/live HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().split('\r\n')[0];
  };

  test(`holds ${limit} connections of one address, cuts the others, and answers health checks meanwhile`, async () => {
    sockets = await Promise.all(Array.from({ length: limit + 44 }, () => open('127.0.0.2')));
    await sleep(500);
    expect(sockets.filter(({ closed }) => !closed)).toHaveLength(limit);
    expect(await askLive()).toBe('HTTP/1.1 200 OK');
  });
});
