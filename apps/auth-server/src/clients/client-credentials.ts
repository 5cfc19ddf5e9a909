import type { OAuthError } from '@gatehouse/shared';
import type { ClientSecretReading } from '../protocol/basic-credentials.ts';

/** How a client proves who it is (RFC 6749 2.3), as it stood in the request. */
export type ClientCredentials = OwnCredentials | FederatedCredentials;

/** Credentials that are the client's own, or none. */
export type OwnCredentials =
  /** More than one reading, where the client may have sent Basic raw or form-urlencoded. */
  | { method: 'client_secret_basic' | 'client_secret_post'; readings: readonly ClientSecretReading[] }
  | { method: 'private_key_jwt'; clientId: string; assertion: string }
  | { method: 'none'; clientId: string };

/** A token that another issuer made, if the client is registered for it. */
export interface FederatedCredentials {
  method: 'federated_jwt';
  /** Undefined where the request has none: such a token does not say which client it is of. */
  clientId: string | undefined;
  assertion: string;
  /** Whether the request says that it is a JWT-SVID. */
  isSvid: boolean;
  /** The reading of the request where the client is not registered for it. */
  otherwise: OwnCredentials | OAuthError;
}
