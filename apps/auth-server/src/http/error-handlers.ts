import { logFailure, problemErrorHandler, toJsonLine, toProblemError } from '@gatehouse/service-kit/http';
import { OAuthError, ProblemError } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationUnavailableError } from '../protocol/organization-unavailable.ts';

/** Seconds after which a client may try again when the organization was out of reach. */
const organizationRetryAfter = 5;

/** Turns any thrown value into an OAuth error (RFC 6749 5.2). */
export function toOAuthError(error: unknown, requestId: string): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof OrganizationUnavailableError) {
    return new OAuthError('temporarily_unavailable', 'the organization is out of reach; try again', {
      retryAfter: organizationRetryAfter,
      cause: error,
    });
  }
  const { status, message, logged, retryAfter, cause } = toProblemError(error, requestId);
  if (status >= 500) {
    const code = status === 503 ? 'temporarily_unavailable' : 'server_error';
    return new OAuthError(code, message, { status, cause, ...(retryAfter === undefined ? {} : { retryAfter }) });
  }
  // RFC 6749 5.2: 400 for a request that is not good; RFC 9110 15.5.6 for a method that the endpoint does not have.
  return new OAuthError('invalid_request', message, { logged, status: status === 405 ? 405 : 400 });
}

export function sendOAuthError(reply: FastifyReply, error: OAuthError, challenge: string): FastifyReply {
  if (error.retryAfter !== undefined) void reply.header('retry-after', error.retryAfter);
  // RFC 6749 5.2: a 401 says how to authenticate.
  if (error.status === 401) void reply.header('www-authenticate', challenge);
  return reply
    .code(error.status)
    .headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    .type('application/json; charset=utf-8')
    .serializer(toJsonLine)
    .send({ error: error.code, error_description: error.message });
}

/** The error handler of the endpoints that clients call directly. */
export function createOAuthErrorHandler(realm: string) {
  const challenge = `Basic realm="${realm}", charset="UTF-8"`;
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const failure = toOAuthError(error, request.id);
    logFailure(request, failure.status, failure);
    sendOAuthError(reply, failure, challenge);
  };
}

/** The error handler of all other endpoints. It answers RFC 9457 problem documents. */
export function authServerErrorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  problemErrorHandler(toInternalProblem(error), request, reply);
}

/** Administration answers 500 where the organization is out of reach, as `POST /clients` does. */
function toInternalProblem(error: unknown): unknown {
  if (!(error instanceof OrganizationUnavailableError)) return error;
  return new ProblemError(500, 'the organization is out of reach', { cause: error });
}
