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
  const idle = createRing();
  const busy = createRing();
  let open = 0;
  const perNetwork = createCounts();
  const reportNetwork = createReport(log, 'too many connections of one network; its new ones are cut');
  const reportAll = createReport(log, 'too many connections; those that are idle longest are cut');

  const forget = (socket: Connection) => {
    const place = socket[placeOf];
    if (place === undefined) return;
    leave(place);
    socket[placeOf] = undefined;
    open -= 1;
  };
  const makeRoom = () => {
    if (open < limits.all) return;
    const oldest = idle.after.socket ?? busy.after.socket;
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

  app.server.on('connection', (socket: Connection) => {
    if (!count(socket)) {
      reportNetwork({ connections: limits.ofNetwork, network: networkOf(socket.remoteAddress ?? '') });
      socket.destroy();
      return;
    }
    makeRoom();
    open += 1;
    const place = createRing(socket);
    socket[placeOf] = place;
    join(idle, place);
    socket.once('close', () => forget(socket));
  });
  // A connection may carry several requests before the first is answered (RFC 9112 9.3.2).
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const place = (raw.socket as Connection)[placeOf];
    if (place !== undefined) {
      place.running += 1;
      if (place.running === 1) move(place, busy);
    }
    done();
  });
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    const place = (raw.socket as Connection)[placeOf];
    if (place !== undefined) {
      place.running -= 1;
      if (place.running === 0) move(place, idle);
    }
    done();
  });
}

/** The place of a connection among those that are idle, or among those that have a request. */
interface Place {
  socket: Connection | undefined;
  /** Requests that are not answered yet. */
  running: number;
  before: Place;
  after: Place;
}

/** A ring begins with a place that no connection has, and keeps the order in which the others came. Moves between two sets took 1 % of a request. */
function createRing(socket?: Connection): Place {
  const place = { socket, running: 0 } as Place;
  place.before = place;
  place.after = place;
  return place;
}

function leave({ before, after }: Place): void {
  before.after = after;
  after.before = before;
}

function join(ring: Place, place: Place): void {
  place.before = ring.before;
  place.after = ring;
  ring.before.after = place;
  ring.before = place;
}

function move(place: Place, ring: Place): void {
  leave(place);
  join(ring, place);
}

const placeOf = Symbol('place of the connection');
type Connection = Socket & { [placeOf]?: Place | undefined };

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
