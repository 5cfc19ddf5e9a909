import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** How many signed in, got tokens and were refused, by hour and by day. */
export class UsageCounts1700000000029 implements MigrationInterface {
  readonly name = 'UsageCounts1700000000029';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, bytes, integer } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`CREATE TABLE usage_counts (
      step ${ascii(8)} NOT NULL,
      measure ${ascii(16)} NOT NULL,
      client_id ${ascii(255)} NOT NULL,
      starts_at bigint NOT NULL,
      detail ${ascii(128)} NOT NULL,
      writer ${bytes(16)} NOT NULL,
      amount ${integer} NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (step, measure, client_id, starts_at, detail, writer))`);
    await runner.query('CREATE INDEX usage_counts_time ON usage_counts (step, measure, starts_at)');
    await runner.query('CREATE INDEX usage_counts_expiry ON usage_counts (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage_counts');
  }
}
