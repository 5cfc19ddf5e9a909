import { type Database, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { parseScope } from '@gatehouse/shared';
import type { AuthorizationCode } from '../../authorization/authorization-code.ts';
import type { AuthorizationCodeStore } from '../stores.ts';
import { rowsOf } from './rows.ts';
import type { AuthorizationCodeRow } from './tables.ts';

export function createAuthorizationCodeStore(database: Database): AuthorizationCodeStore {
  return {
    async insert(code) {
      await rowsOf<AuthorizationCodeRow>(database, 'AuthorizationCode').insert(rowFromCode(code));
    },
    async find(codeHash) {
      const sql = 'SELECT * FROM authorization_codes WHERE code_hash = ?';
      const [row] = await database.query<AuthorizationCodeRow>(sql, [codeHash]);
      return row && codeFromRow(row);
    },
    async consume(codeHash, { now, issuedAfter }) {
      const consumed = await database.execute(
        'UPDATE authorization_codes SET consumed_at = ? WHERE code_hash = ? AND consumed_at IS NULL AND issued_at > ?',
        [now, codeHash, issuedAfter],
      );
      return consumed === 1;
    },
  };
}

function codeFromRow(row: AuthorizationCodeRow): AuthorizationCode {
  return {
    codeHash: row.code_hash,
    grantId: idFromBytes(row.grant_id),
    registrationId: idFromBytes(row.registration_id),
    redirectUri: row.redirect_uri ?? undefined,
    codeChallenge: row.code_challenge ?? undefined,
    scope: parseScope(row.scope),
    userId: row.user_id,
    sessionId: idFromBytes(row.session_id),
    passwordChangedAt: Number(row.password_changed_at),
    nonce: row.nonce ?? undefined,
    authTime: Number(row.auth_time),
    issuedAt: Number(row.issued_at),
    consumedAt: row.consumed_at === null ? undefined : Number(row.consumed_at),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromCode(code: AuthorizationCode): AuthorizationCodeRow {
  return {
    code_hash: code.codeHash,
    grant_id: idToBytes(code.grantId),
    registration_id: idToBytes(code.registrationId),
    redirect_uri: code.redirectUri ?? null,
    code_challenge: code.codeChallenge ?? null,
    scope: code.scope.join(' '),
    user_id: code.userId,
    session_id: idToBytes(code.sessionId),
    password_changed_at: code.passwordChangedAt,
    nonce: code.nonce ?? null,
    auth_time: code.authTime,
    issued_at: code.issuedAt,
    consumed_at: code.consumedAt ?? null,
    expires_at: code.expiresAt,
  };
}
