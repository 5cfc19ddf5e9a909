import { dpopAlgorithms } from '@gatehouse/resource-server/parts';
import { noteKnown } from '@gatehouse/service-kit';
import { bearerSecurity, logFailure, requestContextOf, toJsonLine } from '@gatehouse/service-kit/http';
import { OAuthError, type PresentedToken, parsePresentedToken } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { demandsOf } from '../clients/client-demands.ts';
import type { Tell } from '../events/event.ts';
import { allowPagesOf } from '../http/cross-origin.ts';
import { checkHolder, type Dpop } from '../http/dpop.ts';
import { toOAuthError } from '../http/error-handlers.ts';
import { getForm } from '../http/form.ts';
import { MissingTokenError } from '../http/missing-token.ts';
import { readByHand } from '../http/oauth-endpoint.ts';
import type { ActiveAccessToken, FindActiveAccessToken } from './find-active-access-token.ts';
import { type BuildUserinfo, isForUserinfo, type SignUserinfo } from './userinfo.ts';

interface Dependencies {
  config: { baseUrl: string };
  findActiveAccessToken: FindActiveAccessToken;
  buildUserinfo: BuildUserinfo;
  signUserinfo: SignUserinfo;
  dpop: Dpop;
  tell: Tell;
}

const jwtMediaType = 'application/jwt';

/** With scope openid profile email phone address. */
const example = {
  sub: '01992d6e-7a4c-7d1e-9a5b-3f1c2d4e5f60',
  name: 'Ursula User',
  given_name: 'Ursula',
  family_name: 'User',
  preferred_username: 'user@example.com',
  birthdate: '1985-02-28',
  locale: 'en',
  zoneinfo: 'UTC',
  updated_at: 1767268800,
  email: 'user@example.com',
  email_verified: true,
  phone_number: '+41446681800',
  phone_number_verified: true,
  address: { street_address: '1 Example Way', postal_code: '8001', locality: 'Zurich', country: 'Switzerland' },
};

const describe = (operationId: string, method: string) => ({
  tags: ['oauth'],
  operationId,
  summary: `Claims about the user (${method})`,
  description:
    'OpenID Connect Core 5.3: for an access token with scope openid. A signed JWT for clients with userinfo_signed_response_alg.',
  security: bearerSecurity,
  response: {
    200: {
      description: 'The claims',
      content: {
        'application/json': { schema: Type.Object({ sub: Type.String() }, { additionalProperties: true }), example },
        [jwtMediaType]: { schema: Type.String() },
      },
    },
  },
});

/** `GET` and `POST /oauth/userinfo` (OpenID Connect Core 5.3). */
export function registerUserinfo(app: FastifyInstance, deps: Dependencies): void {
  const { config, findActiveAccessToken, buildUserinfo, signUserinfo, dpop, tell } = deps;
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    void reply.header('cache-control', 'no-store');
    const presented = getPresentedToken(request);
    let reason: string | undefined;
    const context = requestContextOf(request);
    const active = await findActiveAccessToken(presented.token, context, {
      note: (fault) => {
        reason = fault;
      },
    });
    if (active === undefined) tell({ type: 'access_token.refused' });
    else {
      noteKnown(context, { client: active.client.clientId, user: active.user?.username });
      allowPagesOf(active.client, { request, reply });
    }
    if (!isForUserinfo(active, config.baseUrl)) {
      throw new OAuthError(
        'invalid_token',
        'the access token is malformed, expired, revoked, meant for another resource or stands for no user',
        { reason: reason ?? describeOther(active, config.baseUrl) },
      );
    }
    await checkHolder(dpop, { request, reply }, presented, active);
    const claims = buildUserinfo(active);
    if (claims === undefined) throw new OAuthError('insufficient_scope', 'the access token lacks the scope openid');
    const { clientId } = active.client;
    const { userinfoAlgorithm } = demandsOf(active.client);
    if (userinfoAlgorithm === undefined) return claims;
    return reply.type(jwtMediaType).send(signUserinfo(userinfoAlgorithm, claims, clientId));
  };
  for (const [method, operationId] of [
    ['GET', 'getUserinfo'],
    ['POST', 'getUserinfoByPost'],
  ] as const) {
    const schema = describe(operationId, method);
    app.route({ method, url: '/oauth/userinfo', schema, ...readByHand, errorHandler, handler });
  }
}

/** Why a token that is in force opens nothing here; for the log. */
function describeOther(active: ActiveAccessToken | undefined, baseUrl: string): string {
  const audience = active?.claims.aud;
  return audience === baseUrl ? 'stands for no user' : `meant for ${audience}, not for ${baseUrl}`;
}

/** RFC 6750 2.1 and 2.2: in the header, or in a form that is posted; not in both. */
function getPresentedToken(request: FastifyRequest): PresentedToken {
  const inHeader = parsePresentedToken(request.headers.authorization);
  const inForm = request.method === 'POST' ? getForm(request).get('access_token') : undefined;
  if (inHeader !== undefined && inForm !== undefined) {
    throw new OAuthError('invalid_request', 'send the access token in the header or in the body, not in both');
  }
  if (inHeader === null)
    throw new OAuthError('invalid_token', 'the Authorization header must hold Bearer or DPoP and an access token');
  if (inHeader !== undefined) return inHeader;
  if (inForm !== undefined) return { scheme: 'Bearer', token: inForm };
  throw new MissingTokenError('an access token is required; send it in the Authorization header');
}

function errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = toOAuthError(error, request.id);
  const isProofFault = failure.code === 'invalid_dpop_proof' || failure.code === 'use_dpop_nonce';
  const status = isProofFault ? 401 : failure.status;
  logFailure(request, status, failure);
  if (failure.retryAfter !== undefined) void reply.header('retry-after', failure.retryAfter);
  if (status < 500) void reply.header('www-authenticate', buildChallenge(failure, isProofFault));
  void reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer(toJsonLine)
    .send({ error: failure.code, error_description: failure.message });
}

/** RFC 6750 3, RFC 9449 7.1: names the error, unless no token was sent at all. */
function buildChallenge(failure: OAuthError, isProofFault: boolean) {
  if (failure instanceof MissingTokenError) return 'Bearer';
  const { code, message } = failure;
  const scheme = isProofFault ? `DPoP algs="${dpopAlgorithms.join(' ')}", ` : 'Bearer ';
  return `${scheme}error="${code}", error_description="${message}"`;
}
