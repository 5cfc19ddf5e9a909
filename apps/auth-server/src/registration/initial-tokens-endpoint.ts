import { idPattern } from '@gatehouse/service-kit';
import { buildPageCursor, createQueryValidator, pageLength } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { describeAdministrator } from '../administration/administrator.ts';
import {
  type AdministratorRoutes,
  createAdministratorRoutes,
  type GetAdministrator,
} from '../administration/administrator-routes-endpoint.ts';
import { type RegistrationMode, registrationModes } from '../config.ts';
import type { InitialTokenAdministered, RecordFact } from '../events/event.ts';
import { showTotal, TotalMembers, totalQuery } from '../http/list-query.ts';
import { NewInitialToken } from './initial-token-body.ts';
import { buildInitialTokenView, CreatedInitialToken } from './initial-token-view.ts';
import type { InitialTokens } from './initial-tokens.ts';

interface Dependencies {
  config: { dynamicRegistration: RegistrationMode };
  getAdministrator: GetAdministrator;
  initialTokens: InitialTokens;
  record: RecordFact;
}

interface RouteDependencies {
  config: Dependencies['config'];
  routes: AdministratorRoutes;
  initialTokens: InitialTokens;
  record(
    request: FastifyRequest,
    type: InitialTokenAdministered['type'],
    initialTokenId: string,
    details?: InitialTokenAdministered['details'],
  ): Promise<void>;
}

const path = '/registration-tokens';

const ListQuery = Type.Object({
  limit: pageLength,
  cursor: buildPageCursor(idPattern),
  usable: Type.Optional(
    Type.Enum(['true'], { description: '`true`: only those with a use left', expected: 'be true' }),
  ),
  total: totalQuery,
});
const Params = Type.Object({ id: Type.String({ pattern: idPattern, description: 'UUID' }) });
const Page = Type.Object({
  registration: Type.Enum([...registrationModes], {
    description: 'Whether clients register themselves: not at all, by a token alone, or without one too',
  }),
  registration_tokens: Type.Array(Type.Ref('InitialAccessToken')),
  next_cursor: Type.Optional(Type.String()),
  ...TotalMembers,
});

/** Administration of initial access tokens, by administrators who may register clients. */
export function registerInitialTokenAdministration(app: FastifyInstance, deps: Dependencies): void {
  const routes = createAdministratorRoutes('registration', deps.getAdministrator);
  const shared: RouteDependencies = {
    routes,
    config: deps.config,
    initialTokens: deps.initialTokens,
    record(request, type, initialTokenId, details = {}) {
      const { administrator, context } = routes.authorOf(request);
      return deps.record({
        type,
        administrator: describeAdministrator(administrator),
        initialTokenId,
        details,
        context,
      });
    },
  };
  registerCreation(app, shared);
  registerList(app, shared);
  registerDeletion(app, shared);
}

function registerCreation(app: FastifyInstance, { routes, initialTokens, record }: RouteDependencies): void {
  app.post<{ Body: NewInitialToken }>(
    path,
    routes.describe('makeInitialAccessToken', 'Make an initial access token', { 201: CreatedInitialToken }, [], {
      description: 'By it clients register themselves (RFC 7591). They get no role that the caller lacks.',
      body: NewInitialToken,
    }),
    async (request, reply) => {
      const { administrator } = routes.authorOf(request);
      const { initialToken, token } = await initialTokens.create(request.body, administrator);
      const { id, uses, limits } = initialToken;
      await record(request, 'initial_token.created', id, { uses, grant_types: limits.grantTypes });
      return reply.code(201).send({ ...buildInitialTokenView(initialToken), token });
    },
  );
}

function registerList(app: FastifyInstance, { config, routes, initialTokens }: RouteDependencies): void {
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    path,
    {
      ...routes.describe('listInitialAccessTokens', 'List initial access tokens, a page at a time', { 200: Page }, [], {
        querystring: ListQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async ({ query: { limit, cursor, usable, total } }) => {
      const isUsable = usable !== undefined;
      const found = await initialTokens.list({ after: cursor, limit: limit + 1, usable: isUsable });
      const counted = total === 'true' ? await initialTokens.count({ usable: isUsable }) : undefined;
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)?.id : undefined;
      return {
        registration: config.dynamicRegistration,
        registration_tokens: page.map(buildInitialTokenView),
        ...(next === undefined ? {} : { next_cursor: next }),
        ...showTotal(counted),
      };
    },
  );
}

function registerDeletion(app: FastifyInstance, { routes, initialTokens, record }: RouteDependencies): void {
  app.delete<{ Params: Static<typeof Params> }>(
    `${path}/:id`,
    routes.describe(
      'deleteInitialAccessToken',
      'Delete an initial access token',
      { 204: Type.Null({ description: 'Done' }) },
      [404],
      {
        description: 'Clients that registered by it go on.',
        params: Params,
      },
    ),
    async (request, reply) => {
      const { id } = request.params;
      await initialTokens.delete(id);
      await record(request, 'initial_token.deleted', id);
      return reply.code(204).send();
    },
  );
}
