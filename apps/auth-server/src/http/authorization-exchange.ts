import { logFailure } from '@gatehouse/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ParseAuthorizationRequest } from '../authorization/authorization-checks.ts';
import type { AuthorizationRequest, AuthorizationTarget } from '../authorization/authorization-request.ts';
import {
  type AuthorizationResponse,
  buildAuthorizationErrorResponse,
} from '../authorization/authorization-response.ts';
import { type GetAuthorizationTarget, UntrustedRequestError } from '../authorization/authorization-target.ts';
import { sendErrorPage } from '../pages/error-page.ts';
import { sendFormPostPage } from '../pages/form-post-page.ts';
import { collectParameters } from '../request-parameters.ts';
import { toOAuthError } from './error-handlers.ts';

/**
 * Both phases of a request to the authorization endpoint: until client and redirect_uri are known to be good, an error
 * is shown to the user; from then on it goes back to the client.
 */
export interface AuthorizationExchange {
  /** Runs `work` on the request that `encoded` holds, and answers whatever fails on the way. */
  run(
    http: { request: FastifyRequest; reply: FastifyReply },
    encoded: string,
    work: (request: AuthorizationRequest) => Promise<FastifyReply>,
  ): Promise<FastifyReply>;
  send(reply: FastifyReply, response: AuthorizationResponse): FastifyReply;
}

interface Dependencies {
  config: { realm: string; authUrl: string };
  getAuthorizationTarget: GetAuthorizationTarget;
  parseAuthorizationRequest: ParseAuthorizationRequest;
}

export function createAuthorizationExchange(deps: Dependencies): AuthorizationExchange {
  const { config, getAuthorizationTarget, parseAuthorizationRequest } = deps;
  const { realm, authUrl: issuer } = config;

  const send = (reply: FastifyReply, response: AuthorizationResponse): FastifyReply => {
    if (response.kind === 'form_post') return sendFormPostPage(reply, { realm, ...response });
    // 303 after a form, so that the browser does not post the password on to the client (RFC 9700 4.12).
    const status = reply.request.method === 'POST' ? 303 : 302;
    return reply.code(status).headers({ location: response.location, 'cache-control': 'no-store' }).send();
  };
  const sendFailure = (
    http: { request: FastifyRequest; reply: FastifyReply },
    target: AuthorizationTarget,
    error: unknown,
  ) => {
    const failure = toOAuthError(error, http.request.id);
    logFailure(http.request, failure.status, failure);
    return send(http.reply, buildAuthorizationErrorResponse(target, issuer, failure));
  };

  return {
    send,
    async run(http, encoded, work) {
      const { parameters, repeated } = collectParameters(encoded);
      const target = await getAuthorizationTarget(parameters, repeated).catch((error: unknown) => {
        if (error instanceof UntrustedRequestError) return error;
        throw error;
      });
      if (target instanceof UntrustedRequestError) return sendUntrusted(http, target, realm);
      try {
        return await work(await parseAuthorizationRequest(target, parameters, repeated));
      } catch (error) {
        return sendFailure(http, target, error);
      }
    },
  };
}

function sendUntrusted(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  error: UntrustedRequestError,
  realm: string,
): FastifyReply {
  request.log.info({ detail: error.message }, 'request refused');
  return sendErrorPage(reply, 400, {
    realm,
    title: 'This sign-in link does not work',
    message: error.message,
    advice:
      'Go back to the application and start again. If it happens again, tell the people who run that application.',
    requestId: request.id,
  });
}
