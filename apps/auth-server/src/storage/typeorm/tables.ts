import { columnTypes, type Dialect, failedAttemptEntity, failedAttemptTable } from '@gatehouse/service-kit';
import { EntitySchema } from 'typeorm';

/*
 * The rows as they are stored: ids and hashes as bytes, instants as milliseconds, lists separated by spaces.
 */

export interface ClientRow {
  client_id: string;
  registration_id: Buffer;
  secret_hash: string | null;
  previous_secret_hash: string | null;
  previous_secret_expires_at: number | null;
  scope: string;
  grant_types: string;
  redirect_uri: string | null;
  access_token_validity: number;
  service_account_user_id: string | null;
  service_account_username: string | null;
  created_at: number;
  updated_at: number;
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
  expires_at: number;
}

export interface RefreshTokenRow {
  id: Buffer;
  secret_hash: Buffer;
  previous_secret_hash: Buffer | null;
  rotated_at: number | null;
  grant_id: Buffer;
  registration_id: Buffer;
  user_id: string;
  password_changed_at: number;
  scope: string;
  auth_time: number;
  session_id: Buffer | null;
  expires_at: number;
}

export interface RevocationRow {
  subject_hash: Buffer;
  expires_at: number;
}

export interface BrowserSessionRow {
  token_hash: Buffer;
  session_id: Buffer;
  user_id: string;
  password_changed_at: number;
  auth_time: number;
  expires_at: number;
}

export interface SigningKeyRow {
  kid: string;
  algorithm: string;
  generation: number;
  public_jwk: string;
  encrypted_private_key: string;
  publish_at: number;
  sign_from: number;
  expires_at: number;
}

type Columns = ReturnType<typeof columnTypes>;

const clients = (column: Columns) =>
  new EntitySchema<ClientRow>({
    name: 'Client',
    tableName: 'clients',
    columns: {
      client_id: { ...column.ascii(255), primary: true },
      registration_id: column.bytes(16),
      secret_hash: { ...column.ascii(255), nullable: true },
      previous_secret_hash: { ...column.ascii(255), nullable: true },
      previous_secret_expires_at: { ...column.instant(), nullable: true },
      scope: column.ascii(2048),
      grant_types: column.ascii(255),
      redirect_uri: { ...column.ascii(2048), nullable: true },
      access_token_validity: column.integer(),
      service_account_user_id: { ...column.ascii(64), nullable: true },
      service_account_username: { ...column.unicode(255), nullable: true },
      created_at: column.instant(),
      updated_at: column.instant(),
    },
  });

const authorizationCodes = (column: Columns) =>
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
      expires_at: column.instant(),
    },
    indices: [{ name: 'authorization_codes_expiry', columns: ['expires_at'] }],
  });

const refreshTokens = (column: Columns) =>
  new EntitySchema<RefreshTokenRow>({
    name: 'RefreshToken',
    tableName: 'refresh_tokens',
    columns: {
      id: { ...column.bytes(16), primary: true },
      secret_hash: column.bytes(32),
      previous_secret_hash: { ...column.bytes(32), nullable: true },
      rotated_at: { ...column.instant(), nullable: true },
      grant_id: column.bytes(16),
      registration_id: column.bytes(16),
      user_id: column.ascii(64),
      password_changed_at: column.instant(),
      scope: column.ascii(2048),
      auth_time: column.instant(),
      session_id: { ...column.bytes(16), nullable: true },
      expires_at: column.instant(),
    },
    indices: [
      { name: 'refresh_tokens_grant', columns: ['grant_id'] },
      { name: 'refresh_tokens_session', columns: ['session_id'] },
      { name: 'refresh_tokens_expiry', columns: ['expires_at'] },
    ],
  });

const revocations = (column: Columns) =>
  new EntitySchema<RevocationRow>({
    name: 'Revocation',
    tableName: 'revocations',
    columns: { subject_hash: { ...column.bytes(32), primary: true }, expires_at: column.instant() },
    indices: [{ name: 'revocations_expiry', columns: ['expires_at'] }],
  });

const browserSessions = (column: Columns) =>
  new EntitySchema<BrowserSessionRow>({
    name: 'BrowserSession',
    tableName: 'browser_sessions',
    columns: {
      token_hash: { ...column.bytes(32), primary: true },
      session_id: column.bytes(16),
      user_id: column.ascii(64),
      password_changed_at: column.instant(),
      auth_time: column.instant(),
      expires_at: column.instant(),
    },
    indices: [{ name: 'browser_sessions_expiry', columns: ['expires_at'] }],
  });

const signingKeys = (column: Columns) =>
  new EntitySchema<SigningKeyRow>({
    name: 'SigningKey',
    tableName: 'signing_keys',
    columns: {
      kid: { ...column.ascii(64), primary: true },
      algorithm: column.ascii(16),
      generation: column.integer(),
      public_jwk: column.document(),
      encrypted_private_key: column.document(),
      publish_at: column.instant(),
      sign_from: column.instant(),
      expires_at: column.instant(),
    },
    indices: [
      { name: 'signing_keys_generation', columns: ['algorithm', 'generation'], unique: true },
      { name: 'signing_keys_expiry', columns: ['expires_at'] },
    ],
  });

export function authServerEntities(dialect: Dialect): EntitySchema[] {
  const column = columnTypes(dialect);
  return [
    clients(column),
    authorizationCodes(column),
    refreshTokens(column),
    revocations(column),
    browserSessions(column),
    signingKeys(column),
    failedAttemptEntity(dialect),
  ] as EntitySchema[];
}

/** The tables whose rows expire. */
export const expiringTables = [
  'authorization_codes',
  'refresh_tokens',
  'revocations',
  'browser_sessions',
  'signing_keys',
  failedAttemptTable,
];
