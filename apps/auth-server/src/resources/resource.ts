import type { Level } from '@gatehouse/shared';
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

/** The demands of an API on its access tokens. */
export interface TokenLimits {
  /** Seconds for which they are valid at most; undefined where the client's setting alone decides. */
  accessTokenValidity: number | undefined;
  /** The lowest level by which users sign in for them. */
  requiredAcr?: Level | undefined;
  /** Seconds since the sign-in, at most: the tokens end then. */
  maxAge?: number | undefined;
  /** The groups that the tokens of users carry. */
  tokenGroups?: TokenGroups | undefined;
  /** The project that administers it. */
  managedBy?: string | undefined;
}

/** The groups that access tokens for an API carry. */
export interface TokenGroups {
  /** Names; one that ends with `*` stands for all that begin so. */
  names: readonly string[];
  /** The name of the claim. */
  claim: 'groups' | 'roles';
}

/** An API that access tokens can be meant for (RFC 8707). Instants are milliseconds. */
export interface Resource extends TokenLimits {
  /** UUIDv7: tells this resource from a later one of the same URI. */
  id: string;
  /** The URI as it was registered. It is the `aud` of the access tokens. */
  resource: string;
  name: string;
  names?: TaggedTexts | undefined;
  scopes: readonly ResourceScope[];
  /** Whether clients that register themselves may ask for it. */
  dynamicClients: boolean;
  createdAt: number;
  updatedAt: number;
}
