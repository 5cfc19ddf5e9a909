import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** Browsers that are not asked for the second step. */
export class RememberedBrowsers1700000000023 implements MigrationInterface {
  readonly name = 'RememberedBrowsers1700000000023';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, bytes } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`CREATE TABLE remembered_browsers (
      id ${bytes(16)} NOT NULL PRIMARY KEY,
      token_hash ${bytes(32)} NOT NULL,
      user_id ${ascii(64)} NOT NULL,
      password_changed_at bigint NOT NULL,
      label ${ascii(64)} NOT NULL,
      network ${ascii(64)} NOT NULL,
      created_at bigint NOT NULL,
      last_used_at bigint NOT NULL,
      expires_at bigint NOT NULL)`);
    const indices = { token: 'token_hash', user: 'user_id', expiry: 'expires_at' };
    for (const [name, column] of Object.entries(indices)) {
      await runner.query(`CREATE INDEX remembered_browsers_${name} ON remembered_browsers (${column})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE remembered_browsers');
  }
}
