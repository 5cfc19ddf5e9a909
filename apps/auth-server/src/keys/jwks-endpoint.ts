import { registerForEveryOrigin } from '@gatehouse/service-kit/http';
import { ProblemError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SigningKeys } from './signing-keys.ts';

const describe = (operationId: string) => ({
  tags: ['metadata'],
  operationId,
  summary: 'Public keys of the realm',
  description: 'RFC 7517.',
  response: {
    200: Type.Object({ keys: Type.Array(Type.Object({}, { additionalProperties: true })) }),
  },
});

/** `GET /oauth/jwks` (RFC 7517 5); and where some tools look for it without reading the metadata. */
export async function registerJwks(app: FastifyInstance, { signingKeys }: { signingKeys: SigningKeys }): Promise<void> {
  const answer = async (_request: FastifyRequest, reply: FastifyReply) => {
    const keys = signingKeys.publicKeys();
    // An empty key set would make those who read it forget the good keys they have.
    if (keys.length === 0) throw new ProblemError(503, 'the signing keys are not there yet', { retryAfter: 5 });
    void reply.header('cache-control', 'public, max-age=60');
    return { keys };
  };
  await registerForEveryOrigin(app, (scope) => {
    scope.get('/oauth/jwks', { schema: describe('getJwks') }, answer);
    scope.get('/.well-known/jwks.json', { schema: describe('getWellKnownJwks') }, answer);
  });
}
