import { createTestDatabase } from '@gatehouse/test-kit';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addAuditEventIndices, auditEventEntity, createAuditEventTable } from '../../src/audit/audit-event-table.ts';
import { type Database, openDatabase, untilReady } from '../../src/database/database.ts';
import { type DatabaseSchema, dialectOf } from '../../src/database/database-schema.ts';
import { type Dialect, parseDatabaseUrl } from '../../src/database/database-url.ts';
import { createFailedAttemptTable, failedAttemptEntity } from '../../src/guess-limit/failed-attempt-table.ts';
import {
  addKnownSince,
  createKnownNetworkTable,
  knownNetworkEntity,
} from '../../src/guess-limit/known-network-table.ts';
import { createLogger } from '../../src/logging.ts';
import { createRefusalTable, refusalEntity } from '../../src/refusals/refusal-table.ts';
import { createUsedIdentifierTable, usedIdentifierEntity } from '../../src/used-identifiers/used-identifier-table.ts';

export const silentLog = createLogger('test', 'silent');

class FailedAttempts1700000000001 implements MigrationInterface {
  readonly name = 'FailedAttempts1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    for (const listStatements of [
      createFailedAttemptTable,
      createKnownNetworkTable,
      createUsedIdentifierTable,
      createAuditEventTable,
      addAuditEventIndices,
      createRefusalTable,
    ]) {
      for (const statement of listStatements(dialect)) await runner.query(statement);
    }
    await runner.query(addKnownSince);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['refusals', 'audit_events', 'used_identifiers', 'known_networks', 'failed_attempts']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}

/** A service whose only tables are those that both services have. */
export const testSchema: DatabaseSchema = {
  entities: (dialect) =>
    [
      failedAttemptEntity(dialect),
      knownNetworkEntity(dialect),
      usedIdentifierEntity(dialect),
      auditEventEntity(dialect),
      refusalEntity(dialect),
    ] as ReturnType<DatabaseSchema['entities']>,
  migrations: [FailedAttempts1700000000001],
};

export const waitUntilReady = (database: Pick<Database, 'check'>) => untilReady(database, 20_000);

/** An empty, migrated database that is ready. */
export async function openTestDatabase(dialect: Dialect) {
  const { url, drop } = await createTestDatabase(dialect);
  const database = openDatabase({ url: parseDatabaseUrl(url), ...testSchema, migrateOnStart: true, log: silentLog });
  await waitUntilReady(database);
  return {
    database,
    async close() {
      await database.close();
      await drop();
    },
  };
}
