import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { createQueryValidator } from '../http/check-query.ts';
import { buildAuditEventView } from './audit-event-view.ts';
import { AuditEventsQuery, parseAuditQuery } from './audit-query.ts';
import type { AuditTrail } from './audit-trail.ts';

export interface AuditEventRouteOptions {
  path: string;
  /** How the service calls the cursor of the next page. */
  nextCursor: 'next_cursor' | 'nextCursor';
  security: readonly Record<string, string[]>[];
  /** Throws unless an administrator calls. Sets the header that keeps the answer out of caches. */
  checkAdministrator(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  audit: Pick<AuditTrail, 'list'>;
}

/** `GET …/audit-events`: lists audit events, newest first, a page at a time. */
export function registerAuditEvents(app: FastifyInstance, options: AuditEventRouteOptions): void {
  const { path, nextCursor, security, checkAdministrator, audit } = options;
  const schema = {
    tags: ['audit'],
    operationId: 'listAuditEvents',
    summary: 'List audit events, newest first, a page at a time',
    security,
    querystring: AuditEventsQuery,
    response: {
      200: Type.Object({ events: Type.Array(Type.Ref('AuditEvent')), [nextCursor]: Type.Optional(Type.String()) }),
    },
  };
  app.get<{ Querystring: AuditEventsQuery }>(
    path,
    { schema, validatorCompiler: createQueryValidator, onRequest: checkAdministrator },
    async (request) => {
      const { limit, ...query } = parseAuditQuery(request.query);
      const found = await audit.list({ ...query, limit: limit + 1 });
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)?.id : undefined;
      return { events: page.map(buildAuditEventView), ...(next === undefined ? {} : { [nextCursor]: next }) };
    },
  );
}
