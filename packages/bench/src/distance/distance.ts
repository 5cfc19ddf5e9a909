import { createServer, type Server } from 'node:net';
import { createRelay } from '@gatehouse/test-kit';

/** The way between two regions, as relays that hold each byte for a while. */
export interface Distance {
  /** Milliseconds to the other region and back, for bytes that are sent from now on. */
  roundTrip: number;
  /** Opens a port of the loopback interface that leads over the distance to that one. */
  reach(port: number): Promise<number>;
  close(): void;
}

export function createDistance(): Distance {
  const servers: Server[] = [];
  const relays: ReturnType<typeof createRelay>[] = [];
  const distance: Distance = {
    roundTrip: 0,
    async reach(port) {
      const relay = createRelay(
        () => port,
        () => ({}),
        () => distance.roundTrip / 2,
      );
      const server = createServer({ noDelay: true }, relay.accept);
      relays.push(relay);
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as { port: number }).port;
    },
    close() {
      for (const server of servers) server.close();
      for (const relay of relays) relay.cut();
    },
  };
  return distance;
}
