import type { FastifyInstance } from 'fastify';
import type { Logger } from '../logging.ts';

/** How long a request may take to arrive, in milliseconds. */
export interface RequestPatience {
  /** For its headers. */
  headersTimeout: number;
  /** For all of it. */
  requestTimeout: number;
  /** Between two checks for late requests. */
  connectionsCheckingInterval: number;
}

export const requestPatience: RequestPatience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
};

/** Connections that a process takes at the same moment. It closes one more at once. */
export const connectionLimit = 10_000;
/** Milliseconds between two log lines about closed connections. */
const reportInterval = 10_000;

/** Builds options of Node's server. `host-header.ts` checks the number of Host headers instead. */
export function buildServerLimits({ requestTimeout, headersTimeout, connectionsCheckingInterval }: RequestPatience) {
  return { requestTimeout, http: { headersTimeout, connectionsCheckingInterval, requireHostHeader: false } };
}

/** Limits the open connections, and logs when it closed some. */
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
