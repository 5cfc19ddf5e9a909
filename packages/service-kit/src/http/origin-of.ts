import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Where a request came from: its id, and the caller's IP address. What a proxy says of the address counts only where it is one. */
export function originOf({ id, ip, socket }: FastifyRequest): { requestId: string; address: string } {
  return { requestId: id, address: isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '') };
}
