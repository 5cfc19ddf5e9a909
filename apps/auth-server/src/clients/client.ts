import type { ClientMetadata, GrantType, Role } from '@gatehouse/shared';
import type { DynamicRegistration } from './dynamic-registration.ts';

/** An OAuth client of the realm (RFC 6749 2). Instants are milliseconds since the epoch. */
export interface Client {
  clientId: string;
  /** UUIDv7: tells this registration from a later one under the same client_id. */
  registrationId: string;
  /** argon2id; undefined for a public client. */
  secretHash: string | undefined;
  /** Of a secret that the server made, in addition to its hash: it is compared without hashing slowly. */
  secretDigest: string | undefined;
  /** The hash of the secret as another server made it, until it is right once; `secretHash` is one of nothing then. */
  importedSecret?: string | undefined;
  /** When the secret was set; undefined without one, and where the release before set it. */
  secretSetAt: number | undefined;
  /** A secret that was replaced and is still good until `expiresAt`. */
  previousSecret:
    | { hash: string; digest: string | undefined; imported?: string | undefined; expiresAt: number }
    | undefined;
  /** False where an administrator disabled it: it is refused everywhere. */
  enabled: boolean;
  scope: string[];
  grantTypes: GrantType[];
  redirectUri: string | undefined;
  /** Seconds. */
  accessTokenValidity: number;
  /** The Robot a service-account client acts as. */
  serviceAccount: { userId: string; username: string } | undefined;
  /** The metadata that RFC 7591 and its family let a client register. */
  metadata: ClientMetadata;
  /** The roles that can be used through the client at most, the most powerful first. */
  ceiling: readonly Role[];
  /** When it got all roles by an administrator who has them; undefined where it has fewer, and where that is not known. */
  ceilingGivenAt: number | undefined;
  /** Access tokens of earlier generations are ended. */
  tokenGeneration: number;
  /** Codes and refresh tokens of earlier generations are ended too. */
  grantGeneration: number;
  /** Codes of earlier generations are ended, and refresh tokens are not. */
  codeGeneration: number;
  /** Of a client that registered itself; undefined where an administrator registered it. */
  dynamic: DynamicRegistration | undefined;
  /** The metadata document that it is read from, which its client_id is the URL of; undefined for every other client. */
  document: ClientDocument | undefined;
  /** `configuration`: built in, and no administrator changes it; undefined where administrators, or the client itself, keep it. */
  managedBy: 'configuration' | undefined;
  /** The instant from which on nobody uses it, and it may be deleted; undefined where an administrator registered it. */
  lapsesAt: number | undefined;
  createdAt: number;
  updatedAt: number;
}

/** A reading of a Client ID Metadata Document. Instants are milliseconds since the epoch. */
export interface ClientDocument {
  readAt: number;
  /** From which on it is read again. */
  expiresAt: number;
  /** When it last became another client to users: consents from before are asked for again. */
  changedAt: number;
}

/** Whether it registered itself, and no administrator let it by an initial access token. */
export function isOpenlyRegistered({ dynamic }: Client): boolean {
  return dynamic !== undefined && dynamic.initialToken === undefined;
}

/** Whether a refresh token was issued in a generation that has ended. */
export function isEnded({ grantGeneration }: Client, held: { clientGeneration: number }): boolean {
  return held.clientGeneration < grantGeneration;
}

/** The same of a code: it ends too where the client is disabled. */
export function isCodeEnded(client: Client, code: { clientGeneration: number }): boolean {
  return isEnded(client, code) || code.clientGeneration < client.codeGeneration;
}

/** The name that users see. */
export function displayNameOf({ clientId, metadata }: Client): string {
  return metadata.client_name ?? clientId;
}

/** Whether its users decide what it gets. */
export function isThirdParty({ metadata }: Client): boolean {
  return metadata.require_consent === true;
}

/** Whether access tokens and introspection tell the client the user's name. */
export function maySeeUsername(client: Client, scope: readonly string[]): boolean {
  return !isThirdParty(client) || scope.includes('profile') || scope.includes('email');
}
