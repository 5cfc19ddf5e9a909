import { parseArgs } from 'node:util';
import { createEncryption, createLogger, runStep, StepError, systemClock } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import { checkSqliteFile, type Database, emptyTable, openDatabase, untilReady } from '@gatehouse/service-kit/database';
import { type Config, loadConfigForNewKeys, loadDatabaseConfig, loadDatabaseUrl } from '../config.ts';
import { emailChangeTable } from '../links/email-change-table.ts';
import { linkTable } from '../mailed-links/link-table.ts';
import { mailTable } from '../mails/mail-table.ts';
import { createCodeAppSecrets } from '../methods/code-app-secrets.ts';
import { createCodeAppStore } from '../methods/code-app-store.ts';
import { organizationSchema } from '../schema/organization-schema.ts';

const usage = 'usage: recover, or recover --new-keys (docs/operations/backup.md)';

/** `node dist/recover.js`: for an operator, after a restore or the loss of CREDENTIALS_KEY. */
await runStep(async () => {
  const isForKeys = parseArguments(process.argv.slice(2));
  checkSqliteFile(loadDatabaseUrl());
  const keys = isForKeys ? loadConfigForNewKeys() : undefined;
  const { databaseUrl: url, auditRetentionDays: retentionDays } = loadDatabaseConfig();
  const log = createLogger('recover', 'error');
  const database = openDatabase({ url, ...organizationSchema, migrateOnStart: false, log });
  try {
    await untilReady(database, 5_000);
    // A change of an address goes with its links: the owner of the old address could not refuse it any more.
    const ended = await emptyTables(database, [linkTable, emailChangeTable, ...(isForKeys ? [] : [mailTable])]);
    if (keys !== undefined) ended.code_apps = await loseCodeApps(database, keys);
    const audit = createAuditTrail({ service: 'recover', database, retentionDays, clock: systemClock, log });
    const actor = { kind: 'service', name: 'recover' } as const;
    const subject = { kind: 'service', name: 'org-api' } as const;
    const details = { ...ended, ...(isForKeys && { new_keys: true }) };
    await audit.write({ type: 'deployment.recovered', actor, subject, details });
    await audit.close();
    const counts = Object.entries(ended);
    process.stdout.write(counts.map(([table, rows]) => `${table.replaceAll('_', ' ')}: ${rows} ended\n`).join(''));
  } finally {
    await database.close();
  }
});

/** Whether it is for a lost key. */
function parseArguments(args: string[]): boolean {
  try {
    return parseArgs({ args, options: { 'new-keys': { type: 'boolean' } } }).values['new-keys'] === true;
  } catch {
    throw new StepError(usage, 64);
  }
}

async function emptyTables(database: Database, tables: readonly string[]): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (const table of tables) deleted[table] = await emptyTable(database, table);
  return deleted;
}

type Keys = Pick<Config, 'credentialsKey' | 'previousCredentialsKey'>;

function loseCodeApps(database: Database, { credentialsKey: current, previousCredentialsKey: previous }: Keys) {
  const encryption = createEncryption({ variable: 'CREDENTIALS_KEY', current, previous });
  return createCodeAppSecrets({ codeApps: createCodeAppStore(database), encryption }).loseUnreadable();
}
