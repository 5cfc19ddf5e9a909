import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections (32,768 on Linux), and above the last that browsers refuse. */
const first = 11_000;
/** Ports of each worker of Jest; of other processes together. */
const share = 1_000;
const shares = 21;

/** Where this file of tests begins in its share, and how many ports it was given: none is given twice. */
const start = randomInt(share);
let given = 0;

/**
 * A TCP port of the loopback interface that nobody listens on. Until its user listens, neither an outgoing connection nor
 * another worker takes it.
 */
export async function findFreePort(): Promise<number> {
  const worker = Number(process.env.JEST_WORKER_ID ?? 0) % shares;
  for (;;) {
    const port = first + worker * share + ((start + given) % share);
    given += 1;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
