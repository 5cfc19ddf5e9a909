import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertRow, optionalNumber } from '@gatehouse/service-kit/database';
import { isLevel } from '@gatehouse/shared';
import { noProofs, type Proofs } from '../levels/proofs.ts';
import type { BrowserSession } from './browser-session.ts';
import type { BrowserSessionRow } from './browser-session-table.ts';

export interface BrowserSessionStore {
  insert(session: BrowserSession): Promise<void>;
  find(tokenHash: Buffer): Promise<BrowserSession | undefined>;
  /** The oldest first. */
  listOfUser(userId: string): Promise<BrowserSession[]>;
  /** Those of a user that have not expired at `now`, but for the newest ones. */
  listBeyond(userId: string, newest: number, now: number): Promise<BrowserSession[]>;
  /** A page of the sessions that have not expired at `now`, the oldest first. `after`: the id of the last one of the page before. */
  list(page: { after: string | undefined; limit: number; now: number }): Promise<BrowserSession[]>;
  findBySessionId(sessionId: string): Promise<BrowserSession | undefined>;
  /** Stores that the session is used, unless that was stored since `unlessSince`. */
  touch(tokenHash: Buffer, now: number, unlessSince: number): Promise<void>;
  delete(tokenHash: Buffer): Promise<void>;
}

export function createBrowserSessionStore(database: Database): BrowserSessionStore {
  return {
    async insert(session) {
      await insertRow(database, 'browser_sessions', rowFromSession(session));
    },
    async find(tokenHash) {
      const sql = 'SELECT * FROM browser_sessions WHERE token_hash = ?';
      const [row] = await database.query<BrowserSessionRow>(sql, [tokenHash]);
      return row && sessionFromRow(row);
    },
    async listOfUser(userId) {
      const sql = 'SELECT * FROM browser_sessions WHERE user_id = ? ORDER BY session_id';
      return (await database.query<BrowserSessionRow>(sql, [userId])).map(sessionFromRow);
    },
    async listBeyond(userId, newest, now) {
      const sql = `SELECT * FROM browser_sessions WHERE user_id = ? AND expires_at > ?
        ORDER BY session_id DESC LIMIT ? OFFSET ?`;
      return (await database.query<BrowserSessionRow>(sql, [userId, now, newest, newest])).map(sessionFromRow);
    },
    async list({ after, limit, now }) {
      const sql = `SELECT * FROM browser_sessions WHERE session_id > ? AND expires_at > ? ORDER BY session_id LIMIT ?`;
      const from = after === undefined ? Buffer.alloc(16) : idToBytes(after);
      return (await database.query<BrowserSessionRow>(sql, [from, now, limit])).map(sessionFromRow);
    },
    async findBySessionId(sessionId) {
      // A session that goes on under a new cookie has two rows for a moment.
      const sql = 'SELECT * FROM browser_sessions WHERE session_id = ? ORDER BY expires_at DESC LIMIT 1';
      const [row] = await database.query<BrowserSessionRow>(sql, [idToBytes(sessionId)]);
      return row && sessionFromRow(row);
    },
    async touch(tokenHash, now, unlessSince) {
      const sql = `UPDATE browser_sessions SET last_used_at = ?
        WHERE token_hash = ? AND (last_used_at IS NULL OR last_used_at < ?)`;
      await database.execute(sql, [now, tokenHash, unlessSince]);
    },
    async delete(tokenHash) {
      await database.execute('DELETE FROM browser_sessions WHERE token_hash = ?', [tokenHash]);
    },
  };
}

function sessionFromRow(row: BrowserSessionRow): BrowserSession {
  return {
    tokenHash: row.token_hash,
    sessionId: idFromBytes(row.session_id),
    userId: row.user_id,
    passwordChangedAt: Number(row.password_changed_at),
    proofs: proofsFromRow(row),
    identityId: row.identity_id ?? undefined,
    upstreamId: row.upstream_id === null ? undefined : idFromBytes(row.upstream_id),
    label: row.label ?? undefined,
    network: row.network ?? undefined,
    lastUsedAt: optionalNumber(row.last_used_at),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromSession(session: BrowserSession): BrowserSessionRow {
  return {
    token_hash: session.tokenHash,
    session_id: idToBytes(session.sessionId),
    user_id: session.userId,
    password_changed_at: session.passwordChangedAt,
    auth_time: latestOf(session.proofs),
    password_at: session.proofs.passwordAt ?? null,
    code_at: session.proofs.codeAt ?? null,
    passkey_at: session.proofs.passkeyAt ?? null,
    passkey_uv: session.proofs.passkeyUv ? 1 : 0,
    upstream_at: session.proofs.upstreamAt ?? null,
    upstream_level: session.proofs.upstreamLevel ?? null,
    identity_id: session.identityId ?? null,
    upstream_id: session.upstreamId === undefined ? null : idToBytes(session.upstreamId),
    label: session.label ?? null,
    network: session.network ?? null,
    last_used_at: session.lastUsedAt ?? null,
    expires_at: session.expiresAt,
  };
}

/** The release before wrote the time of the sign-in alone, which was by password. */
function proofsFromRow(row: BrowserSessionRow): Proofs {
  const { password_at, code_at, passkey_at, upstream_at, upstream_level } = row;
  if ([password_at, code_at, passkey_at, upstream_at].every((time) => time === null)) {
    return { ...noProofs, passwordAt: Number(row.auth_time) };
  }
  return {
    passwordAt: optionalNumber(password_at),
    codeAt: optionalNumber(code_at),
    passkeyAt: optionalNumber(passkey_at),
    passkeyUv: Boolean(row.passkey_uv),
    upstreamAt: optionalNumber(upstream_at),
    upstreamLevel: isLevel(upstream_level) ? upstream_level : undefined,
  };
}

function latestOf({ passwordAt = 0, codeAt = 0, passkeyAt = 0, upstreamAt = 0 }: Proofs): number {
  return Math.max(passwordAt, codeAt, passkeyAt, upstreamAt);
}
