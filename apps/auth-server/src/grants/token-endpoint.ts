import { originOf } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AuthenticateClient } from '../clients/authenticate-client.ts';
import { getClientCredentials } from '../clients/read-client-credentials.ts';
import type { RequestBudget } from '../clients/request-budget.ts';
import type { Dpop } from '../http/dpop.ts';
import { getForm } from '../http/oauth-endpoint.ts';
import { describeForm, readByHand } from '../http/oauth-schemas.ts';
import type { Grant } from './grant.ts';

interface Dependencies {
  authenticateClient: AuthenticateClient;
  runGrant: Grant;
  dpop: Dpop;
  requestBudget: RequestBudget;
}

const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer({ description: 'Seconds' }),
  scope: Type.String(),
  refresh_token: Type.Optional(Type.String()),
  id_token: Type.Optional(Type.String()),
});

const schema = describeForm({
  summary: 'Obtain tokens',
  description: 'RFC 6749: password, authorization_code (PKCE), refresh_token, client_credentials.',
  form: {
    grant_type: Type.String({ examples: ['client_credentials'] }),
    username: Type.Optional(Type.String()),
    password: Type.Optional(Type.String()),
    code: Type.Optional(Type.String()),
    redirect_uri: Type.Optional(Type.String()),
    code_verifier: Type.Optional(Type.String()),
    refresh_token: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    client_secret: Type.Optional(Type.String()),
  },
  success: TokenResponse,
});

/** `POST /oauth/token` (RFC 6749 3.2). */
export function registerToken(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateClient, runGrant, dpop, requestBudget } = deps;
  app.post('/oauth/token', { schema, ...readByHand }, async (request, reply) => {
    const parameters = getForm(request);
    const origin = originOf(request);
    const client = await authenticateClient(getClientCredentials(request, parameters), origin);
    const spend = () => requestBudget.spend(client, origin.address);
    const dpopJkt = await dpop.findClientKey({ request, reply }, spend);
    if (dpopJkt === undefined && client.metadata.dpop_bound_access_tokens) {
      throw new OAuthError('invalid_dpop_proof', 'this client must prove possession of a key (DPoP)');
    }
    const response = await runGrant({ client, parameters, origin, dpopJkt });
    void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
    return response;
  });
}
