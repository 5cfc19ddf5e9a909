import type { TaggedTexts } from './tagged-texts.ts';

/** A scope of a resource. One that is taken away and added again is another one: it has another id. */
export interface ResourceScope {
  /** UUIDv7. */
  id: string;
  name: string;
  /** The words for users; empty where the administrator gave none. */
  description: string;
  descriptions?: TaggedTexts | undefined;
}

/** An API that access tokens can be meant for (RFC 8707). Instants are milliseconds. */
export interface Resource {
  /** UUIDv7: tells this resource from a later one of the same URI. */
  id: string;
  /** The URI as it was registered. It is the `aud` of the access tokens. */
  resource: string;
  name: string;
  names?: TaggedTexts | undefined;
  scopes: readonly ResourceScope[];
  /** Seconds for which access tokens are valid at most; undefined where the client's setting alone decides. */
  accessTokenValidity: number | undefined;
  /** Whether clients that register themselves may ask for it. */
  dynamicClients: boolean;
  createdAt: number;
  updatedAt: number;
}
