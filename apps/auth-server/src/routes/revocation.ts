import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AuthenticateClient } from '../clients/authenticate-client.ts';
import { getClientCredentials } from '../http/client-authentication.ts';
import { getForm } from '../http/oauth-endpoint.ts';
import { originOf } from '../http/origin-of.ts';
import { getParameter } from '../request-parameters.ts';
import type { RevokeToken } from '../tokens/revoke-token.ts';
import { describeForm, readByHand } from './oauth-schemas.ts';

interface Dependencies {
  authenticateClient: AuthenticateClient;
  revokeToken: RevokeToken;
}

const schema = describeForm({
  summary: 'End a token',
  description: 'RFC 7009. A refresh token ends together with everything issued from its grant.',
  form: { token: Type.String(), token_type_hint: Type.Optional(Type.String()) },
  success: Type.Null({ description: 'The token is not in force any more' }),
});

/** `POST /oauth/revoke` (RFC 7009). */
export function registerRevocation(app: FastifyInstance, { authenticateClient, revokeToken }: Dependencies): void {
  app.post('/oauth/revoke', { schema, ...readByHand }, async (request, reply) => {
    const parameters = getForm(request);
    const client = await authenticateClient(getClientCredentials(request, parameters), originOf(request));
    await revokeToken(getParameter(parameters, 'token'), client);
    // An empty body; its type is for clients that look for one in every answer.
    return reply.code(200).header('cache-control', 'no-store').type('application/json').send();
  });
}
