import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users that are gone, for auth-server to forget them too. */
export class DeletedUsers1700000000011 implements MigrationInterface {
  readonly name = 'DeletedUsers1700000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE deleted_users (
      user_id ${dialectOf(runner.dataSource) === 'mysql' ? 'binary(16)' : 'blob'} NOT NULL PRIMARY KEY,
      deleted_at bigint NOT NULL,
      expires_at bigint NOT NULL)`);
    for (const column of ['deleted_at', 'expires_at']) {
      await runner.query(`CREATE INDEX deleted_users_${column} ON deleted_users (${column})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deleted_users');
  }
}
