import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Hashes of secrets that other servers made. The release before reads neither column, and finds no match in the hash next to it. */
export class ImportedSecrets1700000000039 implements MigrationInterface {
  readonly name = 'ImportedSecrets1700000000039';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = dialectOf(runner.dataSource) === 'mysql';
    const type = `varchar(536)${mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''} NULL`;
    await runner.query(`ALTER TABLE clients ADD COLUMN imported_secret_hash ${type}`);
    await runner.query(`ALTER TABLE clients ADD COLUMN imported_previous_hash ${type}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE clients DROP COLUMN imported_previous_hash');
    await runner.query('ALTER TABLE clients DROP COLUMN imported_secret_hash');
  }
}
