import { type Dialect, dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** Columns that bound the clients that register themselves, and the device codes of public clients. */
export class BoundsOfStrangers1700000000017 implements MigrationInterface {
  readonly name = 'BoundsOfStrangers1700000000017';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of buildStatements(dialectOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    const isMysql = dialectOf(runner.dataSource) === 'mysql';
    // SQLite finds an index by its name alone.
    const drop = (index: string, table: string) => `DROP INDEX ${index}${isMysql ? ` ON ${table}` : ''}`;
    for (const name of ['network', 'client', 'public']) {
      await runner.query(drop(`device_codes_${name}`, 'device_codes'));
    }
    for (const name of ['network_hash', 'is_public'])
      await runner.query(`ALTER TABLE device_codes DROP COLUMN ${name}`);
    for (const name of ['unused', 'in_memory']) await runner.query(drop(`clients_${name}`, 'clients'));
    for (const name of ['unused_hash', 'origins_indexed'])
      await runner.query(`ALTER TABLE clients DROP COLUMN ${name}`);
    await runner.query('DROP TABLE client_origins');
  }
}

function buildStatements(dialect: Dialect): string[] {
  const { ascii, bytes, flag } = columnWords[dialect];
  return [
    `CREATE TABLE client_origins (
      origin_hash ${bytes(32)} NOT NULL,
      client_id ${ascii(255)} NOT NULL,
      written_at bigint NOT NULL,
      PRIMARY KEY (origin_hash, client_id)
    )`,
    'CREATE INDEX client_origins_client ON client_origins (client_id)',
    // 0 in the rows of the release before: their origins stay in memory, as they were.
    `ALTER TABLE clients ADD COLUMN origins_indexed ${flag} NOT NULL DEFAULT 0`,
    `ALTER TABLE clients ADD COLUMN unused_hash ${bytes(32)}`,
    'CREATE INDEX clients_in_memory ON clients (origins_indexed, updated_at, client_id)',
    'CREATE UNIQUE INDEX clients_unused ON clients (unused_hash)',
    `ALTER TABLE device_codes ADD COLUMN is_public ${flag} NOT NULL DEFAULT 0`,
    `ALTER TABLE device_codes ADD COLUMN network_hash ${bytes(32)}`,
    'CREATE INDEX device_codes_public ON device_codes (is_public, open_until)',
    'CREATE INDEX device_codes_client ON device_codes (registration_id, open_until)',
    'CREATE INDEX device_codes_network ON device_codes (network_hash, open_until)',
  ];
}
