import type { FastifyInstance } from 'fastify';
import type { Logger } from '../logging.ts';

/** Milliseconds within which the headers of a request have to have arrived. */
export const headersTimeout = 10_000;
/** Milliseconds within which a request has to have arrived. */
export const requestTimeout = 30_000;
/** Milliseconds between two searches for requests that are late. */
const connectionsCheckingInterval = 2_000;

/** Connections that a process takes at the same moment; one more is cut at once. */
export const connectionLimit = 10_000;
/** Milliseconds between two lines of the log about connections that were cut. */
const reportInterval = 10_000;

/** What Node's server is told; how many Host headers there are is checked here (`host-header.ts`). */
export const serverLimits = {
  requestTimeout,
  http: { headersTimeout, connectionsCheckingInterval, requireHostHeader: false },
} as const;

/** Bounds the connections that are open, and says in the log when some were cut. */
export function limitConnections(app: FastifyInstance, log: Logger, limit: number): void {
  let cut = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  app.server.maxConnections = limit;
  app.server.on('drop', () => {
    cut += 1;
    if (performance.now() - reportedAt < reportInterval) return;
    log.warn({ connections: limit, cut }, 'too many connections; new ones are cut');
    reportedAt = performance.now();
    cut = 0;
  });
}
