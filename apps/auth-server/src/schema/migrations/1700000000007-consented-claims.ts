import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The claims that a user allowed by name, in addition to the scopes. */
export class ConsentedClaims1700000000007 implements MigrationInterface {
  readonly name = 'ConsentedClaims1700000000007';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE consents ADD COLUMN claims ${ascii(2048)}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE consents DROP COLUMN claims');
  }
}
