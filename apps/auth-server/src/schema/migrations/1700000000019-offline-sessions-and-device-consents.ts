import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/**
 * The session in which offline access began; NULL where the release before issued the token, and of everything else. Whether
 * the decision about a device is a consent too; 0 where the release before stored it, which stored the consent first.
 */
export class OfflineSessionsAndDeviceConsents1700000000019 implements MigrationInterface {
  readonly name = 'OfflineSessionsAndDeviceConsents1700000000019';

  async up(runner: QueryRunner): Promise<void> {
    const { bytes, flag } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE refresh_tokens ADD COLUMN began_in ${bytes(16)} NULL`);
    await runner.query(`ALTER TABLE device_codes ADD COLUMN gives_consent ${flag} NOT NULL DEFAULT 0`);
    await runner.query('CREATE INDEX browser_sessions_session ON browser_sessions (session_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    // SQLite finds an index by its name alone.
    const of = dialectOf(runner.dataSource) === 'mysql' ? ' ON browser_sessions' : '';
    await runner.query(`DROP INDEX browser_sessions_session${of}`);
    await runner.query('ALTER TABLE device_codes DROP COLUMN gives_consent');
    await runner.query('ALTER TABLE refresh_tokens DROP COLUMN began_in');
  }
}
