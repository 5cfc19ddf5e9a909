import { OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { isPushedRequestUri, type PushedRequests } from '../codes/pushed-requests.ts';
import { collectParameters, type RequestParameters } from '../protocol/request-parameters.ts';
import type { FetchRequestObject } from '../request-objects/fetch-request-object.ts';
import type { ReadRequestObject } from '../request-objects/read-request-object.ts';
import type { AuthorizationTarget, BrowserRequest } from './authorization-request.ts';
import { checkNothingRepeated, type ParseAuthorizationRequest, pushedParameter } from './checks.ts';
import { checkNeedNotBeSigned, checkResponseTypeOutside } from './signed-request.ts';
import { findTargetOutside, type GetAuthorizationTarget, type GetRequestingClient } from './target.ts';

/**
 * Reads the authorization requests that browsers bring. `http` is the HTTP request: the reader keeps the target with it
 * as soon as client and redirect_uri are known to be good, so that an error can go back to the client from then on.
 * `address`: from which the request came.
 */
export interface RequestReader {
  /**
   * Reads a request as it comes from a client: where it was pushed, where it is signed, and demands both where they must be.
   */
  readFresh(http: object, encoded: string, address: string): Promise<BrowserRequest>;
  /** Reads a request that a page of this server carried, and that its form brought back unchanged. */
  readReturned(http: object, encoded: string, address: string): Promise<BrowserRequest>;
  /** Where an error goes; undefined while only the user may see it. */
  findTarget(http: object): AuthorizationTarget | undefined;
}

interface Dependencies {
  clients: Pick<ClientStore, 'find'>;
  pushedRequests: Pick<PushedRequests, 'read'>;
  getRequestingClient: GetRequestingClient;
  readRequestObject: ReadRequestObject;
  fetchRequestObject: FetchRequestObject;
  getAuthorizationTarget: GetAuthorizationTarget;
  parseAuthorizationRequest: ParseAuthorizationRequest;
}

type Collected = ReturnType<typeof collectParameters>;

/** A request on its way through this server. */
interface Carried extends Collected {
  /** The same, form-encoded. */
  encoded: string;
  address: string;
}

export function createRequestReader(deps: Dependencies): RequestReader {
  const { clients, pushedRequests, getAuthorizationTarget, parseAuthorizationRequest } = deps;
  const { getRequestingClient, readRequestObject, fetchRequestObject } = deps;
  const targets = new WeakMap<object, AuthorizationTarget>();

  /** `check`: what is demanded of a request once its target is known. */
  const read = async (
    http: object,
    { parameters, repeated, encoded, address }: Carried,
    check?: (target: AuthorizationTarget) => void,
  ) => {
    const target = await getAuthorizationTarget(parameters, repeated, address);
    targets.set(http, target);
    check?.(target);
    return { ...(await parseAuthorizationRequest(target, parameters, repeated)), encoded };
  };
  /** RFC 9101 5: the object itself, or where it is. */
  const getRequestObject = (client: Client, outside: RequestParameters): string | Promise<string> => {
    const [object = '', uri] = [outside.get('request'), outside.get('request_uri')];
    if (uri === undefined) return object;
    if (!outside.has('request')) return fetchRequestObject(client, uri);
    throw new OAuthError('invalid_request', 'request and request_uri must not stand together');
  };
  /** RFC 9101 6.3: the parameters in a request object replace all that came with it. */
  const readSigned = async (http: object, { parameters: outside, repeated }: Collected, address: string) => {
    const client = await getRequestingClient(outside, repeated, address);
    const outer = findTargetOutside(client, outside, repeated);
    if (outer !== undefined) targets.set(http, outer);
    checkNothingRepeated(repeated);
    const inside = await readRequestObject(client, await getRequestObject(client, outside));
    // From here on only what the client signed says where an answer goes.
    targets.delete(http);
    return read(http, { ...carry(inside), address }, (target) => {
      checkResponseTypeOutside(outside, inside);
      checkNeedNotBePushed(target);
    });
  };
  /** RFC 9126 4: a pushed request replaces everything but the client_id that came with it. */
  const findPushedRequest = async ({ parameters, repeated }: Collected): Promise<string | undefined> => {
    // A request that repeats a parameter is refused later.
    if (repeated.size > 0) return undefined;
    const requestUri = parameters.get('request_uri');
    const clientId = parameters.get('client_id');
    if (!isPushedRequestUri(requestUri) || clientId === undefined) return undefined;
    const client = await clients.find(clientId);
    if (client === undefined) return undefined;
    const pushed = await pushedRequests.read(requestUri, client);
    return `${pushed}&${new URLSearchParams({ [pushedParameter]: requestUri })}`;
  };

  return {
    async readFresh(http, encoded, address) {
      const collected = collectParameters(encoded);
      const pushed = await findPushedRequest(collected);
      if (pushed !== undefined) return read(http, { ...collectParameters(pushed), encoded: pushed, address });
      if (isSigned(collected.parameters)) return readSigned(http, collected, address);
      return read(http, { ...collected, encoded, address }, (target) => {
        checkNeedNotBePushed(target);
        checkNeedNotBeSigned(target.demands);
      });
    },
    readReturned: (http, encoded, address) => read(http, { ...collectParameters(encoded), encoded, address }),
    findTarget: (http) => targets.get(http),
  };
}

function isSigned(parameters: RequestParameters): boolean {
  const uri = parameters.get('request_uri');
  return parameters.has('request') || (uri !== undefined && !isPushedRequestUri(uri));
}

function carry(parameters: RequestParameters) {
  return { parameters, repeated: new Set<string>(), encoded: new URLSearchParams([...parameters]).toString() };
}

function checkNeedNotBePushed({ demands }: AuthorizationTarget): void {
  if (!demands.pushedRequests) return;
  throw new OAuthError('invalid_request', 'this client must push its authorization requests (RFC 9126)');
}
