import type { Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { createOpaqueToken, hashOpaqueToken } from '../protocol/opaque-token.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { PushedRequestStore } from './pushed-request-store.ts';

/** RFC 9126 4: nobody pushed it, or it was used. */
export class UnknownPushedRequestError extends OAuthError {
  constructor() {
    super('invalid_request_uri', 'request_uri is unknown, expired or was used before; push the request again');
  }
}

/** RFC 9126 2.2: a request_uri is this prefix and a random part. */
const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:';

/** Characters, form-encoded. The column and the pages that carry the request can hold them; no URL has as many. */
const longestRequest = 16_384;
/** Anybody can push in the name of a public client. */
const longestPublicRequest = 4_096;

/** Seconds within which the browser must bring the request_uri. */
export const pushedRequestLifetime = 60;

/** The client that pushes a request. */
export interface Pusher {
  registrationId: string;
  isPublic: boolean;
}

/** Pushed authorization requests (RFC 9126). Each is stored for a minute and used once. */
export interface PushedRequests {
  /** Throws a 413 where the request is too long. */
  push(client: Pusher, parameters: RequestParameters): Promise<{ request_uri: string; expires_in: number }>;
  /** Gives a request, form-encoded, and deletes it. Throws `invalid_request_uri` where this client has none of that name. */
  take(requestUri: string, client: Pick<Pusher, 'registrationId'>): Promise<string>;
}

export function isPushedRequestUri(requestUri: string | undefined): requestUri is string {
  return requestUri?.startsWith(requestUriPrefix) ?? false;
}

interface Dependencies {
  pushedRequests: PushedRequestStore;
  clock: Clock;
}

export function createPushedRequests({ pushedRequests, clock }: Dependencies): PushedRequests {
  return {
    async push({ registrationId, isPublic }, parameters) {
      const encoded = new URLSearchParams([...parameters]).toString();
      const longest = isPublic ? longestPublicRequest : longestRequest;
      if (encoded.length > longest) {
        const description = `the request is longer than ${longest} characters`;
        // RFC 9126 2.3
        throw new OAuthError('invalid_request', description, { status: 413 });
      }
      const { token, hash } = createOpaqueToken();
      await pushedRequests.insert({
        idHash: hash,
        registrationId,
        parameters: encoded,
        expiresAt: clock() + pushedRequestLifetime * 1000,
      });
      return { request_uri: requestUriPrefix + token, expires_in: pushedRequestLifetime };
    },
    async take(requestUri, client) {
      const idHash = hashOpaqueToken(requestUri.slice(requestUriPrefix.length));
      const pushed = await pushedRequests.find(idHash);
      const isGood = pushed?.registrationId === client.registrationId && pushed.expiresAt > clock();
      // RFC 9126 4: used once. Of several uses at the same moment, the one that deletes the row wins.
      if (pushed !== undefined && isGood && (await pushedRequests.consume(idHash))) return pushed.parameters;
      throw new UnknownPushedRequestError();
    },
  };
}
