import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** How often a public client asked from a network in a minute. */
export class RequestBudgets1700000000008 implements MigrationInterface {
  readonly name = 'RequestBudgets1700000000008';

  async up(runner: QueryRunner): Promise<void> {
    const { bytes, integer } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`CREATE TABLE request_budgets (
      key_hash ${bytes(32)} PRIMARY KEY NOT NULL,
      used ${integer} NOT NULL,
      expires_at bigint NOT NULL
    )`);
    await runner.query('CREATE INDEX request_budgets_expiry ON request_budgets (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE request_budgets');
  }
}
