import { VersionHeaders } from '@gatehouse/service-kit/etag';
import { clientSecretHash } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ClientAdministration } from './administer-clients.ts';
import { type ClientOperations, ClientParams } from './client-operations-endpoint.ts';

interface Dependencies {
  operations: ClientOperations;
  clientAdministration: Pick<ClientAdministration, 'replaceSecret' | 'endPreviousSecret' | 'checkSecret'>;
}

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
    client_secret_hash: Type.Optional(clientSecretHash),
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
  client_secret: Type.Optional(Type.String({ description: 'Shown this once; absent where its hash was sent' })),
  // Optional too, though it is always there: the answer has the members in this order.
  previous_secret_expires_in: Type.Optional(Type.Integer({ description: 'Seconds' })),
});

/** The body of a check of a secret. */
export const SecretCheck = Type.Object(
  {
    secret: Type.String({ minLength: 1, maxLength: 1024, expected: 'be a secret of 1 to 1024 characters' }),
  },
  { additionalProperties: false, examples: [{ secret: 'my-app-secret' }] },
);
export type SecretCheck = Static<typeof SecretCheck>;

/** The secrets of a client: a new one, the end of the one before, and whether one works. */
export function registerClientSecrets(app: FastifyInstance, deps: Dependencies): void {
  registerReplacement(app, deps);
  registerEnd(app, deps);
  registerCheck(app, deps);
}

/** `POST /clients/:client_id/secret`: the old secret keeps working for the seconds that the administrator names. */
function registerReplacement(app: FastifyInstance, { operations, clientAdministration }: Dependencies): void {
  const { describe, changeOf, told, record } = operations;

  app.post<{ Params: ClientParams; Body: Static<typeof SecretRequest> }>(
    '/clients/:client_id/secret',
    describe('makeClientSecret', 'Replace the secret', { 200: NewSecret }, [404, 409, 412], {
      params: ClientParams,
      headers: VersionHeaders,
      body: SecretRequest,
    }),
    async (request) => {
      const { client_secret: clientSecret, client_secret_hash: clientSecretHash } = request.body;
      const { grace_seconds: graceSeconds = 0 } = request.body;
      const { client_id: clientId } = request.params;
      const change = { clientSecret, clientSecretHash, graceSeconds };
      const replacing = clientAdministration.replaceSecret(clientId, change, changeOf(request));
      const { client, secret } = await told(request, replacing);
      const details = { grace_seconds: graceSeconds, ...(clientSecretHash !== undefined && { imported: true }) };
      await record(request, 'client.secret_replaced', client, details);
      return {
        client_id: clientId,
        ...(secret !== undefined && { client_secret: secret }),
        previous_secret_expires_in: graceSeconds,
      };
    },
  );
}

function registerEnd(app: FastifyInstance, { operations, clientAdministration }: Dependencies): void {
  const { describe, changeOf, told, record } = operations;
  app.delete<{ Params: ClientParams }>(
    '/clients/:client_id/secret/previous',
    describe(
      'endPreviousClientSecret',
      'End the previous secret',
      { 204: Type.Null({ description: 'Done' }) },
      [404, 409, 412],
      {
        description: 'For an old secret that still works for a while. 404 where there is none.',
        params: ClientParams,
        headers: VersionHeaders,
      },
    ),
    async (request, reply) => {
      const ending = clientAdministration.endPreviousSecret(request.params.client_id, changeOf(request));
      await record(request, 'client.secret_ended', await told(request, ending));
      return reply.code(204).send();
    },
  );
}

function registerCheck(app: FastifyInstance, { operations, clientAdministration }: Dependencies): void {
  const { describe, authorOf, told } = operations;
  app.post<{ Params: ClientParams; Body: SecretCheck }>(
    '/clients/:client_id/secret-checks',
    describe('checkClientSecret', 'Check a secret', { 200: Type.Object({ matches: Type.Boolean() }) }, [404, 409], {
      description: 'Whether it works now. Wrong ones count against the caller, never against the client.',
      params: ClientParams,
      body: SecretCheck,
    }),
    async (request) => {
      const { params, body } = request;
      const checking = clientAdministration.checkSecret(params.client_id, body.secret, authorOf(request));
      return { matches: await told(request, checking) };
    },
  );
}
