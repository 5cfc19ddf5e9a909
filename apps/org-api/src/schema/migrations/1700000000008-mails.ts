import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows of users that one statement fills: a cluster takes no statement that changes very many. */
const batchSize = 1_000;

/** Mails that wait, links that were mailed, and users by their e-mail address. */
export class Mails1700000000008 implements MigrationInterface {
  readonly name = 'Mails1700000000008';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = dialectOf(runner.dataSource) === 'mysql';
    const ascii = (length: number) => `varchar(${length})${mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''}`;
    const unicode = mysql ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : '';
    const bytes = (length: number) => (mysql ? `binary(${length})` : 'blob');
    const integer = mysql ? 'int' : 'integer';
    await runner.query(`CREATE TABLE mails (
      id ${bytes(16)} NOT NULL PRIMARY KEY,
      kind ${ascii(32)} NOT NULL,
      user_id ${bytes(16)} NULL,
      address varchar(255)${unicode} NOT NULL,
      language ${ascii(35)} NOT NULL,
      link ${ascii(64)} NULL,
      data text${unicode} NOT NULL,
      tries ${integer} NOT NULL,
      due_at bigint NOT NULL,
      expires_at bigint NOT NULL)`);
    for (const column of ['due_at', 'user_id', 'expires_at']) {
      await runner.query(`CREATE INDEX mails_${column} ON mails (${column})`);
    }
    await runner.query(`CREATE TABLE mailed_links (
      token_hash ${bytes(32)} NOT NULL PRIMARY KEY,
      link_id ${bytes(16)} NOT NULL,
      key_id ${ascii(16)} NOT NULL,
      purpose ${ascii(16)} NOT NULL,
      user_id ${bytes(16)} NOT NULL,
      address varchar(255)${unicode} NOT NULL,
      data text${unicode} NULL,
      password_changed_at bigint NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL)`);
    for (const column of ['user_id', 'expires_at']) {
      await runner.query(`CREATE INDEX mailed_links_${column} ON mailed_links (${column})`);
    }
    await runner.query(`ALTER TABLE users ADD COLUMN email_key varchar(255)${unicode} NULL`);
    await fillKeys(runner);
    await runner.query('CREATE INDEX users_email_key ON users (email_key)');
  }

  async down(runner: QueryRunner): Promise<void> {
    const mysql = dialectOf(runner.dataSource) === 'mysql';
    await runner.query(`DROP INDEX users_email_key${mysql ? ' ON users' : ''}`);
    await runner.query('ALTER TABLE users DROP COLUMN email_key');
    await runner.query('DROP TABLE mailed_links');
    await runner.query('DROP TABLE mails');
  }
}

/** Folds by the database: an address with letters that it folds otherwise is found once it changes. */
async function fillKeys(runner: QueryRunner): Promise<void> {
  for (let after: Buffer = Buffer.alloc(16); ; ) {
    const select = `SELECT id FROM users WHERE id > ? ORDER BY id LIMIT ${batchSize}`;
    const rows = (await runner.query(select, [after])) as { id: Buffer }[];
    const last = rows.at(-1)?.id;
    if (last === undefined) return;
    await runner.query('UPDATE users SET email_key = LOWER(email) WHERE id > ? AND id <= ?', [after, last]);
    after = last;
  }
}
