import type { ClientSecretReading } from '../protocol/basic-credentials.ts';

/** How a client proves who it is (RFC 6749 2.3), as it stood in the request. */
export type ClientCredentials =
  /** More than one reading, where the client may have sent Basic raw or form-urlencoded. */
  | { method: 'client_secret_basic' | 'client_secret_post'; readings: readonly ClientSecretReading[] }
  | { method: 'private_key_jwt'; clientId: string; assertion: string }
  | { method: 'none'; clientId: string };
