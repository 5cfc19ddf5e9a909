import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

const tables = ['resources', 'issuers'];

/** The project that administers a resource or an issuer. Clients and upstreams say it in their documents. */
export class ManagedObjects1700000000037 implements MigrationInterface {
  readonly name = 'ManagedObjects1700000000037';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii } = columnWords[dialectOf(runner.dataSource)];
    for (const table of tables) await runner.query(`ALTER TABLE ${table} ADD COLUMN managed_by ${ascii(64)} NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`ALTER TABLE ${table} DROP COLUMN managed_by`);
  }
}
