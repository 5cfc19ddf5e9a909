import { idPattern } from '@gatehouse/service-kit';
import { buildPageCursor, createQueryValidator, pageLength } from '@gatehouse/service-kit/http';
import { fieldsProblem, namedClientPattern } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { createAdministratorRoutes, type GetAdministrator } from '../administration/administrator-routes-endpoint.ts';
import { userName } from '../administration/sessions-endpoint.ts';
import type { ConsentAdministration } from './administer-consents.ts';
import type { GrantAdministration } from './administer-grants.ts';

interface Dependencies {
  getAdministrator: GetAdministrator;
  grantAdministration: GrantAdministration;
  consentAdministration: ConsentAdministration;
}

const clientName = Type.String({ pattern: namedClientPattern, description: 'client_id', expected: 'be a client_id' });
const Holders = { user: Type.Optional(userName), client: Type.Optional(clientName) };
const GrantsQuery = Type.Object({ ...Holders, limit: pageLength, cursor: buildPageCursor(idPattern) });
const ConsentsQuery = Type.Object({ ...Holders, limit: pageLength, cursor: buildPageCursor(namedClientPattern) });
const EndQuery = Type.Object(Holders);
const TakeBackQuery = Type.Object({ user: userName, client: clientName });
const GrantParams = Type.Object({ id: Type.String({ pattern: idPattern, description: 'UUID' }) });
const GrantPage = Type.Object({
  grants: Type.Array(Type.Ref('Grant')),
  next_cursor: Type.Optional(Type.String()),
});
const ConsentPage = Type.Object({
  consents: Type.Array(Type.Ref('Consent')),
  next_cursor: Type.Optional(Type.String()),
});
const NoContent = Type.Null({ description: 'Done' });

type Administrators = ReturnType<typeof createAdministratorRoutes>;

/** Grants and consents of users, for administrators. */
export function registerGrantAdministration(app: FastifyInstance, deps: Dependencies): void {
  const routes = createAdministratorRoutes('grants', deps.getAdministrator);
  registerGrants(app, deps, routes);
  registerConsentsOfUsers(app, deps, routes);
}

function registerGrants(app: FastifyInstance, { grantAdministration }: Dependencies, routes: Administrators): void {
  app.get<{ Querystring: Static<typeof GrantsQuery> }>(
    '/grants',
    {
      ...routes.describe('listGrants', 'List grants, a page at a time', { 200: GrantPage }, [404], {
        description:
          'Those that go on with a refresh token, the oldest first. Of a client, without those of users who have a role that the caller lacks: a page may be shorter.',
        querystring: GrantsQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async (request) => {
      const { limit, cursor, ...query } = request.query;
      const page = { after: cursor, limit };
      const { grants, next } = await forHolder(query, {
        ofUser: (user, client) => grantAdministration.listOfUser(user, client, page, routes.authorOf(request)),
        ofClient: (client) => grantAdministration.listOfClient(client, page, routes.authorOf(request)),
      });
      return { grants, ...(next !== undefined && { next_cursor: next }) };
    },
  );
  app.delete<{ Params: Static<typeof GrantParams> }>(
    '/grants/:id',
    routes.describe('endGrant', 'End a grant', { 204: NoContent }, [404], {
      description: 'Its refresh token and its access tokens end.',
      params: GrantParams,
    }),
    async (request, reply) => {
      await grantAdministration.end(request.params.id, routes.authorOf(request));
      return reply.code(204).send();
    },
  );
  app.delete<{ Querystring: Static<typeof EndQuery> }>(
    '/grants',
    {
      ...routes.describe('endGrants', 'End all grants of a user, of a client, or of both', { 204: NoContent }, [404], {
        description: 'Of a user, codes that wait end too. Consents stay.',
        querystring: EndQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async (request, reply) => {
      await forHolder(request.query, {
        ofUser: (user, client) => grantAdministration.endAllOfUser(user, client, routes.authorOf(request)),
        ofClient: (client) => grantAdministration.endAllOfClient(client, routes.authorOf(request)),
      });
      return reply.code(204).send();
    },
  );
}

function registerConsentsOfUsers(
  app: FastifyInstance,
  { consentAdministration }: Dependencies,
  routes: Administrators,
): void {
  app.get<{ Querystring: Static<typeof ConsentsQuery> }>(
    '/consents',
    {
      ...routes.describe('listConsents', 'List consents, a page at a time', { 200: ConsentPage }, [404], {
        description:
          'What users allow third-party clients. Of a client, without those of users who have a role that the caller lacks: a page may be shorter.',
        querystring: ConsentsQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async (request) => {
      const { limit, cursor, ...query } = request.query;
      const page = { after: cursor, limit };
      const { consents, next } = await forHolder(query, {
        ofUser: (user, client) => consentAdministration.listOfUser(user, client, page, routes.authorOf(request)),
        ofClient: (client) => consentAdministration.listOfClient(client, page, routes.authorOf(request)),
      });
      return { consents, ...(next !== undefined && { next_cursor: next }) };
    },
  );
  app.delete<{ Querystring: Static<typeof TakeBackQuery> }>(
    '/consents',
    {
      ...routes.describe('withdrawConsent', 'Take a consent of a user back', { 204: NoContent }, [404], {
        description: 'As the user does: the grants of the client for the user end too. Nothing where there is none.',
        querystring: TakeBackQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async (request, reply) => {
      const { user, client } = request.query;
      await consentAdministration.takeBack(user, client, routes.authorOf(request));
      return reply.code(204).send();
    },
  );
}

interface ForHolder<T> {
  ofUser(user: string, client: string | undefined): Promise<T>;
  ofClient(client: string): Promise<T>;
}

/** Does what the query asks for, which names a user, a client, or both; throws 400 where it names none. */
function forHolder<T>({ user, client }: Static<typeof EndQuery>, { ofUser, ofClient }: ForHolder<T>): Promise<T> {
  if (user !== undefined) return ofUser(user, client);
  if (client !== undefined) return ofClient(client);
  throw fieldsProblem([{ field: 'user', detail: 'is required where client is not given' }]);
}
