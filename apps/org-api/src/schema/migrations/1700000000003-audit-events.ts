import { auditEventTable, createAuditEventTable } from '@gatehouse/service-kit/audit';
import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table of audit events. */
export class AuditEvents1700000000003 implements MigrationInterface {
  readonly name = 'AuditEvents1700000000003';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createAuditEventTable(dialectOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${auditEventTable}`);
  }
}
