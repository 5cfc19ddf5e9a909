import { connect, type Socket } from 'node:net';
import { Transform } from 'node:stream';

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

/**
 * `target`: the server to which the next connection goes; a port alone is of the loopback interface.
 * `delay`: the milliseconds that bytes take from one side to the other.
 */
export function createRelay(
  target: () => number | { host: string; port: number },
  observe: () => RelayObserver = () => ({}),
  delay: () => number = () => 0,
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
      client
        .pipe(createWay(delay))
        .pipe(upstream)
        .once('close', () => client.destroy());
      upstream
        .pipe(createWay(delay))
        .pipe(client)
        .once('close', () => upstream.destroy());
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Hands bytes on in their order, each after its delay. */
function createWay(delay: () => number): Transform {
  const underway: (() => void)[] = [];
  const arriveLater = (arrive: () => void) => {
    underway.push(arrive);
    // The first one, even where the delay has become shorter.
    setTimeout(() => underway.shift()?.(), delay());
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, taken) {
      if (delay() === 0 && underway.length === 0) return taken(null, chunk);
      arriveLater(() => this.push(chunk));
      taken();
    },
    flush: arriveLater,
  });
}
