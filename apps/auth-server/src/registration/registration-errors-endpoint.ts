import { logFailure } from '@gatehouse/service-kit/http';
import { OAuthError, ProblemError } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendOAuthError, toOAuthError } from '../http/error-handlers.ts';
import { MissingTokenError } from '../http/missing-token.ts';

/** The error handler of the registration endpoints (RFC 7591 3.2.2, RFC 6750 3). */
export function createRegistrationErrorHandler(realm: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const failure = toRegistrationError(error, request.id);
    logFailure(request, failure.status, failure);
    sendOAuthError(reply, failure, buildChallenge(realm, failure));
  };
}

function toRegistrationError(error: unknown, requestId: string): OAuthError {
  if (!(error instanceof ProblemError) || error.status !== 400) return toOAuthError(error, requestId);
  const isOfRedirectUris = error.errors?.some(({ field }) => field === 'redirect_uris') ?? false;
  const code = isOfRedirectUris ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  return new OAuthError(code, error.message, { logged: error.logged });
}

/** Names the error, unless no token was sent. */
function buildChallenge(realm: string, failure: OAuthError): string {
  const bearer = `Bearer realm="${realm}"`;
  if (failure instanceof MissingTokenError) return bearer;
  return `${bearer}, error="${failure.code}", error_description="${failure.message}"`;
}
