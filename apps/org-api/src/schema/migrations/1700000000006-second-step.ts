import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Code apps, recovery codes, and the passwords of users who have them. */
export class SecondStep1700000000006 implements MigrationInterface {
  readonly name = 'SecondStep1700000000006';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = dialectOf(runner.dataSource) === 'mysql';
    const ascii = (length: number) => `varchar(${length})${mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''}`;
    const bytes = (length: number) => (mysql ? `binary(${length})` : 'blob');
    const integer = mysql ? 'int' : 'integer';
    await runner.query(`ALTER TABLE users ADD COLUMN guarded_hash ${ascii(255)} NULL`);
    await runner.query(`ALTER TABLE users ADD COLUMN methods_version ${integer} NOT NULL DEFAULT 0`);
    await runner.query(`CREATE TABLE code_apps (
      user_id ${bytes(16)} NOT NULL PRIMARY KEY,
      sealed_secret ${ascii(255)} NOT NULL,
      last_step ${integer} NOT NULL,
      created_at bigint NOT NULL,
      last_used_at bigint NULL)`);
    await runner.query(`CREATE TABLE recovery_codes (
      user_id ${bytes(16)} NOT NULL,
      digest ${bytes(32)} NOT NULL,
      salt ${bytes(16)} NOT NULL,
      created_at bigint NOT NULL,
      PRIMARY KEY (user_id, digest))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recovery_codes');
    await runner.query('DROP TABLE code_apps');
    await runner.query('UPDATE users SET password_hash = COALESCE(password_hash, guarded_hash)');
    await runner.query('ALTER TABLE users DROP COLUMN methods_version');
    await runner.query('ALTER TABLE users DROP COLUMN guarded_hash');
  }
}
