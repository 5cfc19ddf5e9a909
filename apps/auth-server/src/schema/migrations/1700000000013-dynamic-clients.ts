import { type Dialect, dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** Clients that register themselves, and the tokens by which they may. */
export class DynamicClients1700000000013 implements MigrationInterface {
  readonly name = 'DynamicClients1700000000013';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of buildStatements(dialectOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The release before would keep them for ever, as clients of administrators.
    await runner.query('DELETE FROM clients WHERE registration_token_hash IS NOT NULL');
    const isMysql = dialectOf(runner.dataSource) === 'mysql';
    // SQLite finds an index by its name alone.
    await runner.query(`DROP INDEX clients_lapse${isMysql ? ' ON clients' : ''}`);
    for (const column of ['registration_token_hash', 'registration', 'lapses_at']) {
      await runner.query(`ALTER TABLE clients DROP COLUMN ${column}`);
    }
    await runner.query('DROP TABLE initial_access_tokens');
  }
}

function buildStatements(dialect: Dialect): string[] {
  const { ascii, bytes, document, integer } = columnWords[dialect];
  return [
    `CREATE TABLE initial_access_tokens (
      id ${bytes(16)} PRIMARY KEY NOT NULL,
      token_hash ${bytes(32)} NOT NULL,
      uses ${integer} NOT NULL,
      uses_left ${integer} NOT NULL,
      limits ${document} NOT NULL,
      ceiling ${ascii(255)},
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL
    )`,
    'CREATE UNIQUE INDEX initial_access_tokens_token ON initial_access_tokens (token_hash)',
    'CREATE INDEX initial_access_tokens_expiry ON initial_access_tokens (expires_at)',
    `ALTER TABLE clients ADD COLUMN registration_token_hash ${bytes(32)}`,
    `ALTER TABLE clients ADD COLUMN registration ${document}`,
    'ALTER TABLE clients ADD COLUMN lapses_at bigint',
    'CREATE INDEX clients_lapse ON clients (lapses_at)',
  ];
}
