import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** A number for each revocation of a status list, so that a look for new ones costs the same however many there are. */
export class StatusChanges1700000000015 implements MigrationInterface {
  readonly name = 'StatusChanges1700000000015';

  async up(runner: QueryRunner): Promise<void> {
    const { integer } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE status_revocations ADD COLUMN change_number ${integer} NOT NULL DEFAULT 0`);
    await runner.query('CREATE INDEX status_revocations_change ON status_revocations (list_id, change_number)');
  }

  async down(runner: QueryRunner): Promise<void> {
    // SQLite finds an index by its name alone.
    const of = dialectOf(runner.dataSource) === 'mysql' ? ' ON status_revocations' : '';
    await runner.query(`DROP INDEX status_revocations_change${of}`);
    await runner.query('ALTER TABLE status_revocations DROP COLUMN change_number');
  }
}
