import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Milliseconds for which kept-alive connections are still served once the service is told to stop. */
const farewell = 1_000;
const interval = 50;

/**
 * Ends kept-alive connections without losing a request. Closed at once, a connection may already carry the next request,
 * which nobody would answer. So at first only new connections are refused: Fastify says `Connection: close` in every
 * answer from here on (RFC 9112 9.6), and clients that are at work leave by themselves. Who stayed silent is cut then.
 */
export function closeGracefully(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    if (!app.server.listening) return;
    stopAccepting(app.server);
    const deadline = performance.now() + farewell;
    while ((await countConnections(app.server)) > 0 && performance.now() < deadline) await sleep(interval);
    // Whoever was promised a kept-alive connection just before is not waited for after its answer.
    const cutting = setInterval(() => app.server.closeIdleConnections(), interval);
    app.server.once('close', () => clearInterval(cutting));
  });
}

/** The close of a TCP server: that of an HTTP server cuts idle connections at the same moment. */
function stopAccepting(server: Server): void {
  TcpServer.prototype.close.call(server);
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
