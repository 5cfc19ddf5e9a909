import { type Database, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { parseScope } from '@gatehouse/shared';
import type { RefreshToken } from '../../tokens/refresh-token.ts';
import type { RefreshTokenStore } from '../stores.ts';
import { rowsOf } from './rows.ts';
import type { RefreshTokenRow } from './tables.ts';

export function createRefreshTokenStore(database: Database): RefreshTokenStore {
  return {
    async insert(token) {
      await rowsOf<RefreshTokenRow>(database, 'RefreshToken').insert(rowFromToken(token));
    },
    async find(id) {
      const sql = 'SELECT * FROM refresh_tokens WHERE id = ?';
      const [row] = await database.query<RefreshTokenRow>(sql, [idToBytes(id)]);
      return row && tokenFromRow(row);
    },
    async rotate(id, { from, to, now, expiresAt }) {
      const rotated = await database.execute(
        `UPDATE refresh_tokens SET previous_secret_hash = ?, secret_hash = ?, rotated_at = ?, expires_at = ?
          WHERE id = ? AND secret_hash = ? AND expires_at > ?`,
        [from, to, now, expiresAt, idToBytes(id), from, now],
      );
      return rotated === 1;
    },
    async deleteByGrant(grantId) {
      await database.execute('DELETE FROM refresh_tokens WHERE grant_id = ?', [idToBytes(grantId)]);
    },
    async deleteBySession(sessionId) {
      await database.execute('DELETE FROM refresh_tokens WHERE session_id = ?', [idToBytes(sessionId)]);
    },
  };
}

function tokenFromRow(row: RefreshTokenRow): RefreshToken {
  return {
    id: idFromBytes(row.id),
    secretHash: row.secret_hash,
    previousSecretHash: row.previous_secret_hash ?? undefined,
    rotatedAt: row.rotated_at === null ? undefined : Number(row.rotated_at),
    grantId: idFromBytes(row.grant_id),
    registrationId: idFromBytes(row.registration_id),
    userId: row.user_id,
    passwordChangedAt: Number(row.password_changed_at),
    scope: parseScope(row.scope),
    authTime: Number(row.auth_time),
    sessionId: row.session_id === null ? undefined : idFromBytes(row.session_id),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromToken(token: RefreshToken): RefreshTokenRow {
  return {
    id: idToBytes(token.id),
    secret_hash: token.secretHash,
    previous_secret_hash: token.previousSecretHash ?? null,
    rotated_at: token.rotatedAt ?? null,
    grant_id: idToBytes(token.grantId),
    registration_id: idToBytes(token.registrationId),
    user_id: token.userId,
    password_changed_at: token.passwordChangedAt,
    scope: token.scope.join(' '),
    auth_time: token.authTime,
    session_id: token.sessionId === undefined ? null : idToBytes(token.sessionId),
    expires_at: token.expiresAt,
  };
}
