import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertRow } from '@gatehouse/service-kit/database';
import type { BrowserSession } from './browser-session.ts';
import type { BrowserSessionRow } from './browser-session-table.ts';

export interface BrowserSessionStore {
  insert(session: BrowserSession): Promise<void>;
  find(tokenHash: Buffer): Promise<BrowserSession | undefined>;
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
    authTime: Number(row.auth_time),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromSession(session: BrowserSession): BrowserSessionRow {
  return {
    token_hash: session.tokenHash,
    session_id: idToBytes(session.sessionId),
    user_id: session.userId,
    password_changed_at: session.passwordChangedAt,
    auth_time: session.authTime,
    expires_at: session.expiresAt,
  };
}
