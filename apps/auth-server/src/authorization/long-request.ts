import type { RequestContext } from '@gatehouse/service-kit';
import type { ClientDocuments } from '../client-documents/client-documents.ts';
import type { RequestBudget } from '../clients/request-budget.ts';
import type { PushedRequests } from '../codes/pushed-requests.ts';
import { collectParameters } from '../protocol/request-parameters.ts';
import type { RequestReader } from './request-reader.ts';

/** Characters of a query that every server and proxy takes. */
const safeQuery = 6_000;

/**
 * Takes over a request that a form brought and whose request object is too long for a URL: it is verified and stored as a pushed
 * request is. Gives the query by which the browser goes on; undefined for any other request. Throws what goes to the client.
 */
export type KeepLongRequest = (http: object, encoded: string, context: RequestContext) => Promise<string | undefined>;

interface Dependencies {
  requestReader: Pick<RequestReader, 'readFresh'>;
  pushedRequests: Pick<PushedRequests, 'push'>;
  /** A request object is no secret: the browser that brings it may bring it again. */
  longRequestBudget: RequestBudget;
  clientDocuments: Pick<ClientDocuments, 'keepPushed'>;
}

export function createKeepLongRequest(deps: Dependencies): KeepLongRequest {
  const { requestReader, pushedRequests, longRequestBudget, clientDocuments } = deps;
  return async (http, encoded, context) => {
    const { parameters } = collectParameters(encoded);
    const isKept = encoded.length > safeQuery && parameters.has('request') && !parameters.has('request_uri');
    if (!isKept) return undefined;
    const { target, encoded: verified } = await requestReader.readFresh(http, encoded, context.address);
    const { client } = target;
    await longRequestBudget.spend(client, context.address);
    await clientDocuments.keepPushed(client, context);
    const pusher = { registrationId: client.registrationId, isPublic: false };
    const { request_uri } = await pushedRequests.push(pusher, collectParameters(verified).parameters);
    return new URLSearchParams({ client_id: client.clientId, request_uri }).toString();
  };
}
