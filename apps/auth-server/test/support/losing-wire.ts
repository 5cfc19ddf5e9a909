import { connect, createServer, type Socket } from 'node:net';

/** What stands between a service and its database server, and breaks at a moment of the test's choice. */
export interface LosingWire {
  port: number;
  /** Breaks all connections once the server answered the next statement that holds `text`: it is done, and nobody knows. */
  breakAfter(text: string): void;
  /** Takes connections again. */
  mend(): void;
  close(): Promise<void>;
}

export async function startLosingWire(target: { host: string; port: number }): Promise<LosingWire> {
  const sockets = new Set<Socket>();
  let awaited: string | undefined;
  let isBroken = false;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isBroken) return client.destroy();
    const upstream = connect(target);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    }
    let isLost = false;
    client.on('data', (chunk) => {
      if (awaited !== undefined && chunk.includes(awaited)) {
        awaited = undefined;
        isLost = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isLost) return client.write(chunk);
      isBroken = true;
      return cut();
    });
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    breakAfter(text) {
      awaited = text;
    },
    mend() {
      isBroken = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
