import { requestContextOf } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ClientDocuments } from '../client-documents/client-documents.ts';
import type { ClientAuthentication } from '../clients/authenticate-client.ts';
import { demandsOf, isPublic } from '../clients/client-demands.ts';
import { getClientCredentials } from '../clients/read-client-credentials.ts';
import type { RequestBudget } from '../clients/request-budget.ts';
import type { IsOfStranger } from '../clients/stranger.ts';
import type { PushedRequests } from '../codes/pushed-requests.ts';
import type { Dpop } from '../http/dpop.ts';
import { getForm } from '../http/form.ts';
import { describeForm, readByHand } from '../http/oauth-endpoint.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { ReadRequestObject } from '../request-objects/read-request-object.ts';
import type { ParseAuthorizationRequest } from './checks.ts';
import { checkNeedNotBeSigned, checkResponseTypeOutside } from './signed-request.ts';
import { type GetAuthorizationTarget, UntrustedRequestError } from './target.ts';

interface Dependencies extends ClientAuthentication {
  readRequestObject: ReadRequestObject;
  getAuthorizationTarget: GetAuthorizationTarget;
  parseAuthorizationRequest: ParseAuthorizationRequest;
  pushedRequests: PushedRequests;
  dpop: Dpop;
  requestBudget: RequestBudget;
  isOfStranger: IsOfStranger;
  clientDocuments: Pick<ClientDocuments, 'keepPushed'>;
}

/** The parameters of client authentication. They are no part of the pushed request (RFC 9126 2.1). */
const credentialParameters = ['client_secret', 'client_assertion', 'client_assertion_type'];
const nothingRepeated: ReadonlySet<string> = new Set();

const schema = describeForm({
  operationId: 'pushAuthorizationRequest',
  summary: 'Push an authorization request',
  description:
    'RFC 9126: the parameters of the authorization endpoint, sent by the client itself; signed in request, where it has keys (RFC 9101).',
  form: {
    response_type: Type.Optional(Type.String({ description: 'Required without request' })),
    redirect_uri: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
    code_challenge: Type.Optional(Type.String()),
    code_challenge_method: Type.Optional(Type.String()),
    request: Type.Optional(Type.String({ description: 'RFC 9101: a request object, which replaces everything else' })),
  },
  success: Type.Object({ request_uri: Type.String(), expires_in: Type.Integer({ description: 'Seconds' }) }),
  status: 201,
  failures: [413],
});

/** `POST /oauth/par` (RFC 9126). */
export function registerPushedAuthorizationRequest(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateClient, getAuthorizationTarget, parseAuthorizationRequest, pushedRequests } = deps;
  const { readRequestObject, dpop, requestBudget, isOfStranger, clientDocuments } = deps;

  app.post('/oauth/par', { schema, ...readByHand, errorHandler: refuseTooLarge }, async (request, reply) => {
    const parameters = getForm(request);
    const context = requestContextOf(request);
    const client = await authenticateClient(getClientCredentials(request, parameters), context);
    if (parameters.has('request_uri')) {
      throw new OAuthError(
        'invalid_request',
        'a pushed request must not hold request_uri; send the parameters themselves',
      );
    }
    const object = parameters.get('request');
    const asked = object === undefined ? parameters : await readRequestObject(client, object);
    const spend = once(() => requestBudget.spend(client, context.address));
    const dpopJkt = await dpop.findClientKey(demandsOf(client), { request, reply }, spend);
    const pushed = bindToKey(withoutCredentials(asked, client.clientId), dpopJkt);
    // The request is checked now, so that the client learns of a fault before it sends the browser.
    const target = await getAuthorizationTarget(pushed, nothingRepeated, context.address).catch(refuseUntrusted);
    if (object === undefined) checkNeedNotBeSigned(target.demands);
    else checkResponseTypeOutside(parameters, pushed);
    await parseAuthorizationRequest(target, pushed, nothingRepeated);
    await spend();
    await clientDocuments.keepPushed(target.client, context);
    // Nobody pushes in the name of a client what it did not sign. A stranger signs whatever it likes.
    const isByAnybody = isOfStranger(client) || (isPublic(client) && object === undefined);
    const pusher = { registrationId: client.registrationId, isPublic: isByAnybody };
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send(await pushedRequests.push(pusher, pushed));
  });
}

/** Lets a request count once, with or without a proof. */
function once(spend: () => Promise<void>): () => Promise<void> {
  let spending: Promise<void> | undefined;
  return () => {
    spending ??= spend();
    return spending;
  };
}

function withoutCredentials(parameters: RequestParameters, clientId: string): RequestParameters {
  const kept = [...parameters].filter(([name]) => !credentialParameters.includes(name));
  return new Map([...kept, ['client_id', clientId]]);
}

/** RFC 9449 10.1: a proof at this endpoint stands for dpop_jkt. If both come, they must agree. */
function bindToKey(parameters: RequestParameters, dpopJkt: string | undefined): RequestParameters {
  if (dpopJkt === undefined) return parameters;
  const asked = parameters.get('dpop_jkt');
  if (asked === undefined || asked === dpopJkt) return new Map([...parameters, ['dpop_jkt', dpopJkt]]);
  throw new OAuthError(
    'invalid_dpop_proof',
    'dpop_jkt must be the thumbprint of the key of the DPoP proof, or left out',
  );
}

/** RFC 9126 2.3: 413, where the other endpoints answer the 400 of RFC 6749 5.2. The error that it throws is answered in the same form. */
function refuseTooLarge(error: { statusCode?: number }): never {
  if (error.statusCode !== 413) throw error;
  throw new OAuthError('invalid_request', 'the request is too large', { status: 413 });
}

function refuseUntrusted(error: unknown): never {
  if (!(error instanceof UntrustedRequestError)) throw error;
  const { message, retryAfter } = error;
  if (retryAfter === undefined) throw new OAuthError('invalid_request', message);
  throw new OAuthError('temporarily_unavailable', message, { status: 429, retryAfter });
}
