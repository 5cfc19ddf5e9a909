import { noteKnown } from '@gatehouse/service-kit';
import { fill } from '@gatehouse/service-kit/html';
import { logFailure, requestContextOf, tellRefusal } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findUntrustedHost } from '../clients/untrusted-host.ts';
import { UnknownPushedRequestError } from '../codes/pushed-requests.ts';
import { toOAuthError } from '../http/error-handlers.ts';
import { sendErrorPage } from '../pages/error-page.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { AuthorizationTarget } from './authorization-request.ts';
import type { AuthorizationResponses } from './authorization-response.ts';
import { sendAuthorizationResponse } from './form-post-page.ts';
import { sendLeavingPage } from './leaving-page.ts';
import type { RequestReader } from './request-reader.ts';
import { UntrustedRequestError } from './target.ts';

export type AuthorizationErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

interface Dependencies {
  config: { realm: string; clientIdMetadataUrls: readonly string[] };
  requestReader: Pick<RequestReader, 'findTarget'>;
  responses: Pick<AuthorizationResponses, 'buildError'>;
}

/**
 * The error handler of the routes that go on with an authorization request. Once the target of the request is known, an
 * error goes back to the client; before that, the user sees it. An error that this handler throws is answered as on any page.
 */
export function createAuthorizationErrorHandler(deps: Dependencies): AuthorizationErrorHandler {
  const { config, requestReader } = deps;
  const { realm } = config;
  return (error, request, reply) => {
    const target = requestReader.findTarget(request);
    if (target !== undefined) {
      const failure = toOAuthError(error, request.id);
      noteKnown(requestContextOf(request), { client: target.client.clientId });
      logFailure(request, failure.status, failure);
      sendBack({ request, reply }, deps, target, failure);
    } else if (error instanceof UntrustedRequestError || isOfUnreadRequest(error)) {
      sendUntrusted(request, reply, error, realm);
    } else throw error;
  };
}

/** By a redirect, or, where nobody vouches for the address, by way of a page. */
function sendBack(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { config, responses }: Dependencies,
  target: AuthorizationTarget,
  failure: OAuthError,
): void {
  const { realm } = config;
  const { client, redirectUri, uiLocales } = target;
  const response = responses.buildError(target, failure);
  const host = isInFrame(request) ? undefined : findUntrustedHost(client, redirectUri, config);
  if (host === undefined) {
    sendAuthorizationResponse(reply, { realm, uiLocales }, response);
  } else {
    const { code, status } = failure;
    sendLeavingPage(reply, status, { realm, uiLocales, host, response, code, requestId: request.id });
  }
}

/**
 * Whether the browser loads the answer into a frame of another page (Fetch Metadata), as clients do for `prompt=none`. There a
 * redirect shows the user no other address, and a page of this server is not shown at all. No page can forge the header.
 */
function isInFrame({ headers }: FastifyRequest): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === 'iframe' || destination === 'frame';
}

/** Whether a request that was pushed, or one that is signed, could not be read. */
function isOfUnreadRequest(error: unknown): error is OAuthError {
  return error instanceof OAuthError && ['invalid_request_uri', 'invalid_request_object'].includes(error.code);
}

function sendUntrusted(
  request: FastifyRequest,
  reply: FastifyReply,
  error: UntrustedRequestError | OAuthError,
  realm: string,
): void {
  const isUntrusted = error instanceof UntrustedRequestError;
  if (isUntrusted) noteKnown(requestContextOf(request), { client: error.client });
  const code = isUntrusted ? 'untrusted_request' : error.code;
  const isOfObject = !isUntrusted && !(error instanceof UnknownPushedRequestError);
  const { retryAfter } = error;
  const status = isUntrusted && retryAfter !== undefined ? 429 : 400;
  if (status === 429) void reply.header('retry-after', String(retryAfter));
  tellRefusal(request, { status, code, detail: error.message });
  const messages = messagesFor(request);
  const { title, advice, usedRequest } = messages.link;
  sendErrorPage(reply, status, {
    realm,
    messages,
    title,
    message: isUntrusted ? fill(messages.link[error.fault], error.values) : isOfObject ? error.message : usedRequest,
    isTechnical: isOfObject,
    details: isUntrusted ? error.details : [],
    advice,
    requestId: request.id,
  });
}
