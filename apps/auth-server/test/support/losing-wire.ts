import { createServer } from 'node:net';
import { createRelay } from '@gatehouse/test-kit';

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
  let awaited: string | undefined;
  let isBroken = false;
  const relay = createRelay(
    () => target,
    () => {
      let isLost = false;
      return {
        sent(chunk) {
          if (awaited === undefined || !chunk.includes(awaited)) return;
          awaited = undefined;
          isLost = true;
        },
        answered() {
          if (!isLost) return;
          isBroken = true;
          relay.cut();
        },
      };
    },
  );
  const server = createServer((client) => (isBroken ? client.destroy() : relay.accept(client)));
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
      relay.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
