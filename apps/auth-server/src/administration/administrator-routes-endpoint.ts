import { describeProblems, requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Administrator, Author } from './administrator.ts';
import { administratorSecurity } from './administrator-security.ts';
import type { GetAdministrator } from './guard-endpoint.ts';

export type AdministratorRoutes = ReturnType<typeof createAdministratorRoutes>;

/** What all routes for administrators share: the caller, and the description. */
export function createAdministratorRoutes(tag: string, getAdministrator: GetAdministrator) {
  const administrators = new WeakMap<FastifyRequest, Administrator>();
  /** Runs before the body is read: only administrators learn what is wrong with it. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    void administrators.set(request, await getAdministrator(request, reply));
  return {
    authorOf: (request: FastifyRequest): Author => ({
      administrator: administrators.get(request) as Administrator,
      context: requestContextOf(request),
    }),
    /** The options of a route: its schema with the failures of its own, and a caller who must be an administrator. */
    describe: (summary: string, success: object, statuses: readonly number[], input: object = {}) => ({
      schema: buildSchema(tag, summary, success, statuses, input),
      onRequest,
    }),
  };
}

function buildSchema(tag: string, summary: string, success: object, statuses: readonly number[], input: object) {
  return {
    tags: [tag],
    summary,
    security: administratorSecurity,
    ...input,
    response: { ...success, ...describeProblems(...statuses) },
  };
}
