import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ClientAuthentication } from '../clients/authenticate-client.ts';
import { demandsOf } from '../clients/client-demands.ts';
import type { ClientUses } from '../clients/client-uses.ts';
import { getClientCredentials } from '../clients/read-client-credentials.ts';
import type { RequestBudget } from '../clients/request-budget.ts';
import type { Events } from '../events/events.ts';
import { allowPagesOf } from '../http/cross-origin.ts';
import type { Dpop } from '../http/dpop.ts';
import { createOAuthErrorHandler, toOAuthError } from '../http/error-handlers.ts';
import { getEncodedForm, getForm } from '../http/form.ts';
import { describeForm, readByHand } from '../http/oauth-endpoint.ts';
import { collectParameters } from '../protocol/request-parameters.ts';
import type { StatusAllocation } from '../status-lists/allocate-status.ts';
import type { FindCurrentGroups } from './current-groups.ts';
import { findAskedResource, type GrantHandlers, getGrantHandler } from './grant-handler.ts';
import type { TokenIssue } from './issue-tokens.ts';

interface Dependencies extends ClientAuthentication, StatusAllocation, TokenIssue, Pick<Events, 'tell'> {
  config: { realm: string };
  requestBudget: RequestBudget;
  clientUses: Pick<ClientUses, 'noteToken'>;
  dpop: Dpop;
  grantHandlers: GrantHandlers;
  findCurrentGroups: FindCurrentGroups;
}

const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer({ description: 'Seconds' }),
  scope: Type.Optional(Type.String({ description: 'Of the access token' })),
  refresh_token: Type.Optional(Type.String()),
  id_token: Type.Optional(Type.String()),
  issued_token_type: Type.Optional(Type.String({ description: 'Of a token exchange (RFC 8693)' })),
});

/** `POST /oauth/token` (RFC 6749 3.2). */
export function registerToken(app: FastifyInstance, deps: Dependencies): void {
  const { config, requestBudget, dpop, grantHandlers } = deps;
  const schema = buildSchema(grantHandlers);
  const sendError = createOAuthErrorHandler(config.realm);
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) => {
    const { code: outcome } = toOAuthError(error, request.id);
    const { client: clientId, issuer } = requestContextOf(request).known ?? {};
    const grantType = findGrantType(request, grantHandlers);
    deps.tell({ type: 'token.answered', grantType, outcome, clientId, issuer });
    sendError(error, request, reply);
  };

  app.post('/oauth/token', { schema, ...readByHand, errorHandler }, async (request, reply) => {
    const parameters = getForm(request);
    const context = requestContextOf(request);
    const client = await deps.authenticateClient(getClientCredentials(request, parameters), context);
    const demands = demandsOf(client);
    allowPagesOf(client, { request, reply });
    const dpopJkt = await dpop.findDueKey(demands, { request, reply }, () =>
      requestBudget.spend(client, context.address),
    );

    const resource = findAskedResource(parameters);
    const { name, handler } = getGrantHandler(grantHandlers, parameters, client);
    const decision = await handler.decide({ client, grantType: name, parameters, resource, context, dpopJkt });
    const hasGroups = decision.grant.target.tokenGroups !== undefined;
    const decided = hasGroups ? await deps.findCurrentGroups(decision.grant, context) : decision.grant;
    const status = await deps.allocateStatus(client);
    const settled = decision.settle === undefined ? undefined : await decision.settle(status);
    // The spread goes last: V8 copies an object that more fields follow twenty times as slowly.
    const grant = { client, dpopJkt, status: settled?.status ?? status, ...decided };
    const response = deps.issueTokens(grant, settled?.refreshToken);

    deps.clientUses.noteToken(client);
    const [{ clientId }, { audience }] = [client, decided.target];
    deps.tell({
      type: 'token.answered',
      grantType: name,
      outcome: 'issued',
      clientId,
      audience,
      issuer: context.known?.issuer,
    });
    void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
    return response;
  });
}

/** The grant type of a refused request, also of one with a bad form. Gives a name from a closed set. */
function findGrantType(request: FastifyRequest, grantHandlers: GrantHandlers): string {
  const name = collectParameters(getEncodedForm(request)).parameters.get('grant_type') ?? '';
  return grantHandlers.has(name) ? name : 'other';
}

/** With the client of the example of `POST /clients`, and a demo user. */
const firstRequest = {
  ...{ grant_type: 'password', username: 'user@example.com', password: 'user-password' },
  ...{ client_id: 'my-app', client_secret: 'my-app-secret' },
};

function buildSchema(grantHandlers: GrantHandlers) {
  const own = Object.assign({}, ...[...grantHandlers.values()].map(({ parameters }) => parameters));
  return describeForm({
    operationId: 'issueToken',
    summary: 'Obtain tokens',
    description:
      'RFC 6749: password, authorization_code (PKCE), refresh_token, client_credentials. RFC 8628: device codes. RFC 8693: token exchange.',
    form: {
      grant_type: Type.String(),
      ...Object.fromEntries(Object.entries(own).map(([name, type]) => [name, Type.Optional(type as typeof Type)])),
      resource: Type.Optional(
        Type.String({ description: 'RFC 8707: the URI of the API that the access token is for' }),
      ),
      client_id: Type.Optional(Type.String()),
      client_secret: Type.Optional(Type.String()),
    },
    example: firstRequest,
    success: TokenResponse,
  });
}
