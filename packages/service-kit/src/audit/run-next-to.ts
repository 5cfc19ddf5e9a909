import { systemClock } from '../clock.ts';
import type { CommonConfig } from '../common-config.ts';
import { type Database, openDatabase, untilReady } from '../database/database.ts';
import type { DatabaseSchema } from '../database/database-schema.ts';
import { createLogger } from '../logging.ts';
import type { AuditEntry } from './audit-event.ts';
import { createAuditTrail } from './audit-trail.ts';

/** The service whose database a command works on. */
export interface CommandedService extends Pick<CommonConfig, 'databaseUrl' | 'auditRetentionDays'> {
  name: string;
  schema: DatabaseSchema;
}

/** Writes the event that tells of the command: its actor is the command, its subject the service. */
export type TellCommand = (event: Pick<AuditEntry, 'type' | 'details'>) => Promise<void>;

/** Runs a command on the database of a service whose schema is current. */
export async function runNextTo(
  { name, schema, databaseUrl: url, auditRetentionDays: retentionDays }: CommandedService,
  command: string,
  task: (database: Database, tell: TellCommand) => Promise<void>,
): Promise<void> {
  const log = createLogger(command, 'error');
  const database = openDatabase({ url, ...schema, migrateOnStart: false, log });
  const parties = { actor: { kind: 'service', name: command }, subject: { kind: 'service', name } } as const;
  try {
    await untilReady(database, 5_000);
    await task(database, async (event) => {
      const audit = createAuditTrail({ service: command, database, retentionDays, clock: systemClock, log });
      await audit.write({ ...parties, ...event });
      await audit.close();
    });
  } finally {
    await database.close();
  }
}
