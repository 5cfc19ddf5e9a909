import { entityTagOf, VersionHeaders } from '@gatehouse/service-kit/etag';
import { DryRunQuery, isDryRun, sendDryRun } from '@gatehouse/service-kit/http';
import { type ClientChanges, clientChangesSchema } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import type { RecordFact, Tell } from '../events/event.ts';
import type { ClientLogoAdministration } from './administer-client-logos.ts';
import type { ClientAdministration } from './administer-clients.ts';
import type { GetAdministrator } from './administrator-routes-endpoint.ts';
import { registerClientLogos } from './client-logo-endpoint.ts';
import {
  type ClientOperations,
  type ClientParams,
  createClientOperations,
  NamedClientParams,
} from './client-operations-endpoint.ts';
import { registerClientSecrets } from './client-secret-endpoint.ts';
import { buildSettingsView, type ClientViews } from './client-view.ts';
import { registerClientList } from './clients-list-endpoint.ts';
import type { CountEndings } from './count-endings.ts';
import { listFieldChanges } from './field-changes.ts';

interface Dependencies {
  getAdministrator: GetAdministrator;
  clientAdministration: ClientAdministration;
  clientLogoAdministration: ClientLogoAdministration;
  countEndings: CountEndings;
  clientViews: ClientViews;
  tell: Tell;
  record: RecordFact;
}

interface RouteDependencies {
  operations: ClientOperations;
  clientAdministration: ClientAdministration;
  countEndings: CountEndings;
  clientViews: ClientViews;
}

/** Client administration: administrators who register clients may also see, change and delete them. */
export async function registerClientAdministration(app: FastifyInstance, deps: Dependencies): Promise<void> {
  const { clientAdministration, clientLogoAdministration, clientViews, countEndings } = deps;
  const operations = createClientOperations(deps);
  const forRoutes = { operations, clientAdministration, clientViews, countEndings };
  registerClientList(app, forRoutes);
  registerRead(app, forRoutes);
  registerChange(app, forRoutes);
  registerClientSecrets(app, forRoutes);
  registerDeletion(app, forRoutes);
  await registerClientLogos(app, { operations, clientLogoAdministration });
}

function registerRead(
  app: FastifyInstance,
  { operations, clientAdministration, clientViews }: RouteDependencies,
): void {
  app.get<{ Params: ClientParams }>(
    '/clients/:client_id',
    operations.describe('getClient', 'Read a client', { 200: Type.Ref('Client') }, [404], {
      params: NamedClientParams,
    }),
    async ({ params }, reply) => showClient(clientViews, reply, await clientAdministration.get(params.client_id)),
  );
}

function registerChange(
  app: FastifyInstance,
  { operations, clientAdministration, clientViews, countEndings }: RouteDependencies,
): void {
  const { describe, changeOf, told, record } = operations;
  const recordChange = async (
    request: FastifyRequest,
    { before, after }: { before: Client; after: Client },
    { enabled, ...others }: ClientChanges,
  ) => {
    if (enabled !== undefined) await record(request, enabled ? 'client.enabled' : 'client.disabled', after);
    const fields = Object.keys(others);
    if (enabled !== undefined && fields.length === 0) return;
    const changes = listFieldChanges(
      buildSettingsView({ ...before, enabled: after.enabled }),
      buildSettingsView(after),
    );
    await record(request, 'client.changed', after, { fields, changes });
  };
  app.patch<{ Params: ClientParams; Body: ClientChanges }>(
    '/clients/:client_id',
    describe('changeClient', 'Change a client', { 200: Type.Ref('Client') }, [404, 409, 412], {
      description:
        'What is left out stays as it is; null takes redirect_uri or srvc_ac_user_name away. `trusted`: a SystemAdministrator raises the ceiling to all roles. `enabled`: false ends the codes and access tokens of the client and has it refused everywhere; true lets it go on, with its refresh tokens. A client of a metadata document takes `enabled` alone.',
      params: NamedClientParams,
      querystring: DryRunQuery,
      headers: VersionHeaders,
      body: clientChangesSchema(),
    }),
    async (request, reply) => {
      const { params, body } = request;
      const change = [params.client_id, body, changeOf(request)] as const;
      if (isDryRun(request)) {
        const planned = await told(request, clientAdministration.planChange(...change));
        const ends = await countEndings(planned.before, planned.after);
        const [before, after] = await clientViews.showAll([planned.before, planned.after]);
        return sendDryRun(reply, { before, after, ends });
      }
      const { before, after } = await told(request, clientAdministration.change(...change));
      await recordChange(request, { before, after }, body);
      return showClient(clientViews, reply, after);
    },
  );
}

function registerDeletion(
  app: FastifyInstance,
  { operations, clientAdministration, clientViews, countEndings }: RouteDependencies,
): void {
  const { describe, changeOf, told, record } = operations;
  app.delete<{ Params: ClientParams }>(
    '/clients/:client_id',
    describe(
      'deleteClient',
      'Delete a client',
      { 200: Type.Ref('DryRun'), 204: Type.Null({ description: 'Done' }) },
      [404, 409, 412],
      {
        params: NamedClientParams,
        querystring: DryRunQuery,
        headers: VersionHeaders,
      },
    ),
    async (request, reply) => {
      if (isDryRun(request)) {
        const planning = clientAdministration.planDeletion(request.params.client_id, changeOf(request));
        const before = await told(request, planning);
        const ends = await countEndings(before, undefined);
        return sendDryRun(reply, { before: await clientViews.show(before), ends });
      }
      const deleting = clientAdministration.delete(request.params.client_id, changeOf(request));
      await record(request, 'client.deleted', await told(request, deleting));
      return reply.code(204).send();
    },
  );
}

/** Shows a client with its version, which a change may name. */
function showClient(clientViews: ClientViews, reply: FastifyReply, client: Client) {
  void reply.header('etag', entityTagOf(client));
  return clientViews.show(client);
}
