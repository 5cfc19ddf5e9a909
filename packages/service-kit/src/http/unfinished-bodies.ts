import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ProblemError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createCounts } from '../counts.ts';
import { networkOf, wideNetworkOf } from '../guess-limit/network.ts';

/** Bytes of request bodies that have begun and not ended, at a process. */
export interface UnfinishedBodyLimits {
  all: number;
  ofNetwork: number;
}

export const unfinishedBodyLimits: UnfinishedBodyLimits = { all: 32 * 1024 * 1024, ofNetwork: 4 * 1024 * 1024 };
/** Bytes of a body that does not count: all connections together hold less than 10 MiB of these. */
const uncounted = 1_024;
/** Seconds after which a refused caller may try again. Bodies that never end are gone after 30 s. */
const retryAfter = 5;

interface Body {
  request: IncomingMessage;
  network: string;
  bytes: number;
}

/**
 * Limits the memory that bodies hold which do not end. A body of more than 1 KiB counts with the bytes that its headers announce, or the most
 * that the route takes, until it has ended, its request is answered or its connection has closed. A body that is too much
 * is refused unread (503).
 */
export function limitUnfinishedBodies(app: FastifyInstance, limits: UnfinishedBodyLimits): void {
  const { bodyLimit } = app.initialConfig as { bodyLimit: number };
  const held = createCounts();
  // A connection carries one body at a time (RFC 9112 9.3.2).
  const bodies = new Map<Socket, Body>();
  const release = (socket: Socket) => {
    const body = bodies.get(socket);
    if (body === undefined) return;
    bodies.delete(socket);
    held.add(body.network, -body.bytes);
  };
  app.server.on('connection', (socket) => socket.once('close', () => release(socket)));
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    const bytes = announcedBytes(request, bodyLimit);
    if (bytes <= uncounted) return done();
    // The next request begins where the body before has ended.
    release(raw.socket);
    const network = wideNetworkOf(networkOf(request.ip));
    if (held.total() + bytes > limits.all || held.of(network) + bytes > limits.ofNetwork) {
      reply.header('connection', 'close');
      return done(new ProblemError(503, 'too many requests are unfinished; try again', { retryAfter }));
    }
    held.add(network, bytes);
    bodies.set(raw.socket, { request: raw, network, bytes });
    // Hooks would concern every request; few have such a body. Node discards the rest of a body whose request is answered.
    const releaseOwn = () => {
      if (bodies.get(raw.socket)?.request === raw) release(raw.socket);
    };
    raw.once('end', releaseOwn);
    reply.raw.once('close', releaseOwn);
    done();
  });
}

/** RFC 9112 6.3: a body in chunks does not say how long it is. */
function announcedBytes(request: FastifyRequest, shortestLimit: number): number {
  const { headers } = request.raw;
  const announced =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
  return announced <= shortestLimit ? announced : Math.min(announced, request.routeOptions.bodyLimit);
}
