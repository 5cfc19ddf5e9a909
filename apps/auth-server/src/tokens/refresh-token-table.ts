import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';
import type { AuthenticationColumns } from '../levels/authentication.ts';

export interface RefreshTokenRow extends AuthenticationColumns {
  id: Buffer;
  secret_hash: Buffer;
  previous_secret_hash: Buffer | null;
  rotated_at: number | null;
  rotated_from: Buffer | null;
  grant_id: Buffer;
  registration_id: Buffer;
  client_generation: number;
  user_id: string;
  password_changed_at: number;
  scope: string;
  session_id: Buffer | null;
  began_in: Buffer | null;
  statuses: string | null;
  /** JSON. */
  claims: string | null;
  /** JSON. Null where org-api alone was granted. */
  resources: string | null;
  dpop_jkt: string | null;
  roles_by_scope: number;
  ends_at: number | null;
  expires_at: number;
}

export const refreshTokens = (column: ColumnTypes): EntitySchemaOptions<RefreshTokenRow> => ({
  name: 'RefreshToken',
  tableName: 'refresh_tokens',
  columns: {
    id: { ...column.bytes(16), primary: true },
    secret_hash: column.bytes(32),
    previous_secret_hash: { ...column.bytes(32), nullable: true },
    rotated_at: { ...column.instant(), nullable: true },
    rotated_from: { ...column.bytes(32), nullable: true },
    grant_id: column.bytes(16),
    registration_id: column.bytes(16),
    client_generation: { ...column.integer(), default: 0 },
    user_id: column.ascii(64),
    password_changed_at: column.instant(),
    scope: column.ascii(2048),
    auth_time: column.instant(),
    acr: { ...column.ascii(64), nullable: true },
    amr: { ...column.ascii(64), nullable: true },
    session_id: { ...column.bytes(16), nullable: true },
    began_in: { ...column.bytes(16), nullable: true },
    statuses: { ...column.document(), nullable: true },
    claims: { ...column.document(), nullable: true },
    resources: { ...column.document(), nullable: true },
    dpop_jkt: { ...column.ascii(64), nullable: true },
    roles_by_scope: { ...column.flag(), default: 0 },
    ends_at: { ...column.instant(), nullable: true },
    expires_at: column.instant(),
  },
  indices: [
    { name: 'refresh_tokens_grant', columns: ['grant_id'] },
    { name: 'refresh_tokens_session', columns: ['session_id'] },
    { name: 'refresh_tokens_user', columns: ['user_id'] },
    { name: 'refresh_tokens_registration', columns: ['registration_id'] },
    { name: 'refresh_tokens_expiry', columns: ['expires_at'] },
  ],
});
