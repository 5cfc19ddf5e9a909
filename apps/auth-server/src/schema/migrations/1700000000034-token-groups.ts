import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The groups that access tokens for an API carry. */
export class TokenGroups1700000000034 implements MigrationInterface {
  readonly name = 'TokenGroups1700000000034';

  async up(runner: QueryRunner): Promise<void> {
    const { document } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE resources ADD COLUMN token_groups ${document} NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE resources DROP COLUMN token_groups');
  }
}
