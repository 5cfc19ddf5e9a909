import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Jwk } from '@gatehouse/test-kit';

export type KeyServer = Awaited<ReturnType<typeof startKeyServer>>;

interface Options {
  /** PEM; where they are there, the server speaks TLS, for `localhost`. */
  tls?: { cert: Buffer; key: Buffer };
}

/** Publishes a key set, as a client does under its `jwks_uri`. What it answers can be changed while it runs. */
export async function startKeyServer(keys: Jwk[] = [], { tls }: Options = {}) {
  const asked: IncomingMessage[] = [];
  const published = {
    keys,
    status: 200,
    headers: { 'content-type': 'application/json' } as Record<string, string>,
    /** In place of the key set. */
    body: undefined as string | Buffer | undefined,
    /** Milliseconds until the answer begins. */
    delay: 0,
  };
  const answer: RequestListener = (request, response) => {
    asked.push(request);
    const send = () => {
      response.writeHead(published.status, published.headers);
      response.end(published.body ?? JSON.stringify({ keys: published.keys }));
    };
    setTimeout(send, published.delay);
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    published,
    asked,
    port,
    url: `${tls === undefined ? 'http' : 'https'}://localhost:${port}/keys`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
