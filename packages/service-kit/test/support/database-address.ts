import { connect, createServer, type Socket } from 'node:net';

/** A name that stands for one server now and for another later, as DNS and a Kubernetes Service do. */
export interface MovableAddress {
  port: number;
  /** New connections go there; those that are there stay where they are. */
  pointTo(port: number): void;
  close(): Promise<void>;
}

export async function startMovableAddress(first: number): Promise<MovableAddress> {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).once('close', () => client.destroy());
    upstream.pipe(client).once('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    pointTo(port) {
      target = port;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
