import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The statuses of exchanged access tokens, and what each of them ends with. */
export class GrantStatuses1700000000012 implements MigrationInterface {
  readonly name = 'GrantStatuses1700000000012';

  async up(runner: QueryRunner): Promise<void> {
    const { bytes, integer } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`CREATE TABLE grant_statuses (
      list_id ${integer} NOT NULL,
      status_index ${integer} NOT NULL,
      subject_list_id ${integer} NOT NULL,
      subject_index ${integer} NOT NULL,
      grant_id ${bytes(16)} NOT NULL,
      registration_id ${bytes(16)} NOT NULL,
      generation ${integer} NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (list_id, status_index, subject_list_id, subject_index)
    )`);
    await runner.query('CREATE INDEX grant_statuses_grant ON grant_statuses (grant_id)');
    await runner.query('CREATE INDEX grant_statuses_subject ON grant_statuses (subject_list_id, subject_index)');
    await runner.query('CREATE INDEX grant_statuses_registration ON grant_statuses (registration_id)');
    await runner.query('CREATE INDEX grant_statuses_expiry ON grant_statuses (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    // The release before ends no exchanged token with its grant: all of them end here.
    await runner.query(`INSERT INTO status_revocations (list_id, first_index, size, expires_at)
      SELECT DISTINCT list_id, status_index, 1, expires_at FROM grant_statuses WHERE NOT EXISTS (SELECT 1 FROM status_revocations
        WHERE status_revocations.list_id = grant_statuses.list_id AND first_index = status_index AND size = 1)`);
    await runner.query('DROP TABLE grant_statuses');
  }
}
