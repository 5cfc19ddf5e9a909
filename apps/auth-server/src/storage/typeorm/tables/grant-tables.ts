import type { ColumnTypes } from '@gatehouse/service-kit';
import { EntitySchema } from 'typeorm';

// What stands for a grant on its way: pushed requests, codes, refresh tokens, what was ended before its time, and how often
// somebody without credentials asked.

export interface PushedRequestRow {
  id_hash: Buffer;
  registration_id: Buffer;
  parameters: string;
  expires_at: number;
}

export interface AuthorizationCodeRow {
  code_hash: Buffer;
  grant_id: Buffer;
  registration_id: Buffer;
  redirect_uri: string | null;
  code_challenge: string | null;
  scope: string;
  user_id: string;
  session_id: Buffer;
  password_changed_at: number;
  nonce: string | null;
  auth_time: number;
  issued_at: number;
  consumed_at: number | null;
  status_list_id: number | null;
  status_index: number | null;
  /** JSON. */
  claims: string | null;
  dpop_jkt: string | null;
  expires_at: number;
}

export interface RefreshTokenRow {
  id: Buffer;
  secret_hash: Buffer;
  previous_secret_hash: Buffer | null;
  rotated_at: number | null;
  rotated_from: Buffer | null;
  grant_id: Buffer;
  registration_id: Buffer;
  user_id: string;
  password_changed_at: number;
  scope: string;
  auth_time: number;
  session_id: Buffer | null;
  statuses: string | null;
  /** JSON. */
  claims: string | null;
  dpop_jkt: string | null;
  ends_at: number | null;
  expires_at: number;
}

export interface RevocationRow {
  subject_hash: Buffer;
  expires_at: number;
}

export interface RequestBudgetRow {
  key_hash: Buffer;
  used: number;
  expires_at: number;
}

export const pushedRequests = (column: ColumnTypes) =>
  new EntitySchema<PushedRequestRow>({
    name: 'PushedRequest',
    tableName: 'pushed_requests',
    columns: {
      id_hash: { ...column.bytes(32), primary: true },
      registration_id: column.bytes(16),
      parameters: column.document(),
      expires_at: column.instant(),
    },
    indices: [{ name: 'pushed_requests_expiry', columns: ['expires_at'] }],
  });

export const authorizationCodes = (column: ColumnTypes) =>
  new EntitySchema<AuthorizationCodeRow>({
    name: 'AuthorizationCode',
    tableName: 'authorization_codes',
    columns: {
      code_hash: { ...column.bytes(32), primary: true },
      grant_id: column.bytes(16),
      registration_id: column.bytes(16),
      redirect_uri: { ...column.ascii(2048), nullable: true },
      code_challenge: { ...column.ascii(64), nullable: true },
      scope: column.ascii(2048),
      user_id: column.ascii(64),
      session_id: column.bytes(16),
      password_changed_at: column.instant(),
      nonce: { ...column.unicode(512), nullable: true },
      auth_time: column.instant(),
      issued_at: column.instant(),
      consumed_at: { ...column.instant(), nullable: true },
      status_list_id: { ...column.integer(), nullable: true },
      status_index: { ...column.integer(), nullable: true },
      claims: { ...column.document(), nullable: true },
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

export const refreshTokens = (column: ColumnTypes) =>
  new EntitySchema<RefreshTokenRow>({
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
      user_id: column.ascii(64),
      password_changed_at: column.instant(),
      scope: column.ascii(2048),
      auth_time: column.instant(),
      session_id: { ...column.bytes(16), nullable: true },
      statuses: { ...column.document(), nullable: true },
      claims: { ...column.document(), nullable: true },
      dpop_jkt: { ...column.ascii(64), nullable: true },
      ends_at: { ...column.instant(), nullable: true },
      expires_at: column.instant(),
    },
    indices: [
      { name: 'refresh_tokens_grant', columns: ['grant_id'] },
      { name: 'refresh_tokens_session', columns: ['session_id'] },
      { name: 'refresh_tokens_user', columns: ['user_id'] },
      { name: 'refresh_tokens_expiry', columns: ['expires_at'] },
    ],
  });

export const revocations = (column: ColumnTypes) =>
  new EntitySchema<RevocationRow>({
    name: 'Revocation',
    tableName: 'revocations',
    columns: { subject_hash: { ...column.bytes(32), primary: true }, expires_at: column.instant() },
    indices: [{ name: 'revocations_expiry', columns: ['expires_at'] }],
  });

export const requestBudgets = (column: ColumnTypes) =>
  new EntitySchema<RequestBudgetRow>({
    name: 'RequestBudget',
    tableName: 'request_budgets',
    columns: {
      key_hash: { ...column.bytes(32), primary: true },
      used: column.integer(),
      expires_at: column.instant(),
    },
    indices: [{ name: 'request_budgets_expiry', columns: ['expires_at'] }],
  });
