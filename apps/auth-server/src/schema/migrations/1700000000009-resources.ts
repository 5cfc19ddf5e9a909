import { type Dialect, dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** APIs of the organization's own, their scopes, and what grants and consents hold of them. */
export class Resources1700000000009 implements MigrationInterface {
  readonly name = 'Resources1700000000009';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of buildStatements(dialectOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The release before knows org-api alone: it would take a grant for another resource for one of org-api.
    for (const table of ['authorization_codes', 'refresh_tokens']) {
      await runner.query(`DELETE FROM ${table} WHERE resources IS NOT NULL`);
    }
    for (const table of ['authorization_codes', 'refresh_tokens', 'consents']) {
      await runner.query(`ALTER TABLE ${table} DROP COLUMN resources`);
    }
    const isMysql = dialectOf(runner.dataSource) === 'mysql';
    // SQLite finds an index by its name alone.
    await runner.query(`DROP INDEX clients_default_resource${isMysql ? ' ON clients' : ''}`);
    await runner.query('ALTER TABLE clients DROP COLUMN default_resource_hash');
    for (const table of ['resource_scopes', 'resources']) await runner.query(`DROP TABLE ${table}`);
  }
}

function buildStatements(dialect: Dialect): string[] {
  const { ascii, bytes, document, flag, integer, unicode } = columnWords[dialect];
  return [
    `CREATE TABLE resources (
      id ${bytes(16)} PRIMARY KEY NOT NULL,
      uri_hash ${bytes(32)} NOT NULL,
      resource ${ascii(2048)} NOT NULL,
      name ${unicode(128)} NOT NULL,
      scopes ${document} NOT NULL,
      access_token_validity ${integer},
      dynamic_clients ${flag} NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL
    )`,
    'CREATE UNIQUE INDEX resources_uri ON resources (uri_hash)',
    `CREATE TABLE resource_scopes (
      id ${bytes(16)} PRIMARY KEY NOT NULL,
      name ${ascii(128)} NOT NULL,
      resource_id ${bytes(16)} NOT NULL,
      taken_at bigint NOT NULL
    )`,
    'CREATE UNIQUE INDEX resource_scopes_name ON resource_scopes (name)',
    'CREATE INDEX resource_scopes_resource ON resource_scopes (resource_id)',
    `ALTER TABLE clients ADD COLUMN default_resource_hash ${bytes(32)}`,
    'CREATE INDEX clients_default_resource ON clients (default_resource_hash)',
    `ALTER TABLE authorization_codes ADD COLUMN resources ${document}`,
    `ALTER TABLE refresh_tokens ADD COLUMN resources ${document}`,
    `ALTER TABLE consents ADD COLUMN resources ${document}`,
  ];
}
