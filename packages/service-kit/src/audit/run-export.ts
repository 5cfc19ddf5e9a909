import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../clock.ts';
import type { CommonConfig } from '../common-config.ts';
import { type Database, openDatabase, untilReady } from '../database/database.ts';
import type { DatabaseSchema } from '../database/database-schema.ts';
import { createLogger } from '../logging.ts';
import { StepError } from '../run-service.ts';
import type { AuditEventType } from './audit-event.ts';
import { createAuditTrail } from './audit-trail.ts';

interface ExportedService extends Pick<CommonConfig, 'databaseUrl' | 'auditRetentionDays'> {
  name: string;
  schema: DatabaseSchema;
  /** The version of the service. */
  version: string;
  /** The event that says so, before the first line leaves. */
  event: AuditEventType;
  withCredentials: boolean;
}

/** Whether `export` was called with `--with-credentials`. Throws a StepError where it was called in another way. */
export function readExportArguments(args: string[]): boolean {
  try {
    return (
      parseArgs({ args, options: { 'with-credentials': { type: 'boolean' } } }).values['with-credentials'] === true
    );
  } catch {
    throw new StepError('usage: export [--with-credentials] > BUNDLE', 64);
  }
}

/** Prints a bundle of what a service whose schema is current has: JSON Lines. */
export async function runExport(
  { name, schema, version, event, withCredentials, databaseUrl: url, auditRetentionDays }: ExportedService,
  listLines: (database: Database) => AsyncIterable<object>,
): Promise<void> {
  const log = createLogger('export', 'error');
  const database = openDatabase({ url, ...schema, migrateOnStart: false, log });
  try {
    await untilReady(database, 5_000);
    const common = { database, retentionDays: auditRetentionDays, clock: systemClock, log };
    const audit = createAuditTrail({ service: 'export', ...common });
    const about = { actor: { kind: 'service', name: 'export' }, subject: { kind: 'service', name } } as const;
    await audit.write({ type: event, ...about, details: { with_credentials: withCredentials } });
    await audit.close();
    const source = { product: 'gatehouse', version };
    const head = { kind: 'bundle', version: 1, source, createdAt: new Date(systemClock()).toISOString() };
    const lines = listLines(database);
    const print = async function* () {
      yield format(head);
      for await (const line of lines) yield format(line);
    };
    await pipeline(Readable.from(print()), process.stdout, { end: false });
  } finally {
    await database.close();
  }
}

const format = (line: object): string => `${JSON.stringify(line)}\n`;
