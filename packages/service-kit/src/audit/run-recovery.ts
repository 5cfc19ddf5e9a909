import { systemClock } from '../clock.ts';
import type { CommonConfig } from '../common-config.ts';
import { type Database, openDatabase, untilReady } from '../database/database.ts';
import type { DatabaseSchema } from '../database/database-schema.ts';
import { createLogger } from '../logging.ts';
import type { AuditEntry } from './audit-event.ts';
import { createAuditTrail } from './audit-trail.ts';

/** The lines that a recovery prints, and the details of its event. */
export interface Recovery {
  lines: string[];
  details: NonNullable<AuditEntry['details']>;
}

interface RecoveredService extends Pick<CommonConfig, 'databaseUrl' | 'auditRetentionDays'> {
  name: string;
  schema: DatabaseSchema;
}

/** Recovers the database of a service whose schema is current, writes `deployment.recovered`, and prints the lines. */
export async function runRecovery(
  { name, schema, databaseUrl: url, auditRetentionDays: retentionDays }: RecoveredService,
  task: (database: Database) => Promise<Recovery>,
): Promise<void> {
  const log = createLogger('recover', 'error');
  const database = openDatabase({ url, ...schema, migrateOnStart: false, log });
  try {
    await untilReady(database, 5_000);
    const { lines, details } = await task(database);
    const audit = createAuditTrail({ service: 'recover', database, retentionDays, clock: systemClock, log });
    const actor = { kind: 'service', name: 'recover' } as const;
    await audit.write({ type: 'deployment.recovered', actor, subject: { kind: 'service', name }, details });
    await audit.close();
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  } finally {
    await database.close();
  }
}
