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

/**
 * Pushed authorization requests (RFC 9126). Each is stored for a minute and used once: the answer to the client uses it up, and not the
 * page, which a user may load again (4, and Note 3 of FAPI 2.0 5.3.2.2).
 */
export interface PushedRequests {
  /** Throws a 413 where the request is too long. */
  push(client: Pusher, parameters: RequestParameters): Promise<{ request_uri: string; expires_in: number }>;
  /** Gives a request, form-encoded. Throws `invalid_request_uri` where this client has none of that name that is left to use. */
  read(requestUri: string, client: Pick<Pusher, 'registrationId'>): Promise<string>;
  /** Uses a request up that was read. Throws `invalid_request_uri` where it was used meanwhile. */
  use(requestUri: string): Promise<void>;
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
    async read(requestUri, client) {
      const pushed = await pushedRequests.find(hashUri(requestUri));
      const isGood = pushed?.registrationId === client.registrationId && pushed.expiresAt > clock();
      if (pushed !== undefined && isGood && pushed.parameters !== '') return pushed.parameters;
      throw new UnknownPushedRequestError();
    },
    async use(requestUri) {
      const idHash = hashUri(requestUri);
      if (await pushedRequests.consume(idHash)) return;
      // A user may take longer than a minute to sign in: the row is gone then, and nobody can read it again.
      const pushed = await pushedRequests.find(idHash);
      if (pushed !== undefined) throw new UnknownPushedRequestError();
    },
  };
}

const hashUri = (requestUri: string) => hashOpaqueToken(requestUri.slice(requestUriPrefix.length));
