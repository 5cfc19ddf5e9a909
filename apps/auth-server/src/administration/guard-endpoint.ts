import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkHolder, type Dpop } from '../http/dpop.ts';
import type { Administrator } from './administrator.ts';
import type { AuthenticateAdministrator } from './authenticate-administrator.ts';

/** Gives the administrator who sends a request; throws what {@link AuthenticateAdministrator} does. */
export type GetAdministrator = (request: FastifyRequest, reply: FastifyReply) => Promise<Administrator>;

interface Dependencies {
  authenticateAdministrator: AuthenticateAdministrator;
  dpop: Dpop;
}

export function createAdministratorGuard({ authenticateAdministrator, dpop }: Dependencies): GetAdministrator {
  return async (request, reply) => {
    // Every answer shows a client or a person, so no cache may keep it.
    void reply.header('cache-control', 'no-store');
    return authenticateAdministrator({
      authorization: request.headers.authorization,
      context: requestContextOf(request),
      checkHolder: (presented, active) => checkHolder(dpop, { request, reply }, presented, active),
    });
  };
}
