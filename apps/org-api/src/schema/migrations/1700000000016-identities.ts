import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts of users at upstreams. */
export class Identities1700000000016 implements MigrationInterface {
  readonly name = 'Identities1700000000016';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = dialectOf(runner.dataSource) === 'mysql';
    const ascii = (length: number) => `varchar(${length})${mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''}`;
    const unicode = (length: number) =>
      `varchar(${length})${mysql ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : ''}`;
    const bytes = (length: number) => (mysql ? `binary(${length})` : 'blob');
    await runner.query(`CREATE TABLE identities (
      account_hash ${bytes(32)} NOT NULL PRIMARY KEY,
      id ${bytes(16)} NOT NULL,
      user_id ${bytes(16)} NULL,
      issuer_hash ${bytes(32)} NOT NULL,
      number ${mysql ? 'int' : 'integer'} NOT NULL,
      issuer ${unicode(512)} NOT NULL,
      subject ${unicode(512)} NOT NULL,
      upstream ${ascii(32)} NOT NULL,
      upstream_name ${unicode(64)} NOT NULL,
      shown ${unicode(255)} NOT NULL,
      linked_at bigint NOT NULL,
      last_used_at bigint NULL,
      unlinked_at bigint NULL,
      expires_at bigint NULL)`);
    await runner.query('CREATE UNIQUE INDEX identities_issuer ON identities (user_id, issuer_hash)');
    await runner.query('CREATE UNIQUE INDEX identities_number ON identities (user_id, number)');
    await runner.query('CREATE INDEX identities_expires_at ON identities (expires_at)');
    await runner.query(
      `ALTER TABLE users ADD COLUMN has_identities ${mysql ? 'tinyint' : 'integer'} NOT NULL DEFAULT 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN has_identities');
    await runner.query('DROP TABLE identities');
  }
}
