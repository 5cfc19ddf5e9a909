import { dialectOf } from '@gatehouse/service-kit/database';
import { createRefusalTable, refusalTable } from '@gatehouse/service-kit/refusals';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The requests that were refused within the last day. */
export class Refusals1700000000028 implements MigrationInterface {
  readonly name = 'Refusals1700000000028';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createRefusalTable(dialectOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${refusalTable}`);
  }
}
