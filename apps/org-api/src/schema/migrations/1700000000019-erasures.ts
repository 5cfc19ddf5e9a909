import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users of whom no name is to stay. */
export class Erasures1700000000019 implements MigrationInterface {
  readonly name = 'Erasures1700000000019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE erasures (
      user_id ${dialectOf(runner.dataSource) === 'mysql' ? 'binary(16)' : 'blob'} NOT NULL PRIMARY KEY,
      erased_at bigint NOT NULL,
      expires_at bigint NOT NULL)`);
    for (const column of ['erased_at', 'expires_at']) {
      await runner.query(`CREATE INDEX erasures_${column} ON erasures (${column})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE erasures');
  }
}
