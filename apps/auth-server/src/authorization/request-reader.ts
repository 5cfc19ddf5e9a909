import { OAuthError } from '@gatehouse/shared';
import type { ClientStore } from '../clients/client-store.ts';
import { isPushedRequestUri, type PushedRequests } from '../codes/pushed-requests.ts';
import { collectParameters } from '../protocol/request-parameters.ts';
import type { AuthorizationTarget, BrowserRequest } from './authorization-request.ts';
import type { ParseAuthorizationRequest } from './checks.ts';
import type { GetAuthorizationTarget } from './target.ts';

/**
 * Reads the authorization requests that browsers bring. `http` is the HTTP request: the reader keeps the target with it
 * as soon as client and redirect_uri are known to be good, so that an error can go back to the client from then on.
 */
export interface RequestReader {
  /** Reads a request as it comes from a client: takes it out where it was pushed, and demands that where it must be. */
  readFresh(http: object, encoded: string): Promise<BrowserRequest>;
  /** Reads a request that a page of this server carried, and that its form brought back unchanged. */
  readReturned(http: object, encoded: string): Promise<BrowserRequest>;
  /** Where an error goes; undefined while only the user may see it. */
  findTarget(http: object): AuthorizationTarget | undefined;
}

interface Dependencies {
  clients: Pick<ClientStore, 'find'>;
  pushedRequests: Pick<PushedRequests, 'take'>;
  getAuthorizationTarget: GetAuthorizationTarget;
  parseAuthorizationRequest: ParseAuthorizationRequest;
}

type Collected = ReturnType<typeof collectParameters>;

export function createRequestReader(deps: Dependencies): RequestReader {
  const { clients, pushedRequests, getAuthorizationTarget, parseAuthorizationRequest } = deps;
  const targets = new WeakMap<object, AuthorizationTarget>();

  /** `direct`: the parameters of a request that came from the client by the browser, and not pushed. */
  const read = async (http: object, encoded: string, direct?: Collected) => {
    const { parameters, repeated } = direct ?? collectParameters(encoded);
    const target = await getAuthorizationTarget(parameters, repeated);
    targets.set(http, target);
    if (direct !== undefined) checkNeedNotBePushed(target);
    return { ...(await parseAuthorizationRequest(target, parameters, repeated)), encoded };
  };
  /** RFC 9126 4: a pushed request replaces everything but the client_id that came with it. */
  const takePushedRequest = async ({ parameters, repeated }: Collected): Promise<string | undefined> => {
    // A request that repeats a parameter is refused later: it uses nothing up.
    if (repeated.size > 0) return undefined;
    const requestUri = parameters.get('request_uri');
    const clientId = parameters.get('client_id');
    if (!isPushedRequestUri(requestUri) || clientId === undefined) return undefined;
    const client = await clients.find(clientId);
    return client && pushedRequests.take(requestUri, client);
  };

  return {
    async readFresh(http, encoded) {
      const collected = collectParameters(encoded);
      const pushed = await takePushedRequest(collected);
      return pushed === undefined ? read(http, encoded, collected) : read(http, pushed);
    },
    readReturned: (http, encoded) => read(http, encoded),
    findTarget: (http) => targets.get(http),
  };
}

function checkNeedNotBePushed({ demands }: AuthorizationTarget): void {
  if (!demands.pushedRequests) return;
  throw new OAuthError('invalid_request', 'this client must push its authorization requests (RFC 9126)');
}
