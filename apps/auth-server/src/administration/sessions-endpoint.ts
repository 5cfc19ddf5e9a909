import { idPattern } from '@gatehouse/service-kit';
import { buildPageCursor, createQueryValidator, pageLength } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { SessionAdministration } from './administer-sessions.ts';
import { createAdministratorRoutes, type GetAdministrator } from './administrator-routes-endpoint.ts';

interface Dependencies {
  getSystemAdministrator: GetAdministrator;
  sessionAdministration: SessionAdministration;
}

export const userName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Username, or id',
  expected: 'be a username or the id of a user',
});
const SessionsQuery = Type.Object({
  user: Type.Optional(userName),
  limit: pageLength,
  cursor: buildPageCursor(idPattern),
});
const SessionParams = Type.Object({ sid: Type.String({ pattern: idPattern, description: 'UUID' }) });
type SessionParams = Static<typeof SessionParams>;
const EndQuery = Type.Object({ user: userName });
const SessionPage = Type.Object({
  sessions: Type.Array(Type.Ref('Session')),
  next_cursor: Type.Optional(Type.String()),
});
const NoContent = Type.Null({ description: 'Done' });

/** Administration of sessions, for a SystemAdministrator. */
export function registerSessionAdministration(app: FastifyInstance, deps: Dependencies): void {
  const { getSystemAdministrator, sessionAdministration } = deps;
  const routes = createAdministratorRoutes('sessions', getSystemAdministrator);

  app.get<{ Querystring: Static<typeof SessionsQuery> }>(
    '/sessions',
    {
      ...routes.describe('listSessions', 'List sessions, a page at a time', { 200: SessionPage }, [404], {
        description: 'Those in force, the oldest first; of one user where `user` names one.',
        querystring: SessionsQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async (request) => {
      const { user, limit, cursor } = request.query;
      const { context } = routes.authorOf(request);
      const { sessions, next } = await sessionAdministration.list({ user, after: cursor, limit }, context);
      return { sessions, ...(next !== undefined && { next_cursor: next }) };
    },
  );
  app.get<{ Params: SessionParams }>(
    '/sessions/:sid',
    routes.describe('getSession', 'Read a session', { 200: Type.Ref('Session') }, [404], { params: SessionParams }),
    (request) => sessionAdministration.get(request.params.sid, routes.authorOf(request).context),
  );
  app.delete<{ Params: SessionParams }>(
    '/sessions/:sid',
    routes.describe('endSession', 'End a session', { 204: NoContent }, [404], {
      description: 'As a sign-out does, back-channel logout included.',
      params: SessionParams,
    }),
    async (request, reply) => {
      await sessionAdministration.end(request.params.sid, routes.authorOf(request));
      return reply.code(204).send();
    },
  );
  app.delete<{ Querystring: Static<typeof EndQuery> }>(
    '/sessions',
    {
      ...routes.describe('endSessionsOfUser', 'End all sessions of a user', { 204: NoContent }, [404], {
        description: 'And every grant of the user, offline access included.',
        querystring: EndQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async (request, reply) => {
      await sessionAdministration.endAll(request.query.user, routes.authorOf(request));
      return reply.code(204).send();
    },
  );
}
