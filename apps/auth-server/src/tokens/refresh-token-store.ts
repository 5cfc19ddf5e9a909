import { idFromBytes, idToBytes, lowestIdAt } from '@gatehouse/service-kit';
import {
  causally,
  createBatchedLookup,
  createInsert,
  type Database,
  optionalNumber,
} from '@gatehouse/service-kit/database';
import { listGrantsOfUser } from '../codes/grants-of-user.ts';
import { authenticationFromRow, rowFromAuthentication } from '../levels/authentication.ts';
import { parseStoredClaims } from '../protocol/claims-parameter.ts';
import { parseScope } from '../protocol/scope.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import { formatGranted, parseGranted } from '../resources/granted-resource.ts';
import type { RefreshToken } from './refresh-token.ts';
import { formatStatuses, parseStatuses } from './refresh-token-statuses.ts';
import type { RefreshTokenRow } from './refresh-token-table.ts';
import { createRotate, type RefreshTokenRotation } from './rotate-rows.ts';

export interface RefreshTokenStay {
  secretHash: Buffer;
  now: number;
  endsAt: number;
  expiresAt: number;
  status: TokenStatus;
  /** The oldest statuses, which are forgotten. */
  outdated: readonly TokenStatus[];
}

export interface RefreshTokenStore {
  insert(token: RefreshToken): Promise<void>;
  find(id: string): Promise<RefreshToken | undefined>;
  findByGrant(grantId: string): Promise<RefreshToken | undefined>;
  /** True for exactly one of those who present `from`; the token then answers to `to`. */
  rotate(id: string, change: RefreshTokenRotation): Promise<boolean>;
  /** Adds a status, also to those that others add at the same moment. False unless the token is the current one. */
  stay(id: string, change: RefreshTokenStay): Promise<boolean>;
  /** Statuses of the grant's access tokens. */
  listStatuses(grantId: string): Promise<TokenStatus[]>;
  /** Grants that end with the session. */
  listGrantsOfSession(sessionId: string): Promise<string[]>;
  /** Whether the browser session lives. */
  isSessionAlive(sessionId: string, now: number): Promise<boolean>;
  /** Ends the grant's refresh token. */
  deleteByGrant(grantId: string): Promise<void>;
  /** Grants in which the client holds something for the user. */
  listGrantsOf(userId: string, registrationId: string | undefined): Promise<string[]>;
  /** Those of them whose refresh tokens have not expired, the oldest first. */
  listLiveGrantsOf(userId: string, registrationId: string, now: number): Promise<string[]>;
  /** The grants of a user whose refresh tokens have not expired. */
  listLiveOf(userId: string, now: number): Promise<RefreshToken[]>;
  /** Those of a client, in the order of their ids. */
  listLiveOfClient(registrationId: string, page: ClientGrantsPage): Promise<RefreshToken[]>;
}

export interface ClientGrantsPage {
  /** An id, of a token or not; undefined on the first page. */
  after: string | undefined;
  limit: number;
  now: number;
}

export function createRefreshTokenStore(database: Database): RefreshTokenStore {
  const findRow = createBatchedLookup<RefreshTokenRow>((ids) => findRows(database, ids));
  const findSessionEnd = createBatchedLookup<number>((ids) => findSessionEnds(database, ids));
  const insertRow = createInsert<RefreshTokenRow>(database, 'refresh_tokens');
  const rotate = createRotate(database);
  return {
    insert: (token) => insertRow(rowFromToken(token)),
    async find(id) {
      // The id stands in the token, so it may be anything: what is no UUID of ours is looked for all the same.
      const row = await findRow(id.replaceAll('-', ''));
      return row && tokenFromRow(row);
    },
    async findByGrant(grantId) {
      const sql = 'SELECT * FROM refresh_tokens WHERE grant_id = ?';
      const [row] = await database.query<RefreshTokenRow>(sql, [idToBytes(grantId)]);
      return row && tokenFromRow(row);
    },
    rotate: (id, change) => rotate({ id: idToBytes(id), ...change }),
    stay: (id, change) => stay(database, id, change),
    async listStatuses(grantId) {
      const sql = 'SELECT statuses FROM refresh_tokens WHERE grant_id = ?';
      const found = await database.query<Pick<RefreshTokenRow, 'statuses'>>(sql, [idToBytes(grantId)]);
      return found.flatMap((row) => parseStatuses(row.statuses));
    },
    async listGrantsOfSession(sessionId) {
      const sql = 'SELECT grant_id FROM refresh_tokens WHERE session_id = ?';
      const found = await database.query<Pick<RefreshTokenRow, 'grant_id'>>(sql, [idToBytes(sessionId)]);
      return found.map((row) => idFromBytes(row.grant_id));
    },
    async isSessionAlive(sessionId, now) {
      return ((await findSessionEnd(sessionId)) ?? 0) > now;
    },
    async deleteByGrant(grantId) {
      await database.execute('DELETE FROM refresh_tokens WHERE grant_id = ?', [idToBytes(grantId)], causally);
    },
    async listLiveOf(userId, now) {
      const sql = 'SELECT * FROM refresh_tokens WHERE user_id = ? AND expires_at > ?';
      return (await database.query<RefreshTokenRow>(sql, [userId, now])).map(tokenFromRow);
    },
    async listLiveOfClient(registrationId, { after, limit, now }) {
      const sql = `SELECT * FROM refresh_tokens WHERE registration_id = ? AND id > ? AND expires_at > ?
        ORDER BY id LIMIT ?`;
      const place = after === undefined ? lowestIdAt(0) : idToBytes(after);
      const values = [idToBytes(registrationId), place, now, limit];
      return (await database.query<RefreshTokenRow>(sql, values)).map(tokenFromRow);
    },
    async listLiveGrantsOf(userId, registrationId, now) {
      const sql = `SELECT grant_id FROM refresh_tokens WHERE user_id = ? AND registration_id = ? AND expires_at > ?
        ORDER BY id`;
      const values = [userId, idToBytes(registrationId), now];
      const found = await database.query<Pick<RefreshTokenRow, 'grant_id'>>(sql, values);
      return found.map((row) => idFromBytes(row.grant_id));
    },
    listGrantsOf: (userId, registrationId) => listGrantsOfUser(database, 'refresh_tokens', userId, registrationId),
  };
}

