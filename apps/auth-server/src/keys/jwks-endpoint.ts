import { ProblemError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SigningKeys } from './signing-keys.ts';

const schema = {
  tags: ['metadata'],
  summary: 'Public keys of the realm',
  description: 'RFC 7517.',
  response: {
    200: Type.Object({ keys: Type.Array(Type.Object({}, { additionalProperties: true })) }),
  },
};

/** `GET /oauth/jwks` (RFC 7517 5); and where some tools look for it without reading the metadata. */
export function registerJwks(app: FastifyInstance, { signingKeys }: { signingKeys: SigningKeys }): void {
  const answer = async (_request: FastifyRequest, reply: FastifyReply) => {
    const keys = signingKeys.publicKeys();
    // An empty key set would make those who read it forget the good keys they have.
    if (keys.length === 0) throw new ProblemError(503, 'the signing keys are not there yet', { retryAfter: 5 });
    void reply.headers({ 'cache-control': 'public, max-age=60', 'access-control-allow-origin': '*' });
    return { keys };
  };
  for (const path of ['/oauth/jwks', '/.well-known/jwks.json']) app.get(path, { schema }, answer);
}
