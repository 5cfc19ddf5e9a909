import { dialectOf } from '@gatehouse/service-kit/database';
import { createTermTable } from '@gatehouse/service-kit/terms';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The terms by which clients are searched and filtered. Those of the rows that are there are filled by the service. */
export class ClientTerms1700000000025 implements MigrationInterface {
  readonly name = 'ClientTerms1700000000025';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { ascii } = columnWords[dialect];
    for (const statement of createTermTable(dialect, { terms: 'client_terms', id: 'client_id' }, ascii(255))) {
      await runner.query(statement);
    }
    await runner.query('ALTER TABLE clients ADD COLUMN terms_at bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE clients DROP COLUMN terms_at');
    await runner.query('DROP TABLE client_terms');
  }
}
