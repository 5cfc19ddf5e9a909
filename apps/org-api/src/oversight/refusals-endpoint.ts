import { bearerSecurity } from '@gatehouse/service-kit/http';
import { type Refusals, registerRefusals } from '@gatehouse/service-kit/refusals';
import type { FastifyInstance } from 'fastify';
import type { AuthenticateAdministrator } from '../callers/authenticate-administrator-endpoint.ts';

interface Dependencies {
  authenticateAdministrator: AuthenticateAdministrator;
  refusals: Refusals;
}

/** `GET /organization/api/organization/refusals` and `…/refusals/{request}`: require SystemAdministrator. */
export function registerOrganizationRefusals(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateAdministrator, refusals } = deps;
  registerRefusals(app, {
    path: '/organization/api/organization/refusals',
    nextCursor: 'nextCursor',
    security: bearerSecurity,
    checkAdministrator: async (request, reply) => void (await authenticateAdministrator(request, reply)),
    refusals,
  });
}
