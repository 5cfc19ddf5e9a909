import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes of an e-mail address that wait to be confirmed. */
export class EmailChanges1700000000009 implements MigrationInterface {
  readonly name = 'EmailChanges1700000000009';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = dialectOf(runner.dataSource) === 'mysql';
    const bytes = mysql ? 'binary(16)' : 'blob';
    const integer = mysql ? 'int' : 'integer';
    const address = `varchar(255)${mysql ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : ''}`;
    await runner.query(`CREATE TABLE email_changes (
      user_id ${bytes} NOT NULL PRIMARY KEY,
      id ${bytes} NOT NULL,
      old_email ${address} NOT NULL,
      old_verified ${integer} NOT NULL,
      email ${address} NOT NULL,
      old_confirmed ${integer} NOT NULL,
      new_confirmed ${integer} NOT NULL,
      password_changed_at bigint NOT NULL,
      counts_at bigint NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL)`);
    for (const column of ['counts_at', 'expires_at']) {
      await runner.query(`CREATE INDEX email_changes_${column} ON email_changes (${column})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE email_changes');
  }
}
