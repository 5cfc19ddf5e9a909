import type { AuthorizationCode } from '../authorization/authorization-code.ts';
import type { Client } from '../clients/client.ts';
import type { StoredSigningKey } from '../keys/signing-key.ts';
import type { BrowserSession } from '../sessions/browser-session.ts';
import type { RefreshToken } from '../tokens/refresh-token.ts';

/*
 * The ports to the auth server's own database, in the words of the rules. Instants are milliseconds since the epoch,
 * hashes are SHA-256. What decides a race is one conditional statement; its method says what the loser is told.
 */

export interface ClientPageRequest {
  /** The client_id of the last client of the page before. */
  after: string | undefined;
  limit: number;
}

export interface ClientStore {
  /** False where the client_id is taken: exactly one of several at the same moment is inserted. */
  insert(client: Client): Promise<boolean>;
  find(clientId: string): Promise<Client | undefined>;
  /** In the order of their client_ids. */
  list(page: ClientPageRequest): Promise<Client[]>;
  /** Everything but the secret. False where the client is gone or was changed since `seenUpdatedAt`. */
  update(client: Client, seenUpdatedAt: number): Promise<boolean>;
  /** The secret in `seen` becomes the previous one. False where it is not the current one any more. */
  replaceSecret(seen: Client, change: { newHash: string; previousExpiresAt: number; now: number }): Promise<boolean>;
  delete(clientId: string): Promise<boolean>;
}

export interface AuthorizationCodeStore {
  insert(code: AuthorizationCode): Promise<void>;
  find(codeHash: Buffer): Promise<AuthorizationCode | undefined>;
  /** True for exactly one caller, and for none once the code was issued at or before `issuedAfter`. */
  consume(codeHash: Buffer, times: { now: number; issuedAfter: number }): Promise<boolean>;
}

export interface RefreshTokenStore {
  insert(token: RefreshToken): Promise<void>;
  find(id: string): Promise<RefreshToken | undefined>;
  /** True for exactly one of those who present `from`; the token then answers to `to`. */
  rotate(id: string, change: { from: Buffer; to: Buffer; now: number; expiresAt: number }): Promise<boolean>;
  /** Ends the grant's refresh token. */
  deleteByGrant(grantId: string): Promise<void>;
  /** Ends the refresh tokens that live no longer than the session. */
  deleteBySession(sessionId: string): Promise<void>;
}

/** What was ended before its time: access tokens and grants, until they would have expired anyway. */
export interface RevocationStore {
  add(subjectHash: Buffer, expiresAt: number): Promise<void>;
  containsAny(subjectHashes: readonly Buffer[]): Promise<boolean>;
}

export interface BrowserSessionStore {
  insert(session: BrowserSession): Promise<void>;
  find(tokenHash: Buffer): Promise<BrowserSession | undefined>;
  delete(tokenHash: Buffer): Promise<void>;
}

export interface SigningKeyStore {
  /** Those that are not past their time at `now`. */
  list(now: number): Promise<StoredSigningKey[]>;
  /** False where this generation of the algorithm's keys is there already. */
  insert(key: StoredSigningKey): Promise<boolean>;
}
