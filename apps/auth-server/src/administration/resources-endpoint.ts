import { truthQuery } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { RecordFact } from '../events/event.ts';
import { readSearch, searchQuery, textQuery } from '../http/list-query.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { Resource } from '../resources/resource.ts';
import type { ResourceAdministration } from './administer-resources.ts';
import type { GetAdministrator } from './administrator-routes-endpoint.ts';
import { recordsQuery, registerRecords } from './records-endpoint.ts';
import { NewResource, ResourceChanges } from './resource-body.ts';
import { buildResourceView } from './resource-view.ts';

interface Dependencies {
  orgApi: OrgApi;
  getAdministrator: GetAdministrator;
  resourceAdministration: ResourceAdministration;
  record: RecordFact;
}

const { limit, cursor, total } = recordsQuery;

/** The query of `GET /resources`. */
const ResourcesQuery = Type.Object({
  limit,
  cursor,
  resource: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'The URI of the one resource to list',
      expected: 'be a URI of 1 to 2048 characters',
    }),
  ),
  search: searchQuery('One to four words. Each begins a word of the name, the URI or a scope, without regard to case'),
  group: textQuery('A group that its tokens carry, without regard to case', 255),
  dynamic_clients: truthQuery('Whether clients that register themselves may ask for it'),
  total,
});
type ResourcesQuery = Static<typeof ResourcesQuery>;

/** Administration of resources, by administrators who may register clients. */
export function registerResourceAdministration(app: FastifyInstance, deps: Dependencies): void {
  const { orgApi, getAdministrator, resourceAdministration, record } = deps;
  registerRecords(app, getAdministrator, {
    one: 'a resource',
    many: 'resources',
    schema: 'Resource',
    creation: {
      description: 'An API of your own, for which clients then may ask for access tokens (RFC 8707).',
      body: NewResource,
    },
    change: {
      description:
        'What is left out stays as it is; null takes access_token_validity away. `scopes` replaces all: a scope that is taken away and added again later is a new one, which users are asked for again.',
      body: ResourceChanges,
    },
    query: ResourcesQuery,
    administration: {
      ...resourceAdministration,
      list: ({ cursor: after, search, dynamic_clients: dynamicClients, total: counts, ...query }: ResourcesQuery) =>
        resourceAdministration.list({
          ...query,
          after,
          words: readSearch(search),
          dynamicClients: dynamicClients && dynamicClients === 'true',
          total: counts === 'true',
        }),
    },
    view: (resource: Resource) => buildResourceView(resource, orgApi),
    describeCreated: ({ scopes }) => ({ scopes: scopes.map(({ name }) => name) }),
    record: (act, resource, administered) => record({ type: `resource.${act}`, resource, ...administered }),
  });
}
