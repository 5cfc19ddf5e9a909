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
import type { IssuerAdministered, RecordFact } from '../events/event.ts';
import { showTotal, TotalMembers, totalQuery } from '../http/list-query.ts';
import type { Issuer } from '../issuers/issuer.ts';
import type { IssuerAdministration } from './administer-issuers.ts';
import { describeAdministrator } from './administrator.ts';
import {
  type AdministratorRoutes,
  createAdministratorRoutes,
  type GetAdministrator,
} from './administrator-routes-endpoint.ts';
import { listFieldChanges } from './field-changes.ts';
import { IssuerChanges, NewIssuer } from './issuer-body.ts';
import { buildIssuerView } from './issuer-view.ts';

interface Dependencies {
  getSystemAdministrator: GetAdministrator;
  issuerAdministration: IssuerAdministration;
  record: RecordFact;
}

interface RouteDependencies {
  routes: AdministratorRoutes;
  administration: IssuerAdministration;
  record(
    request: FastifyRequest,
    type: IssuerAdministered['type'],
    issuer: Issuer,
    details?: IssuerAdministered['details'],
  ): Promise<void>;
}

/** The query of `GET /issuers`. */
const IssuersQuery = Type.Object({
  limit: pageLength,
  cursor: buildPageCursor(idPattern),
  total: totalQuery,
});
type IssuersQuery = Static<typeof IssuersQuery>;

const IssuerParams = Type.Object({ id: Type.String({ pattern: idPattern, description: 'UUID' }) });
type IssuerParams = Static<typeof IssuerParams>;

const IssuerPage = Type.Object({
  issuers: Type.Array(Type.Ref('Issuer')),
  next_cursor: Type.Optional(Type.String()),
  ...TotalMembers,
});

/** Administration of the issuers that clients prove themselves by, by SystemAdministrators. */
export function registerIssuerAdministration(app: FastifyInstance, deps: Dependencies): void {
  const routes = createAdministratorRoutes('issuers', deps.getSystemAdministrator);
  const shared: RouteDependencies = {
    routes,
    administration: deps.issuerAdministration,
    record(request, type, issuer, details = {}) {
      const { administrator, context } = routes.authorOf(request);
      return deps.record({ type, administrator: describeAdministrator(administrator), issuer, details, context });
    },
  };
  registerCreation(app, shared);
  registerList(app, shared);
  registerRead(app, shared);
  registerChange(app, shared);
  registerDeletion(app, shared);
}

function registerCreation(app: FastifyInstance, { routes, administration, record }: RouteDependencies): void {
  app.post<{ Body: NewIssuer }>(
    '/issuers',
    routes.describe(
      'registerIssuer',
      'Register an issuer',
      { 200: Type.Ref('DryRun'), 201: Type.Ref('Issuer') },
      [409],
      {
        description: 'An issuer whose tokens clients may prove themselves by, in place of a secret.',
        querystring: DryRunQuery,
        body: NewIssuer,
      },
    ),
    async (request, reply) => {
      if (isDryRun(request)) {
        return sendDryRun(reply, { after: buildIssuerView(await administration.planCreation(request.body)) });
      }
      const created = await administration.create(request.body);
      await record(request, 'issuer.created', created);
      return reply.code(201).send(buildIssuerView(created));
    },
  );
}

function registerList(app: FastifyInstance, { routes, administration }: RouteDependencies): void {
  app.get<{ Querystring: IssuersQuery }>(
    '/issuers',
    {
      ...routes.describe('listIssuers', 'List issuers, a page at a time', { 200: IssuerPage }, [], {
        querystring: IssuersQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async ({ query: { cursor, limit, total } }) => {
      const found = await administration.list({ limit, after: cursor, total: total === 'true' });
      return {
        issuers: found.issuers.map(buildIssuerView),
        ...(found.next === undefined ? {} : { next_cursor: found.next }),
        ...showTotal(found.total),
      };
    },
  );
}

function registerRead(app: FastifyInstance, { routes, administration }: RouteDependencies): void {
  app.get<{ Params: IssuerParams }>(
    '/issuers/:id',
    routes.describe('getIssuer', 'Read an issuer', { 200: Type.Ref('Issuer') }, [404], { params: IssuerParams }),
    async ({ params }, reply) => showVersion(reply, await administration.get(params.id)),
  );
}

function registerChange(app: FastifyInstance, { routes, administration, record }: RouteDependencies): void {
  app.patch<{ Params: IssuerParams; Body: IssuerChanges }>(
    '/issuers/:id',
    routes.describe('changeIssuer', 'Change an issuer', { 200: Type.Ref('Issuer') }, [404, 409, 412], {
      description:
        'What is left out stays as it is; null takes jwks or jwks_uri away. The keys that were read before are forgotten.',
      params: IssuerParams,
      querystring: DryRunQuery,
      headers: VersionHeaders,
      body: IssuerChanges,
    }),
    async (request, reply) => {
      const { expected } = routes.changeOf(request);
      if (isDryRun(request)) {
        const { before, after } = await administration.planChange(request.params.id, request.body, expected);
        return sendDryRun(reply, { before: buildIssuerView(before), after: buildIssuerView(after) });
      }
      const { before, after } = await administration.change(request.params.id, request.body, expected);
      const changes = listFieldChanges(buildIssuerView(before), buildIssuerView(after));
      await record(request, 'issuer.changed', after, { fields: Object.keys(request.body), changes });
      return showVersion(reply, after);
    },
  );
}

function registerDeletion(app: FastifyInstance, { routes, administration, record }: RouteDependencies): void {
  app.delete<{ Params: IssuerParams }>(
    '/issuers/:id',
    routes.describe(
      'deleteIssuer',
      'Delete an issuer',
      { 200: Type.Ref('DryRun'), 204: Type.Null({ description: 'Done' }) },
      [404, 409, 412],
      {
        params: IssuerParams,
        querystring: DryRunQuery,
        headers: VersionHeaders,
      },
    ),
    async (request, reply) => {
      const { expected } = routes.changeOf(request);
      if (isDryRun(request)) {
        return sendDryRun(reply, {
          before: buildIssuerView(await administration.planDeletion(request.params.id, expected)),
        });
      }
      await record(request, 'issuer.deleted', await administration.delete(request.params.id, expected));
      return reply.code(204).send();
    },
  );
}

/** Shows an issuer with its version, which a change may name. */
function showVersion(reply: FastifyReply, issuer: Issuer) {
  void reply.header('etag', entityTagOf(issuer));
  return buildIssuerView(issuer);
}
