import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Certificates } from '@gatehouse/test-kit';

/** Ends TLS on `port` in front of a server on another port of the loopback interface. */
export async function startTlsProxy(port: number, target: number, { certificate, key }: Certificates) {
  const sockets = new Set<Socket>();
  const options = { cert: await readFile(certificate), key: await readFile(key) };
  const server = createServer(options, (client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).once('close', () => client.destroy());
    upstream.pipe(client).once('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
