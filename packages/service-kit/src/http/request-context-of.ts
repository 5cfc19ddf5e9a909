import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { RequestContext } from '../request-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Made when it is first asked for. */
    ownContext?: RequestContext | undefined;
  }
}

/**
 * Gives the id of a request, the caller's IP address, and what became known of it: one object for each request. Forwarded headers
 * count only from a proxy that `TRUST_PROXY` names.
 */
export function requestContextOf(request: FastifyRequest): RequestContext {
  request.ownContext ??= buildContext(request);
  return request.ownContext;
}

function buildContext({ id, ip, socket }: FastifyRequest): RequestContext {
  const address = isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '');
  // The zone of an IPv6 address means something on this host alone, and has any length.
  return { requestId: id, address: address.replace(/%.*/, '') };
}
