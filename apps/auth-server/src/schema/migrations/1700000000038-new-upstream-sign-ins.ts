import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** Whether the user of an attempt has to sign in at the upstream even where a session exists there. */
export class NewUpstreamSignIns1700000000038 implements MigrationInterface {
  readonly name = 'NewUpstreamSignIns1700000000038';

  async up(runner: QueryRunner): Promise<void> {
    const { flag } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE upstream_attempts ADD COLUMN is_new ${flag} NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE upstream_attempts DROP COLUMN is_new');
  }
}
