import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import {
  createBatchedLookup,
  type Database,
  insertRow,
  optionalNumber,
  plainlyFirst,
} from '@gatehouse/service-kit/database';
import { authenticationFromRow, rowFromAuthentication } from '../levels/authentication.ts';
import { parseStoredClaims } from '../protocol/claims-parameter.ts';
import { parseScope } from '../protocol/scope.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import { formatGranted, parseGranted } from '../resources/granted-resource.ts';
import type { AuthorizationCode } from './authorization-code.ts';
import type { AuthorizationCodeRow } from './authorization-code-table.ts';
import { type CodeUse, createConsume } from './consume-codes.ts';
import { listGrantsOfUser } from './grants-of-user.ts';

export interface AuthorizationCodeStore {
  insert(code: AuthorizationCode): Promise<void>;
  find(codeHash: Buffer): Promise<AuthorizationCode | undefined>;
  /** Finds the code that began the grant. */
  findByGrant(grantId: string): Promise<AuthorizationCode | undefined>;
  /** True for exactly one caller, and for none once the code was issued at or before `issuedAfter`. */
  consume(codeHash: Buffer, use: CodeUse): Promise<boolean>;
  /** Lists the status of the access token that the grant's code was exchanged for. */
  listStatuses(grantId: string): Promise<TokenStatus[]>;
  /** Grants that began in the session and end with it. */
  listGrantsOfSession(sessionId: string): Promise<string[]>;
  /** Grants that the user's codes for the client began. */
  listGrantsOf(userId: string, registrationId: string | undefined): Promise<string[]>;
}

export function createAuthorizationCodeStore(database: Database): AuthorizationCodeStore {
  const findRow = createFindRow(database);
  const consume = createConsume(database);
  return {
    async insert(code) {
      await insertRow(database, 'authorization_codes', rowFromCode(code));
    },
    async find(codeHash) {
      const row = await findRow(codeHash.toString('hex'));
      return row && codeFromRow(row);
    },
    async findByGrant(grantId) {
      const sql = 'SELECT * FROM authorization_codes WHERE grant_id = ?';
      const [row] = await database.query<AuthorizationCodeRow>(sql, [idToBytes(grantId)]);
      return row && codeFromRow(row);
    },
    consume: (codeHash, use) => consume({ codeHash, ...use }),
    async listStatuses(grantId) {
      const sql = 'SELECT status_list_id, status_index FROM authorization_codes WHERE grant_id = ?';
      const found = await database.query<AuthorizationCodeRow>(sql, [idToBytes(grantId)]);
      return found.map(statusFromRow).filter((status) => status !== undefined);
    },
    listGrantsOfSession: (sessionId) => listGrantsOfSession(database, sessionId),
    listGrantsOf: (userId, registrationId) => listGrantsOfUser(database, 'authorization_codes', userId, registrationId),
  };
}

function createFindRow(database: Database) {
  // A row of a moment ago is as good: consume() decides. One that is not there yet would be a refusal.
  const findRows = plainlyFirst<AuthorizationCodeRow>(database, async (hashes, reading) => {
    const sql = `SELECT * FROM authorization_codes WHERE code_hash IN (${hashes.map(() => '?').join(', ')})`;
    const keys = hashes.map((hash) => Buffer.from(hash, 'hex'));
    const found = await database.query<AuthorizationCodeRow>(sql, keys, reading);
    return new Map(found.map((row) => [row.code_hash.toString('hex'), row]));
  });
  return createBatchedLookup(findRows);
}

async function listGrantsOfSession(database: Database, sessionId: string): Promise<string[]> {
  const sql = 'SELECT grant_id, scope FROM authorization_codes WHERE session_id = ?';
  const found = await database.query<Pick<AuthorizationCodeRow, 'grant_id' | 'scope'>>(sql, [idToBytes(sessionId)]);
  // OpenID Connect Core 11: offline access outlives the session.
  const online = found.filter(({ scope }) => !parseScope(scope).includes('offline_access'));
  return online.map((row) => idFromBytes(row.grant_id));
}

function codeFromRow(row: AuthorizationCodeRow): AuthorizationCode {
  return {
    codeHash: row.code_hash,
    grantId: idFromBytes(row.grant_id),
    registrationId: idFromBytes(row.registration_id),
    clientGeneration: row.client_generation,
    redirectUri: row.redirect_uri ?? undefined,
    codeChallenge: row.code_challenge ?? undefined,
    status: statusFromRow(row),
    scope: parseScope(row.scope),
    userId: row.user_id,
    sessionId: idFromBytes(row.session_id),
    passwordChangedAt: Number(row.password_changed_at),
    nonce: row.nonce ?? undefined,
    authentication: authenticationFromRow(row),
    issuedAt: Number(row.issued_at),
    consumedAt: optionalNumber(row.consumed_at),
    resources: parseGranted(row.resources),
    claims: parseStoredClaims(row.claims),
    dpopJkt: row.dpop_jkt ?? undefined,
    expiresAt: Number(row.expires_at),
  };
}

function statusFromRow(row: Pick<AuthorizationCodeRow, 'status_list_id' | 'status_index'>): TokenStatus | undefined {
  const { status_list_id: listId, status_index: index } = row;
  return listId === null || index === null ? undefined : { listId, index };
}

function rowFromCode(code: AuthorizationCode): AuthorizationCodeRow {
  return {
    code_hash: code.codeHash,
    grant_id: idToBytes(code.grantId),
    registration_id: idToBytes(code.registrationId),
    client_generation: code.clientGeneration,
    redirect_uri: code.redirectUri ?? null,
    code_challenge: code.codeChallenge ?? null,
    scope: code.scope.join(' '),
    user_id: code.userId,
    session_id: idToBytes(code.sessionId),
    password_changed_at: code.passwordChangedAt,
    nonce: code.nonce ?? null,
    ...rowFromAuthentication(code.authentication),
    issued_at: code.issuedAt,
    consumed_at: code.consumedAt ?? null,
    status_list_id: code.status?.listId ?? null,
    status_index: code.status?.index ?? null,
    resources: formatGranted(code.resources),
    claims: JSON.stringify(code.claims),
    dpop_jkt: code.dpopJkt ?? null,
    expires_at: code.expiresAt,
  };
}
