import { dialectOf } from '@gatehouse/service-kit/database';
import { createFailedAttemptTable } from '@gatehouse/service-kit/guess-limit';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type ColumnWords, columnWords } from './column-words.ts';

export class FirstTables1700000000001 implements MigrationInterface {
  readonly name = 'FirstTables1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const words = columnWords[dialect];
    for (const statement of [...buildGrantTables(words), ...buildOtherTables(words)]) await runner.query(statement);
    for (const statement of indices) await runner.query(statement);
    for (const statement of createFailedAttemptTable(dialect)) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['failed_attempts', ...tables]) await runner.query(`DROP TABLE ${table}`);
  }
}

const tables = ['clients', 'authorization_codes', 'refresh_tokens', 'revocations', 'browser_sessions', 'signing_keys'];

/** Clients, and what is granted to them. */
function buildGrantTables({ bytes, ascii, unicode, integer }: ColumnWords): string[] {
  return [
    `CREATE TABLE clients (
      client_id ${ascii(255)} PRIMARY KEY NOT NULL,
      registration_id ${bytes(16)} NOT NULL,
      secret_hash ${ascii(255)},
      previous_secret_hash ${ascii(255)},
      previous_secret_expires_at bigint,
      scope ${ascii(2048)} NOT NULL,
      grant_types ${ascii(255)} NOT NULL,
      redirect_uri ${ascii(2048)},
      access_token_validity ${integer} NOT NULL,
      service_account_user_id ${ascii(64)},
      service_account_username ${unicode(255)},
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL
    )`,
    `CREATE TABLE authorization_codes (
      code_hash ${bytes(32)} PRIMARY KEY NOT NULL,
      grant_id ${bytes(16)} NOT NULL,
      registration_id ${bytes(16)} NOT NULL,
      redirect_uri ${ascii(2048)},
      code_challenge ${ascii(64)},
      scope ${ascii(2048)} NOT NULL,
      user_id ${ascii(64)} NOT NULL,
      session_id ${bytes(16)} NOT NULL,
      password_changed_at bigint NOT NULL,
      nonce ${unicode(512)},
      auth_time bigint NOT NULL,
      issued_at bigint NOT NULL,
      consumed_at bigint,
      expires_at bigint NOT NULL
    )`,
    `CREATE TABLE refresh_tokens (
      id ${bytes(16)} PRIMARY KEY NOT NULL,
      secret_hash ${bytes(32)} NOT NULL,
      previous_secret_hash ${bytes(32)},
      rotated_at bigint,
      grant_id ${bytes(16)} NOT NULL,
      registration_id ${bytes(16)} NOT NULL,
      user_id ${ascii(64)} NOT NULL,
      password_changed_at bigint NOT NULL,
      scope ${ascii(2048)} NOT NULL,
      auth_time bigint NOT NULL,
      session_id ${bytes(16)},
      expires_at bigint NOT NULL
    )`,
  ];
}

function buildOtherTables({ bytes, ascii, document, integer }: ColumnWords): string[] {
  return [
    `CREATE TABLE revocations (
      subject_hash ${bytes(32)} PRIMARY KEY NOT NULL,
      expires_at bigint NOT NULL
    )`,
    `CREATE TABLE browser_sessions (
      token_hash ${bytes(32)} PRIMARY KEY NOT NULL,
      session_id ${bytes(16)} NOT NULL,
      user_id ${ascii(64)} NOT NULL,
      password_changed_at bigint NOT NULL,
      auth_time bigint NOT NULL,
      expires_at bigint NOT NULL
    )`,
    `CREATE TABLE signing_keys (
      kid ${ascii(64)} PRIMARY KEY NOT NULL,
      algorithm ${ascii(16)} NOT NULL,
      generation ${integer} NOT NULL,
      public_jwk ${document} NOT NULL,
      encrypted_private_key ${document} NOT NULL,
      publish_at bigint NOT NULL,
      sign_from bigint NOT NULL,
      expires_at bigint NOT NULL
    )`,
  ];
}

const indices = [
  'CREATE INDEX authorization_codes_expiry ON authorization_codes (expires_at)',
  'CREATE INDEX refresh_tokens_grant ON refresh_tokens (grant_id)',
  'CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id)',
  'CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at)',
  'CREATE INDEX revocations_expiry ON revocations (expires_at)',
  'CREATE INDEX browser_sessions_expiry ON browser_sessions (expires_at)',
  'CREATE UNIQUE INDEX signing_keys_generation ON signing_keys (algorithm, generation)',
  'CREATE INDEX signing_keys_expiry ON signing_keys (expires_at)',
];
