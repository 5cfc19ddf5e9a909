import { connect, createServer, type Socket } from 'node:net';

/** Spreads TCP connections over several servers in turn and knows nothing of what goes over them. */
export interface Balancer {
  port: number;
  add(target: number): void;
  /** New connections go elsewhere; those that are there stay, as with an endpoint that leaves a Kubernetes Service. */
  remove(target: number): void;
  /** Stops accepting and cuts what is left. */
  close(): Promise<void>;
}

/** Listens on `port` of the loopback interface for the servers on the ports `targets` of the same. */
export async function startBalancer(port: number, targets: readonly number[]): Promise<Balancer> {
  let servers = [...targets];
  let turn = 0;
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true).once('close', () => sockets.delete(socket));
    return socket;
  };
  /** The next backend, and behind it those that take its place where it is dead. */
  const takeTurn = () => {
    turn += 1;
    return servers.map((_, index) => servers[(turn + index) % servers.length] as number);
  };
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    track(client).on('error', () => client.destroy());
    relay(client, takeTurn(), track);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    port,
    add: (target) => servers.push(target),
    remove(target) {
      servers = servers.filter((other) => other !== target);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Connects to the first target that takes the connection; the client's is cut where none does. */
function relay(client: Socket, [target, ...others]: number[], track: (socket: Socket) => Socket): void {
  if (target === undefined) {
    client.destroy();
    return;
  }
  const upstream = track(connect({ port: target, host: '127.0.0.1', allowHalfOpen: true }));
  const tryNext = () => relay(client, others, track);
  upstream.once('error', tryNext).once('connect', () => {
    upstream.off('error', tryNext).on('error', () => client.destroy());
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroySoon());
    client.pipe(upstream);
    upstream.pipe(client);
  });
}
