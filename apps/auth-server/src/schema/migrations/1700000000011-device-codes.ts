import { type Dialect, dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** Device codes (RFC 8628), and refresh tokens whose access tokens carry roles by scope alone, as those of devices do. */
export class DeviceCodes1700000000011 implements MigrationInterface {
  readonly name = 'DeviceCodes1700000000011';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of buildStatements(dialectOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The release before would give the tokens of such a grant all roles that the client may use.
    await runner.query('DELETE FROM refresh_tokens WHERE roles_by_scope = 1');
    await runner.query('ALTER TABLE refresh_tokens DROP COLUMN roles_by_scope');
    await runner.query('DROP TABLE device_codes');
  }
}

function buildStatements(dialect: Dialect): string[] {
  const { ascii, bytes, document, flag, integer } = columnWords[dialect];
  return [
    `CREATE TABLE device_codes (
      code_hash ${bytes(32)} PRIMARY KEY NOT NULL,
      user_code_hash ${bytes(32)} NOT NULL,
      grant_id ${bytes(16)} NOT NULL,
      registration_id ${bytes(16)} NOT NULL,
      client_id ${ascii(255)} NOT NULL,
      client_generation ${integer} NOT NULL,
      scope ${ascii(2048)} NOT NULL,
      resources ${document},
      open_until bigint,
      user_id ${ascii(64)},
      password_changed_at bigint,
      auth_time bigint,
      poll_interval ${integer} NOT NULL,
      polled_at bigint,
      consumed_at bigint,
      status_list_id ${integer},
      status_index ${integer},
      ends_at bigint NOT NULL,
      expires_at bigint NOT NULL
    )`,
    'CREATE UNIQUE INDEX device_codes_user_code ON device_codes (user_code_hash)',
    'CREATE INDEX device_codes_grant ON device_codes (grant_id)',
    'CREATE INDEX device_codes_user ON device_codes (user_id)',
    'CREATE INDEX device_codes_open ON device_codes (open_until)',
    'CREATE INDEX device_codes_expiry ON device_codes (expires_at)',
    `ALTER TABLE refresh_tokens ADD COLUMN roles_by_scope ${flag} NOT NULL DEFAULT 0`,
  ];
}
