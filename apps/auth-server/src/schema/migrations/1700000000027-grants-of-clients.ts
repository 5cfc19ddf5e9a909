import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Refresh tokens and consents by the registration of their client. MySQL takes writes meanwhile. */
export class GrantsOfClients1700000000027 implements MigrationInterface {
  readonly name = 'GrantsOfClients1700000000027';

  async up(runner: QueryRunner): Promise<void> {
    const online = dialectOf(runner.dataSource) === 'mysql' ? ' LOCK=NONE' : '';
    for (const table of ['refresh_tokens', 'consents']) {
      await runner.query(`CREATE INDEX ${table}_registration ON ${table} (registration_id)${online}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const isMysql = dialectOf(runner.dataSource) === 'mysql';
    for (const table of ['consents', 'refresh_tokens']) {
      await runner.query(`DROP INDEX ${table}_registration${isMysql ? ` ON ${table}` : ''}`);
    }
  }
}
