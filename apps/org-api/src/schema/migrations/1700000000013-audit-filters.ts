import { addAuditEventIndices, dropAuditEventIndices } from '@gatehouse/service-kit/audit';
import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The filters of audit events by client, request, reason and address. */
export class AuditFilters1700000000013 implements MigrationInterface {
  readonly name = 'AuditFilters1700000000013';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of addAuditEventIndices(dialectOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropAuditEventIndices(dialectOf(runner.dataSource))) await runner.query(statement);
  }
}
