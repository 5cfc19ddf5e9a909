import { createServer } from 'node:net';
import { createRelay } from '@gatehouse/test-kit';

/** A name that stands for one server now and for another later, as DNS and a Kubernetes Service do. */
export interface MovableAddress {
  port: number;
  /** New connections go there; those that are there stay where they are. */
  pointTo(port: number): void;
  close(): Promise<void>;
}

export async function startMovableAddress(first: number): Promise<MovableAddress> {
  let target = first;
  const relay = createRelay(() => target);
  const server = createServer(relay.accept);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    pointTo(port) {
      target = port;
    },
    close: () =>
      new Promise((resolve) => {
        relay.cut();
        server.close(() => resolve());
      }),
  };
}
