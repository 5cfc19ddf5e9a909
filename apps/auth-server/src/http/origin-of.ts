import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Origin } from '../origin.ts';

/** What a trusted proxy says of the address counts only where it is one. */
export function originOf({ id, ip, socket }: FastifyRequest): Origin {
  return { requestId: id, address: isIP(ip) > 0 ? ip : (socket.remoteAddress ?? '') };
}
