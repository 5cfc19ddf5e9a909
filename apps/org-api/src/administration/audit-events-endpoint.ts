import { type AuditTrail, registerAuditEvents } from '@gatehouse/service-kit/audit';
import { bearerSecurity } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import type { AuthenticateAdministrator } from '../callers/authenticate-administrator-endpoint.ts';

interface Dependencies {
  authenticateAdministrator: AuthenticateAdministrator;
  audit: AuditTrail;
}

/** `GET /organization/api/organization/audit-events`: requires SystemAdministrator. */
export function registerOrganizationAuditEvents(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateAdministrator, audit } = deps;
  registerAuditEvents(app, {
    path: '/organization/api/organization/audit-events',
    nextCursor: 'nextCursor',
    security: bearerSecurity,
    checkAdministrator: async (request, reply) => void (await authenticateAdministrator(request, reply)),
    audit,
  });
}
