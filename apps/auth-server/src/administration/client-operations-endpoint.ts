import { clientIdPattern, namedClientPattern } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import type { ClientAdministered, RecordFact, Tell } from '../events/event.ts';
import { describeAdministrator } from './administrator.ts';
import { createAdministratorRoutes, type GetAdministrator } from './administrator-routes-endpoint.ts';
import { tellMissingRole } from './missing-role.ts';

export const ClientParams = Type.Object({
  client_id: Type.String({ pattern: clientIdPattern, examples: ['my-app'] }),
});
/** The same, or the URL of a metadata document, percent-encoded. */
export const NamedClientParams = Type.Object({
  client_id: Type.String({ pattern: namedClientPattern, examples: ['my-app'] }),
});
export type ClientParams = Static<typeof ClientParams>;

/** The path of all clients. The second one is for those who write a slash at its end; the documentation has the first. */
export const clientsPaths = [
  { path: '/clients', hide: false },
  { path: '/clients/', hide: true },
] as const;

export type ClientOperations = ReturnType<typeof createClientOperations>;

interface Dependencies {
  getAdministrator: GetAdministrator;
  tell: Tell;
  record: RecordFact;
}

/** The parts that all operations of client administration share: the caller, the description, and the facts. */
export function createClientOperations({ getAdministrator, tell, record }: Dependencies) {
  const { authorOf, changeOf, describe } = createAdministratorRoutes('clients', getAdministrator);

  return {
    authorOf,
    changeOf,
    describe,
    /** Waits for a change; where the author lacks a role that the client has, tells that too. */
    told: <T>(request: FastifyRequest<{ Params: ClientParams }>, change: Promise<T>): Promise<T> =>
      tellMissingRole(tell, authorOf(request as FastifyRequest), request.params.client_id, change),
    /** Resolves once the change is in the audit trail. */
    record(
      request: FastifyRequest,
      type: ClientAdministered['type'],
      client: Client,
      details: ClientAdministered['details'] = {},
    ): Promise<void> {
      const { administrator, context } = authorOf(request);
      return record({ type, administrator: describeAdministrator(administrator), client, details, context });
    },
  };
}
