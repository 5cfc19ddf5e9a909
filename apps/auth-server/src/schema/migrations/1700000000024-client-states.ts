import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** Clients that are disabled. */
export class ClientStates1700000000024 implements MigrationInterface {
  readonly name = 'ClientStates1700000000024';

  async up(runner: QueryRunner): Promise<void> {
    const { document, flag, integer } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE clients ADD COLUMN enabled ${flag} NOT NULL DEFAULT 1`);
    await runner.query(`ALTER TABLE clients ADD COLUMN kept_settings ${document} NULL`);
    await runner.query(`ALTER TABLE clients ADD COLUMN code_generation ${integer} NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['enabled', 'kept_settings', 'code_generation']) {
      await runner.query(`ALTER TABLE clients DROP COLUMN ${name}`);
    }
  }
}
