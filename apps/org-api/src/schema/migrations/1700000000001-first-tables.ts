import { dialectOf } from '@gatehouse/service-kit/database';
import { createFailedAttemptTable } from '@gatehouse/service-kit/guess-limit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FirstTables1700000000001 implements MigrationInterface {
  readonly name = 'FirstTables1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    await runner.query(dialect === 'mysql' ? usersOnMysql : usersOnSqlite);
    await runner.query('CREATE UNIQUE INDEX users_username_key ON users (username_key)');
    await runner.query('CREATE INDEX users_roles ON users (roles)');
    for (const statement of createFailedAttemptTable(dialect)) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE failed_attempts');
    await runner.query('DROP TABLE users');
  }
}

const usersOnSqlite = `CREATE TABLE users (
  id blob PRIMARY KEY NOT NULL,
  username varchar(255) NOT NULL,
  username_key varchar(255) NOT NULL,
  user_type varchar(16) NOT NULL,
  password_hash varchar(255),
  password_changed_at bigint NOT NULL,
  first_name varchar(255) NOT NULL,
  last_name varchar(255) NOT NULL,
  email varchar(255) NOT NULL,
  enabled integer NOT NULL,
  roles varchar(255) NOT NULL,
  organization varchar(255) NOT NULL,
  locale varchar(35) NOT NULL,
  timezone varchar(64) NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
)`;

const ascii = 'CHARACTER SET ascii COLLATE ascii_bin';
const unicode = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';

const usersOnMysql = `CREATE TABLE users (
  id binary(16) NOT NULL PRIMARY KEY,
  username varchar(255) ${unicode} NOT NULL,
  username_key varchar(255) ${unicode} NOT NULL,
  user_type varchar(16) ${ascii} NOT NULL,
  password_hash varchar(255) ${ascii} NULL,
  password_changed_at bigint NOT NULL,
  first_name varchar(255) ${unicode} NOT NULL,
  last_name varchar(255) ${unicode} NOT NULL,
  email varchar(255) ${unicode} NOT NULL,
  enabled tinyint NOT NULL,
  roles varchar(255) ${ascii} NOT NULL,
  organization varchar(255) ${unicode} NOT NULL,
  locale varchar(35) ${ascii} NOT NULL,
  timezone varchar(64) ${ascii} NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
) ENGINE=InnoDB`;
