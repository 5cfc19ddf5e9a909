import { readFile } from 'node:fs/promises';
import { createServer } from 'node:tls';
import { type Certificates, createRelay } from '@gatehouse/test-kit';

/** Ends TLS on `port` in front of a server on another port of the loopback interface. */
export async function startTlsProxy(port: number, target: number, { certificate, key }: Certificates) {
  const relay = createRelay(() => target);
  const options = { cert: await readFile(certificate), key: await readFile(key) };
  const server = createServer(options, relay.accept);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    stop: () =>
      new Promise<void>((resolve) => {
        relay.cut();
        server.close(() => resolve());
      }),
  };
}
