import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Hashes of passwords that other servers made. The release before reads neither column, so it finds no password. */
export class ImportedHashes1700000000018 implements MigrationInterface {
  readonly name = 'ImportedHashes1700000000018';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = dialectOf(runner.dataSource) === 'mysql';
    const ascii = (length: number) => `varchar(${length})${mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''} NULL`;
    await runner.query(`ALTER TABLE users ADD COLUMN imported_hash ${ascii(512)}`);
    await runner.query(`ALTER TABLE users ADD COLUMN imported_form ${ascii(160)}`);
    await runner.query('CREATE INDEX users_imported_form ON users (imported_form)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX users_imported_form${dialectOf(runner.dataSource) === 'mysql' ? ' ON users' : ''}`);
    await runner.query('ALTER TABLE users DROP COLUMN imported_form');
    await runner.query('ALTER TABLE users DROP COLUMN imported_hash');
  }
}
