import type { AuthorizationCode } from '../authorization/authorization-code.ts';
import type { Client } from '../clients/client.ts';
import type { Consent } from '../consent/consent.ts';
import type { SigningAlgorithm, StoredSigningKey } from '../keys/signing-key.ts';
import type { BrowserSession } from '../sessions/browser-session.ts';
import type { TokenStatus } from '../status/token-status.ts';
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

/** A new secret, and what comes with it. */
export interface SecretChange extends Pick<Client, 'ceiling' | 'tokenGeneration' | 'updatedAt'> {
  newHash: string;
  /** Where the server made the secret. */
  newDigest: string | undefined;
  previousExpiresAt: number;
}

export interface ClientStore {
  /** False where the client_id is taken: exactly one of several at the same moment is inserted. */
  insert(client: Client): Promise<boolean>;
  find(clientId: string): Promise<Client | undefined>;
  /** As it was at most a second ago; what was changed here is known here at once. */
  findRecent(clientId: string): Promise<Client | undefined>;
  /** In the order of their client_ids. */
  list(page: ClientPageRequest): Promise<Client[]>;
  /**
   * Everything but the secret. False where the client is gone or was changed since `seenUpdatedAt`. Who ends the
   * client's access tokens raises `tokenGeneration` by it.
   */
  update(client: Client, seenUpdatedAt: number): Promise<boolean>;
  /** The secret in `seen` becomes the previous one. False where the client is gone or is not as in `seen` any more. */
  replaceSecret(seen: Client, change: SecretChange): Promise<boolean>;
  /** False where the client is gone or is not as in `seen` any more. */
  delete(seen: Client): Promise<boolean>;
}

export interface AuthorizationCodeStore {
  insert(code: AuthorizationCode): Promise<void>;
  find(codeHash: Buffer): Promise<AuthorizationCode | undefined>;
  /** True for exactly one caller, and for none once the code was issued at or before `issuedAfter`. */
  consume(codeHash: Buffer, use: { now: number; issuedAfter: number; status: TokenStatus }): Promise<boolean>;
  /** Status of the access token that the grant's code was exchanged for. */
  listStatuses(grantId: string): Promise<TokenStatus[]>;
  /** Grants that began in the session and end with it. */
  listGrantsOfSession(sessionId: string): Promise<string[]>;
  /** Grants that the user's codes for the client began. */
  listGrantsOf(userId: string, registrationId: string): Promise<string[]>;
}

export interface RefreshTokenRotation {
  from: Buffer;
  to: Buffer;
  now: number;
  network: Buffer;
  endsAt: number;
  expiresAt: number;
  statuses: readonly TokenStatus[];
}

export interface RefreshTokenStore {
  insert(token: RefreshToken): Promise<void>;
  find(id: string): Promise<RefreshToken | undefined>;
  /** True for exactly one of those who present `from`; the token then answers to `to`. */
  rotate(id: string, change: RefreshTokenRotation): Promise<boolean>;
  /** Statuses of the grant's access tokens. */
  listStatuses(grantId: string): Promise<TokenStatus[]>;
  /** Grants that end with the session. */
  listGrantsOfSession(sessionId: string): Promise<string[]>;
  /** Ends the grant's refresh token. */
  deleteByGrant(grantId: string): Promise<void>;
  /** Grants in which the client holds something for the user. */
  listGrantsOf(userId: string, registrationId: string): Promise<string[]>;
}

/** What was ended before its time: access tokens and grants, until they would have expired anyway. */
export interface RevocationStore {
  add(subjectHash: Buffer, expiresAt: number): Promise<void>;
  containsAny(subjectHashes: readonly Buffer[]): Promise<boolean>;
}

/** A pushed authorization request (RFC 9126), as it is stored. */
export interface PushedRequest {
  idHash: Buffer;
  registrationId: string;
  /** Form-encoded. */
  parameters: string;
  expiresAt: number;
}

export interface PushedRequestStore {
  insert(request: PushedRequest): Promise<void>;
  find(idHash: Buffer): Promise<PushedRequest | undefined>;
  /** True for exactly one caller. */
  consume(idHash: Buffer): Promise<boolean>;
}

export interface RequestBudgetStore {
  /** True for at most `limit` callers, whichever replicas they ask, as long as the row lives. */
  take(keyHash: Buffer, budget: { limit: number; expiresAt: number }): Promise<boolean>;
}

export interface BrowserSessionStore {
  insert(session: BrowserSession): Promise<void>;
  find(tokenHash: Buffer): Promise<BrowserSession | undefined>;
  delete(tokenHash: Buffer): Promise<void>;
}

/** A run of indices in a status list. */
export interface StatusRange {
  listId: number;
  first: number;
  size: number;
}

/** Indices of a list that are to be a registration's own. */
export interface NewStatusBlock {
  listId: number;
  registrationId: string;
  /** `tokenGeneration` of the client. */
  generation: number;
  size: number;
  expiresAt: number;
}

export interface StatusStore {
  /** Reserves `size` indices for the registration and gives the first; no index is given out twice. */
  reserve(block: NewStatusBlock): Promise<number>;
  /** Whether this very index was revoked; not whether a range was that holds it. */
  isRevoked(status: TokenStatus): Promise<boolean>;
  revoke(range: StatusRange & { expiresAt: number }): Promise<void>;
  /** Those of the registration, or those of its generations before one. */
  listBlocks(registrationId: string, beforeGeneration?: number): Promise<StatusRange[]>;
  /** How many indices of the list are reserved, and which of them are revoked. */
  read(listId: number): Promise<{ length: number; revoked: { first: number; size: number }[] }>;
}

export interface ConsentStore {
  find(userId: string, registrationId: string): Promise<Consent | undefined>;
  list(userId: string): Promise<Consent[]>;
  /** Replaces what the user decided before. */
  put(consent: Consent): Promise<void>;
  delete(userId: string, registrationId: string): Promise<void>;
}

/** A client that is to be told when a session ends, as it is stored. */
export interface SessionParticipant {
  sessionId: string;
  clientId: string;
  userId: string;
  /** When it is to be told next; undefined while the session goes on. */
  tellAt: number | undefined;
  expiresAt: number;
}

export interface SessionParticipantStore {
  /** Does nothing where the client is known to take part. */
  insert(participant: SessionParticipant): Promise<void>;
  startTelling(sessionId: string, times: { now: number; expiresAt: number }): Promise<void>;
  listDue(now: number, limit: number): Promise<SessionParticipant[]>;
  /** True for exactly one of those who saw the same `tellAt`. */
  claim(seen: SessionParticipant, nextTellAt: number): Promise<boolean>;
  delete(participant: SessionParticipant): Promise<void>;
}

export interface SigningKeyStore {
  /** Those that are not past their time at `now`. */
  list(now: number): Promise<StoredSigningKey[]>;
  /** False where this generation of the algorithm's keys is there already. */
  insert(key: StoredSigningKey): Promise<boolean>;
  /** The keys of earlier generations cease to be shown at `expiresAt`, unless they do before. */
  retire(algorithm: SigningAlgorithm, beforeGeneration: number, expiresAt: number): Promise<void>;
  /** Does nothing where the stored text is not `seen` any more. */
  replaceEncryptedKey(kid: string, seen: string, encryptedPrivateKey: string): Promise<void>;
}
