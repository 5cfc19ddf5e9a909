import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The ceiling of a client, and the generation of its access tokens. Existing clients have all roles. */
export class ClientCeilings1700000000004 implements MigrationInterface {
  readonly name = 'ClientCeilings1700000000004';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, integer } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE clients ADD COLUMN ceiling ${ascii(255)}`);
    await runner.query(`ALTER TABLE clients ADD COLUMN token_generation ${integer} NOT NULL DEFAULT 0`);
    await runner.query(`ALTER TABLE status_blocks ADD COLUMN generation ${integer} NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE status_blocks DROP COLUMN generation');
    await runner.query('ALTER TABLE clients DROP COLUMN token_generation');
    await runner.query('ALTER TABLE clients DROP COLUMN ceiling');
  }
}
