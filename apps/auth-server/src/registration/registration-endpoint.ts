import { requestContextOf } from '@gatehouse/service-kit/http';
import { OAuthError, parsePresentedToken } from '@gatehouse/shared';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { getJsonBody } from '../administration/registration-body.ts';
import type { RegistrationMode } from '../config.ts';
import type { RecordFact } from '../events/event.ts';
import { MissingTokenError } from '../http/missing-token.ts';
import { readByHand } from '../http/oauth-endpoint.ts';
import { buildClientInformation } from './client-information.ts';
import { checkOpenBody, DynamicClientMetadata } from './dynamic-client-body.ts';
import type { InitialToken } from './initial-token.ts';
import type { InitialTokens } from './initial-tokens.ts';
import type { RegisterDynamicClient } from './register-dynamic-client.ts';

interface Dependencies {
  config: { authUrl: string; dynamicRegistration: RegistrationMode };
  initialTokens: Pick<InitialTokens, 'get'>;
  registerDynamicClient: RegisterDynamicClient;
  record: RecordFact;
}

/** `POST /oauth/register` (RFC 7591 3.1): a client registers itself. Without this route the path is not there. */
export function registerDynamicRegistration(app: FastifyInstance, deps: Dependencies): void {
  const { config, initialTokens, registerDynamicClient, record } = deps;
  const { authUrl, dynamicRegistration: mode } = config;
  if (mode === 'off') return;
  const presented = new WeakMap<FastifyRequest, InitialToken>();
  // Before the body is read: who may not register learns nothing about the body.
  const onRequest = async (request: FastifyRequest) => {
    const token = findBearerToken(request);
    if (token !== undefined) presented.set(request, await initialTokens.get(token));
    else if (mode === 'token') throw new MissingTokenError('an initial access token is required; send it by Bearer');
  };

  app.post('/oauth/register', { schema: buildSchema(mode), ...readByHand, onRequest }, async (request, reply) => {
    const initialToken = presented.get(request);
    const body = getJsonBody(request.headers['content-type'], request.body);
    if (initialToken === undefined) checkOpenBody(request.body, body);
    const context = requestContextOf(request);
    const registered = await registerDynamicClient(body, initialToken, context);
    const { client } = registered;
    const by = initialToken === undefined ? 'anyone' : { initialTokenId: initialToken.id };
    await record({ type: 'client.registered', by, client, details: { grant_types: client.grantTypes }, context });
    return reply.code(201).header('cache-control', 'no-store').send(buildClientInformation(registered, authUrl));
  });
}

/** Undefined where the request has no credentials; throws `invalid_token` where they are no bearer token (RFC 6750 2.1). */
export function findBearerToken({ headers }: FastifyRequest): string | undefined {
  if (headers.authorization === undefined) return undefined;
  const presented = parsePresentedToken(headers.authorization);
  if (presented?.scheme === 'Bearer') return presented.token;
  throw new OAuthError('invalid_token', 'the Authorization header must hold Bearer and a token');
}

function buildSchema(mode: RegistrationMode) {
  return {
    tags: ['registration'],
    operationId: 'registerDynamicClient',
    summary: 'Register a client',
    description: 'RFC 7591. Users decide what the client gets; it never gets roles.',
    security: [{ initialAccessToken: [] }, ...(mode === 'open' ? [{}] : [])] as Record<string, string[]>[],
    body: DynamicClientMetadata,
    response: { 201: Type.Ref('ClientInformation') } as Record<number, object>,
  };
}
