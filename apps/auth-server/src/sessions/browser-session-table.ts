import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface BrowserSessionRow {
  token_hash: Buffer;
  session_id: Buffer;
  user_id: string;
  password_changed_at: number;
  auth_time: number;
  /** Of each factor. Null where it was not proved; all three in rows of the release before. */
  password_at: number | null;
  code_at: number | null;
  passkey_at: number | null;
  passkey_uv: number | boolean;
  label: string | null;
  network: string | null;
  last_used_at: number | null;
  /** Of the sign-in at an upstream: seconds, level, the identity by which it was, and the upstream. Null where there was none. */
  upstream_at: number | null;
  upstream_level: string | null;
  identity_id: string | null;
  upstream_id: Buffer | null;
  expires_at: number;
}

export const browserSessions = (column: ColumnTypes): EntitySchemaOptions<BrowserSessionRow> => ({
  name: 'BrowserSession',
  tableName: 'browser_sessions',
  columns: {
    token_hash: { ...column.bytes(32), primary: true },
    session_id: column.bytes(16),
    user_id: column.ascii(64),
    password_changed_at: column.instant(),
    auth_time: column.instant(),
    password_at: { ...column.instant(), nullable: true },
    code_at: { ...column.instant(), nullable: true },
    passkey_at: { ...column.instant(), nullable: true },
    passkey_uv: { ...column.flag(), default: 0 },
    label: { ...column.ascii(64), nullable: true },
    network: { ...column.ascii(64), nullable: true },
    last_used_at: { ...column.instant(), nullable: true },
    upstream_at: { ...column.instant(), nullable: true },
    upstream_level: { ...column.ascii(64), nullable: true },
    identity_id: { ...column.ascii(64), nullable: true },
    upstream_id: { ...column.bytes(16), nullable: true },
    expires_at: column.instant(),
  },
  indices: [
    { name: 'browser_sessions_session', columns: ['session_id'] },
    { name: 'browser_sessions_user', columns: ['user_id'] },
    { name: 'browser_sessions_expiry', columns: ['expires_at'] },
  ],
});
