import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users by the time of their creation: the id of an imported one says nothing of it. */
export class UsersCreated1700000000020 implements MigrationInterface {
  readonly name = 'UsersCreated1700000000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX users_created ON users (created_at, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    const ofTable = dialectOf(runner.dataSource) === 'mysql' ? ' ON users' : '';
    await runner.query(`DROP INDEX users_created${ofTable}`);
  }
}
