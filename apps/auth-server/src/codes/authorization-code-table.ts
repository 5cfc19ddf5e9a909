import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';
import type { AuthenticationColumns } from '../levels/authentication.ts';

export interface AuthorizationCodeRow extends AuthenticationColumns {
  code_hash: Buffer;
  grant_id: Buffer;
  registration_id: Buffer;
  client_generation: number;
  redirect_uri: string | null;
  code_challenge: string | null;
  scope: string;
  user_id: string;
  session_id: Buffer;
  password_changed_at: number;
  nonce: string | null;
  issued_at: number;
  consumed_at: number | null;
  status_list_id: number | null;
  status_index: number | null;
  /** JSON. */
  claims: string | null;
  /** JSON. Null where org-api alone was granted. */
  resources: string | null;
  dpop_jkt: string | null;
  expires_at: number;
}

export const authorizationCodes = (column: ColumnTypes): EntitySchemaOptions<AuthorizationCodeRow> => ({
  name: 'AuthorizationCode',
  tableName: 'authorization_codes',
  columns: {
    code_hash: { ...column.bytes(32), primary: true },
    grant_id: column.bytes(16),
    registration_id: column.bytes(16),
    client_generation: { ...column.integer(), default: 0 },
    redirect_uri: { ...column.ascii(2048), nullable: true },
    code_challenge: { ...column.ascii(64), nullable: true },
    scope: column.ascii(2048),
    user_id: column.ascii(64),
    session_id: column.bytes(16),
    password_changed_at: column.instant(),
    nonce: { ...column.unicode(512), nullable: true },
    auth_time: column.instant(),
    acr: { ...column.ascii(64), nullable: true },
    amr: { ...column.ascii(64), nullable: true },
    issued_at: column.instant(),
    consumed_at: { ...column.instant(), nullable: true },
    status_list_id: { ...column.integer(), nullable: true },
    status_index: { ...column.integer(), nullable: true },
    claims: { ...column.document(), nullable: true },
    resources: { ...column.document(), nullable: true },
    dpop_jkt: { ...column.ascii(64), nullable: true },
    expires_at: column.instant(),
  },
  indices: [
    { name: 'authorization_codes_grant', columns: ['grant_id'] },
    { name: 'authorization_codes_session', columns: ['session_id'] },
    { name: 'authorization_codes_user', columns: ['user_id'] },
    { name: 'authorization_codes_expiry', columns: ['expires_at'] },
  ],
});
