import { metadataHeaders } from '@gatehouse/resource-server/parts';
import { registerForEveryOrigin } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { buildOwnMetadata } from '../callers/own-metadata.ts';

interface Dependencies {
  config: { authUrl: string; baseUrl: string };
}

const Strings = Type.Array(Type.String());

const schema = {
  tags: ['metadata'],
  operationId: 'getResourceMetadata',
  summary: 'Protected resource metadata (RFC 9728)',
  description: 'The authorization server whose tokens this API takes, and how to send them. 401 answers name its URL.',
  response: {
    200: Type.Object({
      resource: Type.String({ description: 'The `aud` of tokens for this API' }),
      authorization_servers: Strings,
      resource_name: Type.String(),
      scopes_supported: Strings,
      bearer_methods_supported: Strings,
      dpop_signing_alg_values_supported: Strings,
    }),
  },
};

/** `GET /.well-known/oauth-protected-resource`, with the path of `BASE_URL` (RFC 9728 3.1). */
export async function registerResourceMetadata(app: FastifyInstance, { config }: Dependencies): Promise<void> {
  const { path, document } = buildOwnMetadata(config);
  await registerForEveryOrigin(app, (scope) => {
    scope.get(path, { schema }, async (_request, reply) => {
      void reply.headers(metadataHeaders);
      return document;
    });
  });
}
