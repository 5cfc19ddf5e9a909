import { idPattern } from '@gatehouse/service-kit';
import { entityTagOf, VersionHeaders } from '@gatehouse/service-kit/etag';
import {
  buildPageCursor,
  createQueryValidator,
  DryRunQuery,
  isDryRun,
  pageLength,
  sendDryRun,
} from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { RecordFact, ResourceAdministered } from '../events/event.ts';
import { readSearch, searchQuery, showTotal, TotalMembers, totalQuery, truthQuery } from '../http/list-query.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { Resource } from '../resources/resource.ts';
import type { ResourceAdministration } from './administer-resources.ts';
import { describeAdministrator } from './administrator.ts';
import {
  type AdministratorRoutes,
  createAdministratorRoutes,
  type GetAdministrator,
} from './administrator-routes-endpoint.ts';
import { listFieldChanges } from './field-changes.ts';
import { NewResource, ResourceChanges } from './resource-body.ts';
import { buildResourceView } from './resource-view.ts';

interface Dependencies {
  orgApi: OrgApi;
  getAdministrator: GetAdministrator;
  resourceAdministration: ResourceAdministration;
  record: RecordFact;
}

interface RouteDependencies {
  routes: AdministratorRoutes;
  administration: ResourceAdministration;
  view(resource: Resource): ReturnType<typeof buildResourceView>;
  record(
    request: FastifyRequest,
    type: ResourceAdministered['type'],
    resource: Resource,
    details?: ResourceAdministered['details'],
  ): Promise<void>;
}

/** The query of `GET /resources`. */
const ResourcesQuery = Type.Object({
  limit: pageLength,
  cursor: buildPageCursor(idPattern),
  resource: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'The URI of the one resource to list',
      expected: 'be a URI of 1 to 2048 characters',
    }),
  ),
  search: searchQuery('One to four words. Each begins a word of the name, the URI or a scope, without regard to case'),
  dynamic_clients: truthQuery('Whether clients that register themselves may ask for it'),
  total: totalQuery,
});
type ResourcesQuery = Static<typeof ResourcesQuery>;

const ResourceParams = Type.Object({ id: Type.String({ pattern: idPattern, description: 'UUID' }) });
type ResourceParams = Static<typeof ResourceParams>;

const ResourcePage = Type.Object({
  resources: Type.Array(Type.Ref('Resource')),
  next_cursor: Type.Optional(Type.String()),
  ...TotalMembers,
});

/** Administration of resources, by administrators who may register clients. */
export function registerResourceAdministration(app: FastifyInstance, deps: Dependencies): void {
  const routes = createAdministratorRoutes('resources', deps.getAdministrator);
  const shared: RouteDependencies = {
    routes,
    administration: deps.resourceAdministration,
    view: (resource) => buildResourceView(resource, deps.orgApi),
    record(request, type, resource, details = {}) {
      const { administrator, context } = routes.authorOf(request);
      return deps.record({ type, administrator: describeAdministrator(administrator), resource, details, context });
    },
  };
  registerCreation(app, shared);
  registerList(app, shared);
  registerRead(app, shared);
  registerChange(app, shared);
  registerDeletion(app, shared);
}

function registerCreation(app: FastifyInstance, { routes, administration, view, record }: RouteDependencies): void {
  app.post<{ Body: NewResource }>(
    '/resources',
    routes.describe(
      'registerResource',
      'Register a resource',
      { 200: Type.Ref('DryRun'), 201: Type.Ref('Resource') },
      [409],
      {
        description: 'An API of your own, for which clients then may ask for access tokens (RFC 8707).',
        querystring: DryRunQuery,
        body: NewResource,
      },
    ),
    async (request, reply) => {
      if (isDryRun(request)) {
        return sendDryRun(reply, { after: view(await administration.planCreation(request.body)) });
      }
      const created = await administration.create(request.body);
      await record(request, 'resource.created', created, { scopes: created.scopes.map(({ name }) => name) });
      return reply.code(201).send(view(created));
    },
  );
}

function registerList(app: FastifyInstance, { routes, administration, view }: RouteDependencies): void {
  app.get<{ Querystring: ResourcesQuery }>(
    '/resources',
    {
      ...routes.describe('listResources', 'List resources, a page at a time', { 200: ResourcePage }, [], {
        querystring: ResourcesQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async ({ query: { cursor, search, dynamic_clients: dynamicClients, total, ...query } }) => {
      const found = await administration.list({
        ...query,
        after: cursor,
        words: readSearch(search),
        dynamicClients: dynamicClients && dynamicClients === 'true',
        total: total === 'true',
      });
      return {
        resources: found.resources.map(view),
        ...(found.next === undefined ? {} : { next_cursor: found.next }),
        ...showTotal(found.total),
      };
    },
  );
}

function registerRead(app: FastifyInstance, { routes, administration, view }: RouteDependencies): void {
  app.get<{ Params: ResourceParams }>(
    '/resources/:id',
    routes.describe('getResource', 'Read a resource', { 200: Type.Ref('Resource') }, [404], { params: ResourceParams }),
    async ({ params }, reply) => showVersion(reply, await administration.get(params.id), view),
  );
}

function registerChange(app: FastifyInstance, { routes, administration, view, record }: RouteDependencies): void {
  app.patch<{ Params: ResourceParams; Body: ResourceChanges }>(
    '/resources/:id',
    routes.describe('changeResource', 'Change a resource', { 200: Type.Ref('Resource') }, [404, 409, 412], {
      description:
        'What is left out stays as it is; null takes access_token_validity away. `scopes` replaces all: a scope that is taken away and added again later is a new one, which users are asked for again.',
      params: ResourceParams,
      querystring: DryRunQuery,
      headers: VersionHeaders,
      body: ResourceChanges,
    }),
    async (request, reply) => {
      const { expected } = routes.changeOf(request);
      if (isDryRun(request)) {
        const { before, after } = await administration.planChange(request.params.id, request.body, expected);
        return sendDryRun(reply, { before: view(before), after: view(after) });
      }
      const { before, after } = await administration.change(request.params.id, request.body, expected);
      const changes = listFieldChanges(view(before), view(after));
      await record(request, 'resource.changed', after, { fields: Object.keys(request.body), changes });
      return showVersion(reply, after, view);
    },
  );
}

function registerDeletion(app: FastifyInstance, { routes, administration, view, record }: RouteDependencies): void {
  app.delete<{ Params: ResourceParams }>(
    '/resources/:id',
    routes.describe(
      'deleteResource',
      'Delete a resource',
      { 200: Type.Ref('DryRun'), 204: Type.Null({ description: 'Done' }) },
      [404, 409, 412],
      {
        params: ResourceParams,
        querystring: DryRunQuery,
        headers: VersionHeaders,
      },
    ),
    async (request, reply) => {
      const { expected } = routes.changeOf(request);
      if (isDryRun(request)) {
        return sendDryRun(reply, { before: view(await administration.planDeletion(request.params.id, expected)) });
      }
      await record(request, 'resource.deleted', await administration.delete(request.params.id, expected));
      return reply.code(204).send();
    },
  );
}

/** Shows a resource with its version, which a change may name. */
function showVersion(reply: FastifyReply, resource: Resource, view: RouteDependencies['view']) {
  void reply.header('etag', entityTagOf(resource));
  return view(resource);
}
