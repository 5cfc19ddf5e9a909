import type { GrantType } from '@gatehouse/shared';

/** An OAuth client of the realm (RFC 6749 2). Instants are milliseconds since the epoch. */
export interface Client {
  clientId: string;
  /** UUIDv7: tells this registration from a later one under the same client_id. */
  registrationId: string;
  /** argon2id; undefined for a public client. */
  secretHash: string | undefined;
  /** A secret that was replaced and is still good until `expiresAt`. */
  previousSecret: { hash: string; expiresAt: number } | undefined;
  scope: string[];
  grantTypes: GrantType[];
  redirectUri: string | undefined;
  /** Seconds. */
  accessTokenValidity: number;
  /** The Robot a service-account client acts as. */
  serviceAccount: { userId: string; username: string } | undefined;
  createdAt: number;
  updatedAt: number;
}

/** RFC 6749 2.1: a client that cannot keep a secret has none. */
export function isPublic(client: Client): boolean {
  return client.secretHash === undefined;
}

export function mayUse(client: Client, grantType: GrantType): boolean {
  return client.grantTypes.includes(grantType);
}