async function findRows(database: Database, ids: readonly string[]): Promise<Map<string, RefreshTokenRow>> {
  const sql = `SELECT * FROM refresh_tokens WHERE id IN (${ids.map(() => '?').join(', ')})`;
  const keys = ids.map((id) => Buffer.from(id, 'hex'));
  const found = await database.query<RefreshTokenRow>(sql, keys);
  return new Map(found.map((row) => [row.id.toString('hex'), row]));
}

/** The ends of browser sessions, by id. A statement names one table, for databases that spread tables over servers. */
async function findSessionEnds(database: Database, ids: readonly string[]): Promise<Map<string, number>> {
  const sql = `SELECT session_id, expires_at FROM browser_sessions WHERE session_id IN (${ids.map(() => '?').join(', ')})`;
  const found = await database.query<{ session_id: Buffer; expires_at: number }>(sql, ids.map(idToBytes));
  return new Map(found.map((row) => [idFromBytes(row.session_id), Number(row.expires_at)]));
}

/**
 * The statement reads the statuses that it changes: of several at the same moment none undoes what another adds. The time of
 * use stays where a token before was used: from that time on its retries are late.
 */
async function stay(database: Database, id: string, change: RefreshTokenStay): Promise<boolean> {
  const { secretHash, now, endsAt, expiresAt, status, outdated } = change;
  const beginning = outdated.map((one) => `${formatStatuses([one])} `).join('');
  const stayed = await database.execute(
    `UPDATE refresh_tokens SET ends_at = ?, expires_at = ?,
      rotated_at = CASE WHEN previous_secret_hash IS NULL THEN ? ELSE rotated_at END, statuses = TRIM(CONCAT(
        CASE WHEN SUBSTR(CONCAT(COALESCE(statuses, ''), ' '), 1, ?) = ? THEN SUBSTR(COALESCE(statuses, ''), ?)
          ELSE COALESCE(statuses, '') END, ' ', ?))
      WHERE id = ? AND secret_hash = ? AND expires_at > ?`,
    [
      ...[endsAt, expiresAt, now, beginning.length, beginning, beginning.length + 1, formatStatuses([status])],
      ...[idToBytes(id), secretHash, now],
    ],
  );
  return stayed === 1;
}

function tokenFromRow(row: RefreshTokenRow): RefreshToken {
  return {
    id: idFromBytes(row.id),
    secretHash: row.secret_hash,
    previousSecretHash: row.previous_secret_hash ?? undefined,
    rotatedAt: optionalNumber(row.rotated_at),
    rotatedFrom: row.rotated_from ?? undefined,
    grantId: idFromBytes(row.grant_id),
    registrationId: idFromBytes(row.registration_id),
    clientGeneration: row.client_generation,
    userId: row.user_id,
    passwordChangedAt: Number(row.password_changed_at),
    scope: parseScope(row.scope),
    authentication: authenticationFromRow(row),
    sessionId: row.session_id === null ? undefined : idFromBytes(row.session_id),
    beganIn: row.began_in === null ? undefined : idFromBytes(row.began_in),
    statuses: parseStatuses(row.statuses),
    resources: parseGranted(row.resources),
    claims: parseStoredClaims(row.claims),
    dpopJkt: row.dpop_jkt ?? undefined,
    rolesByScope: Boolean(row.roles_by_scope),
    endsAt: optionalNumber(row.ends_at),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromToken(token: RefreshToken): RefreshTokenRow {
  return {
    id: idToBytes(token.id),
    secret_hash: token.secretHash,
    previous_secret_hash: token.previousSecretHash ?? null,
    rotated_at: token.rotatedAt ?? null,
    rotated_from: token.rotatedFrom ?? null,
    grant_id: idToBytes(token.grantId),
    registration_id: idToBytes(token.registrationId),
    client_generation: token.clientGeneration,
    user_id: token.userId,
    password_changed_at: token.passwordChangedAt,
    scope: token.scope.join(' '),
    ...rowFromAuthentication(token.authentication),
    session_id: token.sessionId === undefined ? null : idToBytes(token.sessionId),
    began_in: token.beganIn === undefined ? null : idToBytes(token.beganIn),
    statuses: formatStatuses(token.statuses),
    resources: formatGranted(token.resources),
    claims: JSON.stringify(token.claims),
    dpop_jkt: token.dpopJkt ?? null,
    roles_by_scope: token.rolesByScope ? 1 : 0,
    ends_at: token.endsAt ?? null,
    expires_at: token.expiresAt,
  };
}
