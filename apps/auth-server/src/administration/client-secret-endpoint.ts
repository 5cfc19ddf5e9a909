import { VersionHeaders } from '@gatehouse/service-kit/etag';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { ReplaceClientSecret } from './change-client.ts';
import { type ClientOperations, ClientParams } from './client-operations-endpoint.ts';

interface Dependencies {
  operations: ClientOperations;
  replaceClientSecret: ReplaceClientSecret;
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

/** `POST /clients/:client_id/secret`: the old secret keeps working for the seconds that the administrator names. */
export function registerClientSecret(app: FastifyInstance, { operations, replaceClientSecret }: Dependencies): void {
  const { describe, changeOf, told, record } = operations;

  app.post<{ Params: ClientParams; Body: Static<typeof SecretRequest> }>(
    '/clients/:client_id/secret',
    describe('Replace the secret', { 200: NewSecret }, [404, 409, 412], {
      params: ClientParams,
      headers: VersionHeaders,
      body: SecretRequest,
    }),
    async (request) => {
      const { client_secret: clientSecret, grace_seconds: graceSeconds = 0 } = request.body;
      const { client_id: clientId } = request.params;
      const replacing = replaceClientSecret(clientId, { clientSecret, graceSeconds }, changeOf(request));
      const { client, secret } = await told(request, replacing);
      await record(request, 'client.secret_replaced', client, { grace_seconds: graceSeconds });
      return { client_id: clientId, client_secret: secret, previous_secret_expires_in: graceSeconds };
    },
  );
}
