import { type AuditTrail, registerAuditEvents } from '@gatehouse/service-kit/audit';
import type { FastifyInstance } from 'fastify';
import type { AuthenticateAdministrator } from '../http/administrator.ts';

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
    security: [{ accessToken: [] }],
    checkAdministrator: async (request, reply) => void (await authenticateAdministrator(request, reply)),
    audit,
  });
}
