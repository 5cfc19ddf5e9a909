import { type Database, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import type { BrowserSession } from '../../sessions/browser-session.ts';
import type { BrowserSessionStore } from '../stores.ts';
import { rowsOf } from './rows.ts';
import type { BrowserSessionRow } from './tables/session-tables.ts';

export function createBrowserSessionStore(database: Database): BrowserSessionStore {
  const rows = () => rowsOf<BrowserSessionRow>(database, 'BrowserSession');
  return {
    async insert(session) {
      await rows().insert(rowFromSession(session));
    },
    async find(tokenHash) {
      const row = await rows().findOneBy({ token_hash: tokenHash });
      return row === null ? undefined : sessionFromRow(row);
    },
    async delete(tokenHash) {
      await rows().delete({ token_hash: tokenHash });
    },
  };
}

function sessionFromRow(row: BrowserSessionRow): BrowserSession {
  return {
    tokenHash: row.token_hash,
    sessionId: idFromBytes(row.session_id),
    userId: row.user_id,
    passwordChangedAt: row.password_changed_at,
    authTime: row.auth_time,
    expiresAt: row.expires_at,
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
