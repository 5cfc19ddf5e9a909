import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Gives the id of a request and the caller's IP address. Forwarded headers count only from a proxy that `TRUST_PROXY` names. */
export function originOf({ id, ip, socket }: FastifyRequest): { requestId: string; address: string } {
  return { requestId: id, address: isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '') };
}
