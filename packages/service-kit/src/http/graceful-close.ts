import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Milliseconds for which kept-alive connections are still served after the service is asked to stop. */
const farewell = 1_000;
const interval = 50;

/**
 * Ends kept-alive connections without losing a request. A connection may already carry the next request, which would get
 * no answer if the connection were closed at once. So at first only new connections are refused, and every answer says
 * `Connection: close` (RFC 9112 9.6): active clients then leave by themselves. After that, idle connections are closed.
 */
export function closeGracefully(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    if (!app.server.listening) return;
    stopAccepting(app.server);
    const deadline = performance.now() + farewell;
    while ((await countConnections(app.server)) > 0 && performance.now() < deadline) await sleep(interval);
    // An answer that was sent just before may lack `Connection: close`. Its connection is closed once it is idle.
    const cutting = setInterval(() => app.server.closeIdleConnections(), interval);
    app.server.once('close', () => clearInterval(cutting));
  });
}

/** Closes as a TCP server: the close of an HTTP server would also close idle connections at once. */
function stopAccepting(server: Server): void {
  TcpServer.prototype.close.call(server);
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
