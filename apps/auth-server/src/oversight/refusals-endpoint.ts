import { type Refusals, registerRefusals } from '@gatehouse/service-kit/refusals';
import type { FastifyInstance } from 'fastify';
import { administratorSecurity, type GetAdministrator } from '../administration/administrator-routes-endpoint.ts';

interface Dependencies {
  getAdministrator: GetAdministrator;
  refusals: Refusals;
}

/** `GET /refusals` and `GET /refusals/{request}`: administrators read why requests were refused. */
export function registerAuthServerRefusals(app: FastifyInstance, { getAdministrator, refusals }: Dependencies): void {
  registerRefusals(app, {
    path: '/refusals',
    nextCursor: 'next_cursor',
    security: administratorSecurity,
    checkAdministrator: async (request, reply) => void (await getAdministrator(request, reply)),
    refusals,
  });
}
