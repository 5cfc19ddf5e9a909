import { OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { WindowBudget } from '../clients/window-budget.ts';
import type { Call } from '../outbound/http-call.ts';
import { OutboundFailure } from '../outbound/outbound-failure.ts';

const mostBytes = 16_384;

/**
 * Reads the request object at an address that the client registered (RFC 9101 5.2), each time. Throws `invalid_request_uri`,
 * or 429 where the client has used up its minute. Nothing of the object is checked yet.
 */
export type FetchRequestObject = (client: Client, requestUri: string) => Promise<string>;

interface Dependencies {
  call: Call;
  requestUriBudget: WindowBudget;
}

export function createFetchRequestObject({ call, requestUriBudget }: Dependencies): FetchRequestObject {
  return async (client, requestUri) => {
    const { request_uris: registered = [] } = client.metadata;
    // OpenID Connect Core 6.2: byte for byte, with the fragment, which is not sent.
    if (!registered.includes(requestUri)) {
      throw new OAuthError('invalid_request_uri', 'request_uri is not one of those that this client registered');
    }
    const retryAfter = await requestUriBudget.spend(`${client.registrationId} request_uri`);
    if (retryAfter !== undefined) {
      const description = `too many requests of this client by request_uri; try again in ${retryAfter} seconds`;
      throw new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
    }
    const [url = ''] = requestUri.split('#', 1);
    const question = { purpose: 'request_object', url, mostBytes } as const;
    const types = { accept: 'application/oauth-authz-req+jwt, application/jwt', mediaType };
    const answer = await call({ ...question, ...types }).catch((error: unknown) => {
      if (!(error instanceof OutboundFailure)) throw error;
      throw new OAuthError('invalid_request_uri', `request_uri cannot be read: ${error.fault}`, {
        reason: error.message,
      });
    });
    return answer.body.toString('latin1').trim();
  };
}

const mediaType = /^application\/(?:oauth-authz-req\+)?jwt$/;
