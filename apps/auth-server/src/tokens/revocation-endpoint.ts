import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ClientAuthentication } from '../clients/authenticate-client.ts';
import { getClientCredentials } from '../clients/read-client-credentials.ts';
import type { Tell } from '../events/event.ts';
import { allowPagesOf } from '../http/cross-origin.ts';
import { getForm } from '../http/form.ts';
import { describeForm, readByHand } from '../http/oauth-endpoint.ts';
import { getParameter } from '../protocol/request-parameters.ts';
import type { RevokeToken } from './revoke-token.ts';

interface Dependencies extends ClientAuthentication {
  revokeToken: RevokeToken;
  tell: Tell;
}

const schema = describeForm({
  operationId: 'revokeToken',
  summary: 'End a token',
  description: 'RFC 7009. A refresh token ends together with everything issued from its grant.',
  form: { token: Type.String(), token_type_hint: Type.Optional(Type.String()) },
  success: Type.Null({ description: 'The token is not in force any more' }),
});

/** `POST /oauth/revoke` (RFC 7009). */
export function registerRevocation(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateClient, revokeToken, tell } = deps;
  app.post('/oauth/revoke', { schema, ...readByHand }, async (request, reply) => {
    const parameters = getForm(request);
    const context = requestContextOf(request);
    const client = await authenticateClient(getClientCredentials(request, parameters), context);
    allowPagesOf(client, { request, reply });
    const revoked = await revokeToken(getParameter(parameters, 'token'), client);
    if (revoked !== undefined) tell({ type: 'token.revoked', ...revoked, client, context });
    // An empty body; its type is for clients that look for one in every answer.
    return reply.code(200).header('cache-control', 'no-store').type('application/json').send();
  });
}
