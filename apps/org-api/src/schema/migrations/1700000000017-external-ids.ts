import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ids of users in another system. */
export class ExternalIds1700000000017 implements MigrationInterface {
  readonly name = 'ExternalIds1700000000017';

  async up(runner: QueryRunner): Promise<void> {
    const unicode = dialectOf(runner.dataSource) === 'mysql' ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : '';
    await runner.query(`ALTER TABLE users ADD COLUMN external_id varchar(255)${unicode} NULL`);
    await runner.query('CREATE UNIQUE INDEX users_external_id ON users (external_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    const ofTable = dialectOf(runner.dataSource) === 'mysql' ? ' ON users' : '';
    await runner.query(`DROP INDEX users_external_id${ofTable}`);
    await runner.query('ALTER TABLE users DROP COLUMN external_id');
  }
}
