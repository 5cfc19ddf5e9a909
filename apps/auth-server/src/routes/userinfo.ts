import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { parseBearerToken } from '../http/bearer-token.ts';
import { toOAuthError } from '../http/error-handlers.ts';
import { getForm } from '../http/oauth-endpoint.ts';
import { originOf } from '../http/origin-of.ts';
import type { FindActiveAccessToken } from '../tokens/find-active-access-token.ts';
import { buildUserinfoClaims } from '../tokens/userinfo-claims.ts';
import { readByHand } from './oauth-schemas.ts';

const schema = {
  tags: ['oauth'],
  summary: 'Claims about the user',
  description: 'OpenID Connect Core 5.3: for an access token with scope openid.',
  security: [{ accessToken: [] }],
  response: {
    200: Type.Object({ sub: Type.String() }, { additionalProperties: true }),
    401: Type.Ref('OAuthError'),
    403: Type.Ref('OAuthError'),
  },
};

/** `GET` and `POST /oauth/userinfo` (OpenID Connect Core 5.3). */
export function registerUserinfo(
  app: FastifyInstance,
  { findActiveAccessToken }: { findActiveAccessToken: FindActiveAccessToken },
): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const token = getToken(request, reply);
    const active = await findActiveAccessToken(token, originOf(request));
    if (active?.user === undefined) throw refuse(reply, 'invalid_token', 'the access token is not in force for a user');
    const scope = active.claims.scope.split(' ');
    if (!scope.includes('openid')) throw refuse(reply, 'insufficient_scope', 'the access token lacks the scope openid');
    void reply.header('cache-control', 'no-store');
    return { sub: active.user.id, ...buildUserinfoClaims(active.user, scope) };
  };
  app.route({ method: ['GET', 'POST'], url: '/oauth/userinfo', schema, ...readByHand, errorHandler, handler });
}

/** RFC 6750 2.1 and 2.2: in the header, or in a form that is posted; not in both. */
function getToken(request: FastifyRequest, reply: FastifyReply): string {
  const inHeader = parseBearerToken(request.headers.authorization);
  const inForm = request.method === 'POST' ? getForm(request).get('access_token') : undefined;
  if (inHeader !== undefined && inForm !== undefined) {
    throw refuse(reply, 'invalid_request', 'send the access token in the header or in the body, not in both');
  }
  const token = inHeader ?? inForm;
  if (token !== undefined) return token;
  if (inHeader === null) throw refuse(reply, 'invalid_token', 'the Authorization header is not readable');
  void reply.header('www-authenticate', 'Bearer');
  throw new OAuthError('invalid_token', 'an access token is required');
}

/** RFC 6750 3: the challenge names the error. */
function refuse(reply: FastifyReply, code: 'invalid_token' | 'insufficient_scope' | 'invalid_request', detail: string) {
  void reply.header('www-authenticate', `Bearer error="${code}", error_description="${detail}"`);
  return new OAuthError(code, detail);
}

function errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = toOAuthError(error, request.id);
  if (failure.status >= 500) request.log.error({ err: failure }, 'request failed');
  if (failure.retryAfter !== undefined) void reply.header('retry-after', failure.retryAfter);
  void reply
    .code(failure.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ error: failure.code, error_description: failure.message });
}
