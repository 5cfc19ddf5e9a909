import { type AuditTrail, registerAuditEvents } from '@gatehouse/service-kit/audit';
import type { FastifyInstance } from 'fastify';
import { administratorSecurity, type GetAdministrator } from './administrator-routes-endpoint.ts';

interface Dependencies {
  getAdministrator: GetAdministrator;
  audit: AuditTrail;
}

/** `GET /audit-events`: administrators read the audit trail. */
export function registerAuthServerAuditEvents(app: FastifyInstance, deps: Dependencies): void {
  const { getAdministrator, audit } = deps;
  registerAuditEvents(app, {
    path: '/audit-events',
    nextCursor: 'next_cursor',
    security: administratorSecurity,
    checkAdministrator: async (request, reply) => void (await getAdministrator(request, reply)),
    audit,
  });
}
