import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The optional members of users, by OpenID Connect Core 5.1; NULL for users that have none. */
export class PersonalData1700000000005 implements MigrationInterface {
  readonly name = 'PersonalData1700000000005';

  async up(runner: QueryRunner): Promise<void> {
    const unicode = dialectOf(runner.dataSource) === 'mysql' ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : '';
    await runner.query(`ALTER TABLE users ADD COLUMN personal_data text${unicode} NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN personal_data');
  }
}
