import {
  type AuditEntry,
  type AuditEventType,
  type AuditTrail,
  describeProblems,
  originOf,
} from '@gatehouse/service-kit';
import {
  type ClientChanges,
  clientChangesSchema,
  clientIdPattern,
  type DirectoryUser,
  grantTypes,
  optionalClientMetadata,
} from '@gatehouse/shared';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { describeClient, describeUser } from '../audit/parties.ts';
import type { ClientAdministration } from '../clients/administer-clients.ts';
import { type Client, isPublic } from '../clients/client.ts';
import type { AuthenticateAdministrator } from '../http/administrator.ts';
import { administratorSecurity } from './administrator-security.ts';

interface Dependencies {
  config: { extraScopes: readonly string[] };
  authenticateAdministrator: AuthenticateAdministrator;
  clientAdministration: ClientAdministration;
  audit: AuditTrail;
}

const anyMembers = { additionalProperties: true };

/** A client as administrators see it: never a secret. */
export const ClientView = Type.Object(
  {
    client_id: Type.String(),
    scope: Type.Array(Type.String()),
    authorized_grant_types: Type.Array(Type.Enum([...grantTypes])),
    redirect_uri: Type.Optional(Type.String()),
    access_token_validity: Type.Integer({ description: 'Seconds' }),
    srvc_ac_user_name: Type.Optional(Type.String()),
    ...optionalClientMetadata,
    // Every member of a key, which the answer would else be stripped of.
    jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() }, anyMembers)) })),
    public: Type.Boolean({ description: 'Whether it has no secret' }),
    created_at: Type.String({ description: 'RFC 3339, UTC' }),
    updated_at: Type.String({ description: 'RFC 3339, UTC' }),
  },
  { $id: 'Client' },
);

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
  const { config, authenticateAdministrator, clientAdministration, audit } = deps;
  const administrators = new WeakMap<FastifyRequest, DirectoryUser>();
  const onRequest = async (request: FastifyRequest) =>
    void administrators.set(request, await authenticateAdministrator(request));
  const write = (
    request: FastifyRequest,
    type: AuditEventType,
    client: Client,
    details: NonNullable<AuditEntry['details']> = {},
  ) => {
    const actor = describeUser(administrators.get(request) as DirectoryUser);
    return audit.write({ type, actor, subject: describeClient(client), details, origin: originOf(request) });
  };
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
      description: 'What is left out stays as it is; null takes redirect_uri or srvc_ac_user_name away.',
      params: ClientParams,
      body: clientChangesSchema(config.extraScopes),
    }),
    async (request) => {
      const { params, body } = request;
      const client = await clientAdministration.change(params.client_id, body, originOf(request));
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
    async (request, reply) => {
      const { client_secret: clientSecret, grace_seconds: graceSeconds = 0 } = request.body;
      const { client_id: clientId } = request.params;
      const { client, secret } = await clientAdministration.replaceSecret(clientId, { clientSecret, graceSeconds });
      await write(request, 'client.secret_replaced', client, { grace_seconds: graceSeconds });
      void reply.header('cache-control', 'no-store');
      return { client_id: clientId, client_secret: secret, previous_secret_expires_in: graceSeconds };
    },
  );

  app.delete<{ Params: ClientParams }>(
    '/clients/:client_id',
    operation('Delete a client', { 204: Type.Null({ description: 'Done' }) }, [400, 404], { params: ClientParams }),
    async (request, reply) => {
      await write(request, 'client.deleted', await clientAdministration.delete(request.params.client_id));
      return reply.code(204).send();
    },
  );
}

function buildClientView(client: Client): Static<typeof ClientView> {
  const { redirectUri, serviceAccount } = client;
  return {
    client_id: client.clientId,
    scope: client.scope,
    authorized_grant_types: client.grantTypes,
    ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
    access_token_validity: client.accessTokenValidity,
    ...(serviceAccount === undefined ? {} : { srvc_ac_user_name: serviceAccount.username }),
    ...client.metadata,
    public: isPublic(client),
    created_at: new Date(client.createdAt).toISOString(),
    updated_at: new Date(client.updatedAt).toISOString(),
  };
}
