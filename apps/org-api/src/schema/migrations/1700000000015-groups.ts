import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Groups, and the users who are in them. */
export class Groups1700000000015 implements MigrationInterface {
  readonly name = 'Groups1700000000015';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = dialectOf(runner.dataSource) === 'mysql';
    const ascii = (length: number) => `varchar(${length})${mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''}`;
    const unicode = (length: number) =>
      `varchar(${length})${mysql ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : ''}`;
    const bytes = mysql ? 'binary(16)' : 'blob';
    const integer = mysql ? 'int' : 'integer';
    await runner.query(`CREATE TABLE user_groups (
      id ${bytes} NOT NULL PRIMARY KEY,
      name ${unicode(128)} NOT NULL,
      name_key ${unicode(384)} NOT NULL,
      number ${integer} NOT NULL,
      description ${unicode(255)} NOT NULL,
      managed_by ${ascii(64)} NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL)`);
    await runner.query('CREATE UNIQUE INDEX user_groups_name_key ON user_groups (name_key)');
    await runner.query('CREATE UNIQUE INDEX user_groups_number ON user_groups (number)');
    await runner.query(`CREATE TABLE group_members (
      group_id ${bytes} NOT NULL,
      user_id ${bytes} NOT NULL,
      number ${integer} NOT NULL,
      added_at bigint NOT NULL,
      PRIMARY KEY (group_id, user_id))`);
    await runner.query('CREATE UNIQUE INDEX group_members_user ON group_members (user_id, number)');
    await runner.query(`ALTER TABLE users ADD COLUMN in_groups ${mysql ? 'tinyint' : 'integer'} NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN in_groups');
    await runner.query('DROP TABLE group_members');
    await runner.query('DROP TABLE user_groups');
  }
}
