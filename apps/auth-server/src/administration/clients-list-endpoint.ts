import { instantQuery, parseInstant } from '@gatehouse/service-kit/audit';
import { buildPageCursor, createQueryValidator, pageLength, truthQuery } from '@gatehouse/service-kit/http';
import { grantTypes } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ClientFacet } from '../clients/client-terms.ts';
import { listedFindings } from '../clients/listed-finding.ts';
import { readSearch, searchQuery, showTotal, TotalMembers, textQuery, totalQuery } from '../http/list-query.ts';
import type { ClientAdministration } from './administer-clients.ts';
import { type ClientOperations, clientsPaths } from './client-operations-endpoint.ts';
import type { ClientViews } from './client-view.ts';
import { clientOrders } from './list-clients.ts';

/** The filters: each has a term for each of its values. */
const Filters = {
  grant_type: Type.Optional(
    Type.Enum([...grantTypes], {
      description: 'A grant type that they may use',
      expected: `be one of ${grantTypes.join(', ')}`,
    }),
  ),
  resource: textQuery('The URI of a resource that they name', 2048),
  scope: textQuery('A scope that they may ask for', 255),
  robot: textQuery('The username of their Robot', 255),
  public: truthQuery('Whether they have no secret'),
  dynamic: truthQuery('Whether they registered themselves'),
  enabled: truthQuery('Whether they are not disabled'),
  third_party: truthQuery('Whether users are asked before they get anything'),
  issuer: textQuery('An issuer whose tokens they prove themselves by', 512),
  allowed_group: textQuery('A group that they let in (`allowed_groups`), without regard to case', 255),
  managed_by: textQuery('The project that administers them', 64),
} satisfies Record<ClientFacet, unknown>;

/** The query of `GET /clients`. */
const ClientsQuery = Type.Object({
  limit: pageLength,
  cursor: buildPageCursor('^[A-Za-z0-9._~!*-]{1,1024}$'),
  search: searchQuery(
    'One to four words. Each begins a word of the client_id, the name, the Robot or the host of a URI, without regard to case',
  ),
  ...Filters,
  unused_since: instantQuery(
    'Those that got no token since this instant (ISO 8601; a date is its midnight in UTC), or never',
  ),
  finding: Type.Optional(
    Type.Enum([...listedFindings], {
      description: 'Those of which `GET /findings` says this',
      expected: `be one of ${listedFindings.join(', ')}`,
    }),
  ),
  sort: Type.Optional(
    Type.Enum([...clientOrders], {
      description:
        'The order; `-updated_at`: the last change first; `last_used_at`: those that never got a token first, then those that got none for the longest time. Not together with `search`',
      expected: `be one of ${clientOrders.join(', ')}`,
    }),
  ),
  total: totalQuery,
});
type ClientsQuery = Static<typeof ClientsQuery>;

const ClientPage = Type.Object({
  clients: Type.Array(Type.Ref('Client')),
  next_cursor: Type.Optional(Type.String()),
  ...TotalMembers,
});

interface Dependencies {
  operations: ClientOperations;
  clientAdministration: Pick<ClientAdministration, 'list'>;
  clientViews: Pick<ClientViews, 'showAll'>;
}

/** `GET /clients`. */
export function registerClientList(
  app: FastifyInstance,
  { operations, clientAdministration, clientViews }: Dependencies,
): void {
  const describe = (hide: boolean) =>
    operations.describe('listClients', 'List clients, a page at a time', { 200: ClientPage }, [], {
      description:
        'The filters combine by "and". A page of a search or filter examines at most 10,000 entries: it may be short or empty and still have `next_cursor`. A search by words gives its clients in the order of their words.',
      querystring: ClientsQuery,
      hide,
    });
  for (const { path, hide } of clientsPaths) {
    app.get<{ Querystring: ClientsQuery }>(
      path,
      { ...describe(hide), validatorCompiler: createQueryValidator },
      async (request) => {
        const { search, total, unused_since: since, ...query } = request.query;
        const found = await clientAdministration.list({
          ...query,
          words: readSearch(search),
          unusedSince: parseInstant(since),
          total: total === 'true',
        });
        const { clients, nextCursor: next } = found;
        return {
          clients: await clientViews.showAll(clients),
          ...(next === undefined ? {} : { next_cursor: next }),
          ...showTotal(found.total),
        };
      },
    );
  }
}
