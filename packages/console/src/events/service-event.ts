import type { AuditEvent } from '../api/auth-server.ts';
import type { Service } from '../api/request.ts';

export type ServiceEvent = AuditEvent & { service: Service };
