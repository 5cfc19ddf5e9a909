import { connect, type Socket } from 'node:net';

/** Hands connections on to a server. */
export interface Relay {
  /** Takes a connection that another server accepted. */
  accept(client: Socket): void;
  /** Ends all connections that are there. */
  cut(): void;
}

/** Sees what passes on one connection, before it is handed on. Bytes that are cut meanwhile do not arrive. */
export interface RelayObserver {
  sent?(chunk: Buffer): void;
  answered?(chunk: Buffer): void;
}

/** `target`: the server to which the next connection goes; a port alone is of the loopback interface. */
export function createRelay(
  target: () => number | { host: string; port: number },
  observe: () => RelayObserver = () => ({}),
): Relay {
  const sockets = new Set<Socket>();
  return {
    accept(client) {
      const to = target();
      const upstream = connect({ noDelay: true, ...(typeof to === 'number' ? { host: '127.0.0.1', port: to } : to) });
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => {}).once('close', () => sockets.delete(socket));
      }
      const { sent, answered } = observe();
      if (sent !== undefined) client.on('data', sent);
      if (answered !== undefined) upstream.on('data', answered);
      client.pipe(upstream).once('close', () => client.destroy());
      upstream.pipe(client).once('close', () => upstream.destroy());
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
