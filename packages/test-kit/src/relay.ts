import { connect, type Socket } from 'node:net';

/** Hands connections on to a server on the loopback interface. */
export interface Relay {
  /** Takes a connection that somebody else accepted. */
  accept(client: Socket): void;
  /** Ends all connections that are there. */
  cut(): void;
}

/** `target`: the port to which the next connection goes. */
export function createRelay(target: () => number): Relay {
  const sockets = new Set<Socket>();
  return {
    accept(client) {
      const upstream = connect(target(), '127.0.0.1');
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => {}).once('close', () => sockets.delete(socket));
      }
      client.pipe(upstream).once('close', () => client.destroy());
      upstream.pipe(client).once('close', () => upstream.destroy());
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
