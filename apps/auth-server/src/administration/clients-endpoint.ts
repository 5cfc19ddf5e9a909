import { describeProblems, originOf } from '@gatehouse/service-kit';
import { type ClientChanges, clientChangesSchema, clientIdPattern } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import type { ClientAdministered, RecordFact, Tell } from '../events/event.ts';
import type { Author, ClientAdministration } from './administer-clients.ts';
import { administratorSecurity } from './administrator-security.ts';
import type { Administrator } from './client-ceiling.ts';
import { buildClientView } from './client-view.ts';
import type { GetAdministrator } from './guard-endpoint.ts';
import { tellIfKept } from './tell-kept-clients.ts';

interface Dependencies {
  config: { extraScopes: readonly string[] };
  getAdministrator: GetAdministrator;
  clientAdministration: ClientAdministration;
  tell: Tell;
  record: RecordFact;
}

const ClientParams = Type.Object({ client_id: Type.String({ pattern: clientIdPattern }) });
type ClientParams = Static<typeof ClientParams>;
const ListQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(Type.String({ pattern: clientIdPattern, description: '`next_cursor` of the page before' })),
});
const ClientPage = Type.Object({
  clients: Type.Array(Type.Ref('Client')),
  next_cursor: Type.Optional(Type.String()),
});
const longestGrace = 30 * 86_400;
const SecretRequest = Type.Object(
  {
    client_secret: Type.Optional(
      Type.String({
        pattern: '^[\\x20-\\x7e]{1,1024}$',
        description: 'Made by the server where left out',
        expected: 'be 1–1024 printable ASCII characters',
      }),
    ),
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: longestGrace,
        default: 0,
        description: 'For how long the old secret keeps working',
        expected: `be an integer number of seconds from 0 to ${longestGrace}`,
      }),
    ),
  },
  { additionalProperties: false },
);
const NewSecret = Type.Object({
  client_id: Type.String(),
  client_secret: Type.String({ description: 'Shown this once' }),
  previous_secret_expires_in: Type.Integer({ description: 'Seconds' }),
});

/** Client administration: who may register clients may also see, change and delete them. */
export function registerClientAdministration(app: FastifyInstance, deps: Dependencies): void {
  const { config, getAdministrator, clientAdministration, tell, record } = deps;
  const administrators = new WeakMap<FastifyRequest, Administrator>();
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    void administrators.set(request, await getAdministrator(request, reply));
  const authorOf = (request: FastifyRequest): Author => ({
    administrator: administrators.get(request) as Administrator,
    origin: originOf(request),
  });
  const write = (
    request: FastifyRequest,
    type: ClientAdministered['type'],
    client: Client,
    details: ClientAdministered['details'] = {},
  ) => {
    const { administrator, origin } = authorOf(request);
    return record({ type, administrator: administrator.user, client, details, origin });
  };
  const told = <T>(request: FastifyRequest<{ Params: ClientParams }>, change: Promise<T>): Promise<T> =>
    tellIfKept(tell, authorOf(request as FastifyRequest), request.params.client_id, change);
  const describe = (summary: string, statuses: readonly number[]) => ({
    tags: ['clients'],
    summary,
    security: administratorSecurity,
    failures: describeProblems(401, 403, 429, 500, ...statuses),
  });
  const operation = (summary: string, success: object, statuses: readonly number[], input: object = {}) => {
    const { failures, ...description } = describe(summary, statuses);
    return { schema: { ...description, ...input, response: { ...success, ...failures } }, onRequest };
  };

  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/clients',
    operation('List clients, a page at a time', { 200: ClientPage }, [400], { querystring: ListQuery }),
    async (request) => {
      const { limit, cursor } = request.query;
      const found = await clientAdministration.list({ after: cursor, limit: limit + 1 });
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)?.clientId : undefined;
      return { clients: page.map(buildClientView), ...(next === undefined ? {} : { next_cursor: next }) };
    },
  );

  app.get<{ Params: ClientParams }>(
    '/clients/:client_id',
    operation('Read a client', { 200: Type.Ref('Client') }, [400, 404], { params: ClientParams }),
    async ({ params }) => buildClientView(await clientAdministration.get(params.client_id)),
  );

  app.patch<{ Params: ClientParams; Body: ClientChanges }>(
    '/clients/:client_id',
    operation('Change a client', { 200: Type.Ref('Client') }, [400, 404, 409, 413, 415], {
      description:
        'What is left out stays as it is; null takes redirect_uri or srvc_ac_user_name away. `trusted`: a SystemAdministrator raises the ceiling to all roles.',
      params: ClientParams,
      body: clientChangesSchema(config.extraScopes),
    }),
    async (request) => {
      const { params, body } = request;
      const client = await told(request, clientAdministration.change(params.client_id, body, authorOf(request)));
      await write(request, 'client.changed', client, { fields: Object.keys(body) });
      return buildClientView(client);
    },
  );

  app.post<{ Params: ClientParams; Body: Static<typeof SecretRequest> }>(
    '/clients/:client_id/secret',
    operation('Replace the secret', { 200: NewSecret }, [400, 404, 409, 413, 415], {
      params: ClientParams,
      body: SecretRequest,
    }),
    async (request) => {
      const { client_secret: clientSecret, grace_seconds: graceSeconds = 0 } = request.body;
      const { client_id: clientId } = request.params;
      const replacement = { clientSecret, graceSeconds };
      const replacing = clientAdministration.replaceSecret(clientId, replacement, authorOf(request));
      const { client, secret } = await told(request, replacing);
      await write(request, 'client.secret_replaced', client, { grace_seconds: graceSeconds });
      return { client_id: clientId, client_secret: secret, previous_secret_expires_in: graceSeconds };
    },
  );

  app.delete<{ Params: ClientParams }>(
    '/clients/:client_id',
    operation('Delete a client', { 204: Type.Null({ description: 'Done' }) }, [400, 404], { params: ClientParams }),
    async (request, reply) => {
      const deleting = clientAdministration.delete(request.params.client_id, authorOf(request));
      await write(request, 'client.deleted', await told(request, deleting));
      return reply.code(204).send();
    },
  );
}
