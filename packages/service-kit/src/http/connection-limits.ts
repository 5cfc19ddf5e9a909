import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createCounts } from '../counts.ts';
import { networkOf } from '../guess-limit/network.ts';
import type { Logger } from '../logging.ts';
import type { TrustsPeer } from './trusted-peers.ts';

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

/** Connections that a process holds at the same moment. */
export interface ConnectionLimits {
  all: number;
  /** Of one network, unless it is that of a trusted proxy. */
  ofNetwork: number;
}

export const connectionLimits: ConnectionLimits = { all: 10_000, ofNetwork: 256 };
/** Milliseconds between two log lines about closed connections. */
const reportInterval = 10_000;

/** Builds options of Node's server. `host-header.ts` checks the number of Host headers instead. */
export function buildServerLimits({ requestTimeout, headersTimeout, connectionsCheckingInterval }: RequestPatience) {
  return { requestTimeout, http: { headersTimeout, connectionsCheckingInterval, requireHostHeader: false } };
}

interface Options {
  log: Logger;
  limits: ConnectionLimits;
  trustsPeer: TrustsPeer;
}

/**
 * Limits the open connections, and logs when it cuts some. One more of a network is cut at once. One more than all makes
 * room for itself: the connection is cut that has had no request for the longest time; if all have one, the connection
 * whose request began first.
 */
export function limitConnections(app: FastifyInstance, { log, limits, trustsPeer }: Options): void {
  // Both keep the order in which their entries came.
  const idle = new Set<Socket>();
  const requests = new Map<Socket, number>();
  const perNetwork = createCounts();
  const reportNetwork = createReport(log, 'too many connections of one network; its new ones are cut');
  const reportAll = createReport(log, 'too many connections; those that are idle longest are cut');

  const forget = (socket: Socket) => idle.delete(socket) || requests.delete(socket);
  const makeRoom = () => {
    if (idle.size + requests.size < limits.all) return;
    const [oldest] = idle.size > 0 ? idle : requests.keys();
    if (oldest === undefined) return;
    forget(oldest);
    oldest.destroy();
    reportAll({ connections: limits.all });
  };
  /** Counts a connection of a network; false where it has too many. */
  const count = (socket: Socket): boolean => {
    const { remoteAddress = '' } = socket;
    if (trustsPeer(remoteAddress)) return true;
    const network = networkOf(remoteAddress);
    if (perNetwork.of(network) >= limits.ofNetwork) return false;
    perNetwork.add(network, 1);
    socket.once('close', () => perNetwork.add(network, -1));
    return true;
  };

  app.server.on('connection', (socket) => {
    if (!count(socket)) {
      reportNetwork({ connections: limits.ofNetwork, network: networkOf(socket.remoteAddress ?? '') });
      socket.destroy();
      return;
    }
    makeRoom();
    idle.add(socket);
    socket.once('close', () => forget(socket));
  });
  // A connection may carry several requests before the first is answered (RFC 9112 9.3.2).
  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    const running = requests.get(socket);
    if (running !== undefined) requests.set(socket, running + 1);
    else if (idle.delete(socket)) requests.set(socket, 1);
    done();
  });
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    const running = requests.get(socket) ?? 0;
    if (running > 1) requests.set(socket, running - 1);
    else if (requests.delete(socket)) idle.add(socket);
    done();
  });
}

/** Creates a function that logs how many connections were cut, in a line every ten seconds at most. */
function createReport(log: Logger, text: string) {
  let cut = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (members: object) => {
    cut += 1;
    if (performance.now() - reportedAt < reportInterval) return;
    log.warn({ ...members, cut }, text);
    reportedAt = performance.now();
    cut = 0;
  };
}
