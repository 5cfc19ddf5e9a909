import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The clients in the order of their changes, for those who follow them. */
export class ChangedClients1700000000014 implements MigrationInterface {
  readonly name = 'ChangedClients1700000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX clients_changed ON clients (updated_at, client_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    const isMysql = dialectOf(runner.dataSource) === 'mysql';
    // SQLite finds an index by its name alone.
    await runner.query(`DROP INDEX clients_changed${isMysql ? ' ON clients' : ''}`);
  }
}
