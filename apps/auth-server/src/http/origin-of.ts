import type { FastifyRequest } from 'fastify';
import type { Origin } from '../origin.ts';

export function originOf({ id, ip }: FastifyRequest): Origin {
  return { requestId: id, address: ip };
}
