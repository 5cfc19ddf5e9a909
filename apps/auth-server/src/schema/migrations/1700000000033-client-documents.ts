import type { MigrationInterface, QueryRunner } from 'typeorm';

const columns = ['document_read_at', 'document_expires_at', 'document_changed_at'];

/** The clients that a metadata document describes. */
export class ClientDocuments1700000000033 implements MigrationInterface {
  readonly name = 'ClientDocuments1700000000033';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of columns) await runner.query(`ALTER TABLE clients ADD COLUMN ${column} bigint NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of columns) await runner.query(`ALTER TABLE clients DROP COLUMN ${column}`);
  }
}
