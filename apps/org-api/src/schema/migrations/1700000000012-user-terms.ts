import { dialectOf } from '@gatehouse/service-kit/database';
import { createTermTable } from '@gatehouse/service-kit/terms';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The terms by which users are searched and filtered. Those of the rows that are there are filled by the service. */
export class UserTerms1700000000012 implements MigrationInterface {
  readonly name = 'UserTerms1700000000012';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const idType = dialect === 'mysql' ? 'binary(16)' : 'blob';
    for (const statement of createTermTable(dialect, { terms: 'user_terms', id: 'user_id' }, idType)) {
      await runner.query(statement);
    }
    await runner.query('ALTER TABLE users ADD COLUMN terms_at bigint NOT NULL DEFAULT 0');
    await runner.query('CREATE INDEX users_changed ON users (updated_at, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    const isMysql = dialectOf(runner.dataSource) === 'mysql';
    await runner.query(`DROP INDEX users_changed${isMysql ? ' ON users' : ''}`);
    await runner.query('ALTER TABLE users DROP COLUMN terms_at');
    await runner.query('DROP TABLE user_terms');
  }
}
