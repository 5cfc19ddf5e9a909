import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** What rules know of the HTTP request that they work for. */
export interface RequestContext {
  /** auth-server sends it on to org-api, so that one id finds the log lines of both services. */
  requestId: string;
  /** The caller's IP address, to slow guessing. */
  address: string;
}

/** Gives the id of a request and the caller's IP address. Forwarded headers count only from a proxy that `TRUST_PROXY` names. */
export function requestContextOf({ id, ip, socket }: FastifyRequest): RequestContext {
  return { requestId: id, address: isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '') };
}
