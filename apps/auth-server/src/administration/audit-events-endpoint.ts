import { type AuditTrail, registerAuditEvents } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import { administratorSecurity } from './administrator-security.ts';
import type { AuthenticateAdministrator } from './authenticate-administrator.ts';

interface Dependencies {
  authenticateAdministrator: AuthenticateAdministrator;
  audit: AuditTrail;
}

/** `GET /audit-events`: for whoever may administer clients. */
export function registerAuthServerAuditEvents(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateAdministrator, audit } = deps;
  registerAuditEvents(app, {
    path: '/audit-events',
    nextCursor: 'next_cursor',
    security: administratorSecurity,
    failures: [401, 403, 429, 500],
    checkAdministrator: async (request, reply) => void (await authenticateAdministrator(request, reply)),
    audit,
  });
}
