import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { StepError } from '../run-service.ts';
import type { AuditEventType } from './audit-event.ts';
import { type CommandedService, runNextTo } from './run-next-to.ts';

interface ExportedService extends CommandedService {
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

/** Prints a bundle of what a service has: JSON Lines. */
export function runExport(
  { version, event, withCredentials, ...service }: ExportedService,
  listLines: (database: Database) => AsyncIterable<object>,
): Promise<void> {
  return runNextTo(service, 'export', async (database, tell) => {
    await tell({ type: event, details: { with_credentials: withCredentials } });
    const source = { product: 'gatehouse', version };
    const head = { kind: 'bundle', version: 1, source, createdAt: new Date(systemClock()).toISOString() };
    const lines = listLines(database);
    const print = async function* () {
      yield format(head);
      for await (const line of lines) yield format(line);
    };
    await pipeline(Readable.from(print()), process.stdout, { end: false });
  });
}

const format = (line: object): string => `${JSON.stringify(line)}\n`;
