import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The parts of sessions that users see: the columns are NULL in rows of the release before. And clients by their registration. */
export class SessionsOfUsers1700000000021 implements MigrationInterface {
  readonly name = 'SessionsOfUsers1700000000021';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii } = columnWords[dialectOf(runner.dataSource)];
    for (const column of [`label ${ascii(64)} NULL`, `network ${ascii(64)} NULL`, 'last_used_at bigint NULL']) {
      await runner.query(`ALTER TABLE browser_sessions ADD COLUMN ${column}`);
    }
    await runner.query('CREATE INDEX browser_sessions_user ON browser_sessions (user_id)');
    await runner.query('CREATE INDEX clients_registration ON clients (registration_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    const isMysql = dialectOf(runner.dataSource) === 'mysql';
    await runner.query(`DROP INDEX clients_registration${isMysql ? ' ON clients' : ''}`);
    await runner.query(`DROP INDEX browser_sessions_user${isMysql ? ' ON browser_sessions' : ''}`);
    for (const column of ['label', 'network', 'last_used_at']) {
      await runner.query(`ALTER TABLE browser_sessions DROP COLUMN ${column}`);
    }
  }
}
