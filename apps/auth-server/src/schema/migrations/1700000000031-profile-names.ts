import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The profiles of clients that the release before does not know. */
export class ProfileNames1700000000031 implements MigrationInterface {
  readonly name = 'ProfileNames1700000000031';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE clients ADD COLUMN profile_name ${ascii(64)} NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE clients DROP COLUMN profile_name');
  }
}
