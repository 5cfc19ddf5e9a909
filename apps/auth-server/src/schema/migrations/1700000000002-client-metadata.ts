import { type Dialect, dialectOf } from '@gatehouse/service-kit/database';
import { createUsedIdentifierTable } from '@gatehouse/service-kit/used-identifiers';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type ColumnWords, columnWords } from './column-words.ts';

/** Client metadata, pushed authorization requests, identifiers that work only once, clients to tell of a logout. */
export class ClientMetadata1700000000002 implements MigrationInterface {
  readonly name = 'ClientMetadata1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of buildStatements(dialectOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['session_participants', 'status_revocations', 'status_blocks']) {
      await runner.query(`DROP TABLE ${table}`);
    }
    await dropIndex(runner, 'authorization_codes_grant', 'authorization_codes');
    await dropIndex(runner, 'authorization_codes_session', 'authorization_codes');
    await dropIndex(runner, 'authorization_codes_user', 'authorization_codes');
    for (const column of ['status_list_id', 'status_index']) {
      await runner.query(`ALTER TABLE authorization_codes DROP COLUMN ${column}`);
    }
    await runner.query('ALTER TABLE refresh_tokens DROP COLUMN statuses');
    await runner.query('DROP TABLE consents');
    await dropIndex(runner, 'refresh_tokens_user', 'refresh_tokens');
    await runner.query('DROP TABLE used_identifiers');
    await runner.query('DROP TABLE pushed_requests');
    for (const table of ['refresh_tokens', 'authorization_codes']) {
      for (const column of ['claims', 'dpop_jkt']) await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
    await runner.query('ALTER TABLE clients DROP COLUMN metadata');
  }
}

/** SQLite finds an index by its name alone. */
async function dropIndex(runner: QueryRunner, name: string, table: string): Promise<void> {
  await runner.query(
    dialectOf(runner.dataSource) === 'mysql' ? `DROP INDEX ${name} ON ${table}` : `DROP INDEX ${name}`,
  );
}

function buildStatements(dialect: Dialect): string[] {
  return [
    ...buildColumns(dialect),
    ...buildStatusTables(columnWords[dialect]),
    ...buildUserTables(columnWords[dialect]),
  ];
}

function buildColumns(dialect: Dialect): string[] {
  const { ascii, bytes, document, integer } = columnWords[dialect];
  return [
    `ALTER TABLE clients ADD COLUMN metadata ${document}`,
    `CREATE TABLE pushed_requests (
      id_hash ${bytes(32)} PRIMARY KEY NOT NULL,
      registration_id ${bytes(16)} NOT NULL,
      parameters ${document} NOT NULL,
      expires_at bigint NOT NULL
    )`,
    'CREATE INDEX pushed_requests_expiry ON pushed_requests (expires_at)',
    ...createUsedIdentifierTable(dialect),
    `ALTER TABLE authorization_codes ADD COLUMN dpop_jkt ${ascii(64)}`,
    `ALTER TABLE refresh_tokens ADD COLUMN dpop_jkt ${ascii(64)}`,
    `ALTER TABLE authorization_codes ADD COLUMN claims ${document}`,
    `ALTER TABLE refresh_tokens ADD COLUMN claims ${document}`,
    `ALTER TABLE refresh_tokens ADD COLUMN statuses ${document}`,
    `ALTER TABLE authorization_codes ADD COLUMN status_list_id ${integer}`,
    `ALTER TABLE authorization_codes ADD COLUMN status_index ${integer}`,
    'CREATE INDEX authorization_codes_grant ON authorization_codes (grant_id)',
    'CREATE INDEX authorization_codes_session ON authorization_codes (session_id)',
    'CREATE INDEX authorization_codes_user ON authorization_codes (user_id)',
  ];
}

function buildStatusTables({ bytes, integer }: ColumnWords): string[] {
  return [
    `CREATE TABLE status_blocks (
      list_id ${integer} NOT NULL,
      first_index ${integer} NOT NULL,
      size ${integer} NOT NULL,
      registration_id ${bytes(16)} NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (list_id, first_index)
    )`,
    'CREATE INDEX status_blocks_registration ON status_blocks (registration_id)',
    'CREATE INDEX status_blocks_expiry ON status_blocks (expires_at)',
    `CREATE TABLE status_revocations (
      list_id ${integer} NOT NULL,
      first_index ${integer} NOT NULL,
      size ${integer} NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (list_id, first_index, size)
    )`,
    'CREATE INDEX status_revocations_expiry ON status_revocations (expires_at)',
  ];
}

function buildUserTables({ ascii, bytes }: ColumnWords): string[] {
  return [
    'CREATE INDEX refresh_tokens_user ON refresh_tokens (user_id)',
    `CREATE TABLE consents (
      user_id ${ascii(64)} NOT NULL,
      registration_id ${bytes(16)} NOT NULL,
      client_id ${ascii(255)} NOT NULL,
      scope ${ascii(2048)} NOT NULL,
      granted_at bigint NOT NULL,
      PRIMARY KEY (user_id, registration_id)
    )`,
    `CREATE TABLE session_participants (
      session_id ${bytes(16)} NOT NULL,
      client_id ${ascii(255)} NOT NULL,
      user_id ${ascii(64)} NOT NULL,
      tell_at bigint,
      expires_at bigint NOT NULL,
      PRIMARY KEY (session_id, client_id)
    )`,
    'CREATE INDEX session_participants_due ON session_participants (tell_at)',
    'CREATE INDEX session_participants_expiry ON session_participants (expires_at)',
  ];
}
