import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The names of resources in other languages. */
export class ResourceNames1700000000018 implements MigrationInterface {
  readonly name = 'ResourceNames1700000000018';

  async up(runner: QueryRunner): Promise<void> {
    const { document } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE resources ADD COLUMN names ${document}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE resources DROP COLUMN names');
  }
}
