import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '../request-context.ts';

/** Gives the id of a request and the caller's IP address. Forwarded headers count only from a proxy that `TRUST_PROXY` names. */
export function requestContextOf({ id, ip, socket }: FastifyRequest): RequestContext {
  const address = isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '');
  // The zone of an IPv6 address means something on this host alone, and has any length.
  return { requestId: id, address: address.replace(/%.*/, '') };
}
