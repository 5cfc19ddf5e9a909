import type { AuthServerOperations } from '@gatehouse/api-types';
import type { AuditEvent } from './auth-server.ts';
import type { ApiRequest, Service } from './request.ts';

export type EventQuery = Partial<NonNullable<AuthServerOperations['listAuditEvents']['parameters']['query']>>;

const paths: Record<Service, string> = {
  'auth-server': '/audit-events',
  'org-api': '/organization/api/organization/audit-events',
};

export const listAuditEvents = (
  service: Service,
  query: EventQuery,
): ApiRequest<{ events: AuditEvent[]; next_cursor?: string; nextCursor?: string }> => ({
  ...{ service, tag: 'audit', operation: 'listAuditEvents', method: 'GET', path: paths[service], query: { ...query } },
});
