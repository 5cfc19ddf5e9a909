import type { Database } from '../database/database.ts';
import type { AuditEntry } from './audit-event.ts';
import { type CommandedService, runNextTo } from './run-next-to.ts';

/** The lines that a recovery prints, and the details of its event. */
export interface Recovery {
  lines: string[];
  details: NonNullable<AuditEntry['details']>;
}

/** Recovers the database of a service, writes `deployment.recovered`, and prints the lines. */
export function runRecovery(service: CommandedService, task: (database: Database) => Promise<Recovery>): Promise<void> {
  return runNextTo(service, 'recover', async (database, tell) => {
    const { lines, details } = await task(database);
    await tell({ type: 'deployment.recovered', details });
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  });
}
