import { logFailure } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientStore } from '../clients/client-store.ts';
import { isPushedRequestUri, type PushedRequests } from '../codes/pushed-requests.ts';
import { toOAuthError } from '../http/error-handlers.ts';
import { sendErrorPage } from '../pages/error-page.ts';
import { collectParameters, type RequestParameters } from '../protocol/request-parameters.ts';
import type { ParseAuthorizationRequest } from './authorization-checks.ts';
import type { AuthorizationRequest, AuthorizationTarget } from './authorization-request.ts';
import { type AuthorizationResponse, buildAuthorizationErrorResponse } from './authorization-response.ts';
import { type GetAuthorizationTarget, UntrustedRequestError } from './authorization-target.ts';
import { sendFormPostPage } from './form-post-page.ts';

type Http = { request: FastifyRequest; reply: FastifyReply };
/** `encoded` is the whole request, form-encoded: what a page has to carry to go on with it. */
type Work = (request: AuthorizationRequest, encoded: string) => Promise<FastifyReply>;

/**
 * Both phases of a request to the authorization endpoint: until client and redirect_uri are known to be good, an error
 * is shown to the user; from then on it goes back to the client.
 */
export interface AuthorizationExchange {
  /** Runs `work` on a request as it comes from a client, and answers whatever fails on the way. */
  start(http: Http, encoded: string, work: Work): Promise<FastifyReply>;
  /** The same for a request that this server has shown a page for, and that came back unchanged. */
  resume(http: Http, encoded: string, work: Work): Promise<FastifyReply>;
  send(reply: FastifyReply, response: AuthorizationResponse): FastifyReply;
}

interface Dependencies {
  config: { realm: string; authUrl: string };
  clients: ClientStore;
  pushedRequests: PushedRequests;
  getAuthorizationTarget: GetAuthorizationTarget;
  parseAuthorizationRequest: ParseAuthorizationRequest;
}

export function createAuthorizationExchange(deps: Dependencies): AuthorizationExchange {
  const { config, clients, pushedRequests, getAuthorizationTarget, parseAuthorizationRequest } = deps;
  const { realm, authUrl: issuer } = config;

  const send = (reply: FastifyReply, response: AuthorizationResponse): FastifyReply => {
    if (response.kind === 'form_post') return sendFormPostPage(reply, { realm, ...response });
    // 303 after a form, so that the browser does not post the password on to the client (RFC 9700 4.12).
    const status = reply.request.method === 'POST' ? 303 : 302;
    return reply.code(status).headers({ location: response.location, 'cache-control': 'no-store' }).send();
  };
  const sendFailure = ({ request, reply }: Http, target: AuthorizationTarget, error: unknown) => {
    const failure = toOAuthError(error, request.id);
    logFailure(request, failure.status, failure);
    return send(reply, buildAuthorizationErrorResponse(target, issuer, failure));
  };

  /** RFC 9126 4: a pushed request replaces everything but the client_id that came with it. */
  const takePushedRequest = async (parameters: RequestParameters): Promise<string | undefined> => {
    const requestUri = parameters.get('request_uri');
    const clientId = parameters.get('client_id');
    if (!isPushedRequestUri(requestUri) || clientId === undefined) return undefined;
    const client = await clients.find(clientId);
    return client && pushedRequests.take(requestUri, client);
  };

  const run = async (http: Http, encoded: string, check: (target: AuthorizationTarget) => void, work: Work) => {
    const { parameters, repeated } = collectParameters(encoded);
    const target = await getAuthorizationTarget(parameters, repeated);
    try {
      check(target);
      return await work(await parseAuthorizationRequest(target, parameters, repeated), encoded);
    } catch (error) {
      return sendFailure(http, target, error);
    }
  };
  const showUntrusted = (http: Http) => (error: unknown) => {
    if (error instanceof UntrustedRequestError || isUnknownPushedRequest(error))
      return sendUntrusted(http, error, realm);
    throw error;
  };

  const start = async (http: Http, encoded: string, work: Work) => {
    const { parameters, repeated } = collectParameters(encoded);
    // Who repeats a parameter is refused below, before anything is used up.
    const pushed = repeated.size > 0 ? undefined : await takePushedRequest(parameters);
    const check = pushed === undefined ? checkNeedNotBePushed : () => {};
    return run(http, pushed ?? encoded, check, work);
  };
  return {
    send,
    start: (http, encoded, work) => start(http, encoded, work).catch(showUntrusted(http)),
    resume: (http, encoded, work) => run(http, encoded, () => {}, work).catch(showUntrusted(http)),
  };
}

function checkNeedNotBePushed({ client }: AuthorizationTarget): void {
  if (client.metadata.require_pushed_authorization_requests !== true) return;
  throw new OAuthError('invalid_request', 'this client must push its authorization requests (RFC 9126)');
}

function isUnknownPushedRequest(error: unknown): error is OAuthError {
  return error instanceof OAuthError && error.code === 'invalid_request_uri';
}

function sendUntrusted({ request, reply }: Http, error: Error, realm: string): FastifyReply {
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
