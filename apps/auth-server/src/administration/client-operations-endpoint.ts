import { describeProblems, requestContextOf } from '@gatehouse/service-kit/http';
import { clientIdPattern } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import type { ClientAdministered, RecordFact, Tell } from '../events/event.ts';
import type { Administrator, Author } from './administrator.ts';
import { administratorSecurity } from './administrator-security.ts';
import type { GetAdministrator } from './guard-endpoint.ts';
import { tellIfKept } from './tell-kept-clients.ts';

export const ClientParams = Type.Object({ client_id: Type.String({ pattern: clientIdPattern }) });
export type ClientParams = Static<typeof ClientParams>;

export type ClientOperations = ReturnType<typeof createClientOperations>;

interface Dependencies {
  getAdministrator: GetAdministrator;
  tell: Tell;
  record: RecordFact;
}

/** What all operations of client administration share: the caller, the facts, and the description. */
export function createClientOperations({ getAdministrator, tell, record }: Dependencies) {
  const administrators = new WeakMap<FastifyRequest, Administrator>();
  /** Runs before the body is read: only administrators learn what is wrong with it. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    void administrators.set(request, await getAdministrator(request, reply));
  const authorOf = (request: FastifyRequest): Author => ({
    administrator: administrators.get(request) as Administrator,
    context: requestContextOf(request),
  });

  return {
    authorOf,
    /** The options of a route: its schema, and a caller who must be an administrator. */
    describe: (summary: string, success: object, statuses: readonly number[], input: object = {}) => ({
      schema: buildSchema(summary, success, statuses, input),
      onRequest,
    }),
    /** Waits for a change; where the author lacks a role that the client is worth, tells that too. */
    told: <T>(request: FastifyRequest<{ Params: ClientParams }>, change: Promise<T>): Promise<T> =>
      tellIfKept(tell, authorOf(request as FastifyRequest), request.params.client_id, change),
    /** Resolves once the change is in the audit trail. */
    record(
      request: FastifyRequest,
      type: ClientAdministered['type'],
      client: Client,
      details: ClientAdministered['details'] = {},
    ): Promise<void> {
      const { administrator, context } = authorOf(request);
      return record({ type, administrator: administrator.user, client, details, context });
    },
  };
}

function buildSchema(summary: string, success: object, statuses: readonly number[], input: object) {
  return {
    tags: ['clients'],
    summary,
    security: administratorSecurity,
    ...input,
    response: { ...success, ...describeProblems(401, 403, 429, 500, ...statuses) },
  };
}
