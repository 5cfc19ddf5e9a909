import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The session in which offline access began; NULL where the release before issued the token, and of everything else. */
export class SessionsOfOfflineAccess1700000000019 implements MigrationInterface {
  readonly name = 'SessionsOfOfflineAccess1700000000019';

  async up(runner: QueryRunner): Promise<void> {
    const { bytes } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE refresh_tokens ADD COLUMN began_in ${bytes(16)} NULL`);
    await runner.query('CREATE INDEX browser_sessions_session ON browser_sessions (session_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    // SQLite finds an index by its name alone.
    const of = dialectOf(runner.dataSource) === 'mysql' ? ' ON browser_sessions' : '';
    await runner.query(`DROP INDEX browser_sessions_session${of}`);
    await runner.query('ALTER TABLE refresh_tokens DROP COLUMN began_in');
  }
}
