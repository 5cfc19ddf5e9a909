import { parseArgs } from 'node:util';
import { createEncryption, runStep, StepError } from '@gatehouse/service-kit';
import { type Recovery, runRecovery } from '@gatehouse/service-kit/audit';
import { checkSqliteFile, type Database, emptyTables } from '@gatehouse/service-kit/database';
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
  await runRecovery({ name: 'org-api', schema: organizationSchema, ...loadDatabaseConfig() }, (database) =>
    recover(database, keys),
  );
});

/** Whether it is for a lost key. */
function parseArguments(args: string[]): boolean {
  try {
    return parseArgs({ args, options: { 'new-keys': { type: 'boolean' } } }).values['new-keys'] === true;
  } catch {
    throw new StepError(usage, 64);
  }
}

type Keys = Pick<Config, 'credentialsKey' | 'previousCredentialsKey'>;

async function recover(database: Database, keys: Keys | undefined): Promise<Recovery> {
  // A change of an address goes with its links: the owner of the old address could not refuse it any more.
  const tables = [linkTable, emailChangeTable, ...(keys === undefined ? [mailTable] : [])];
  const ended = await emptyTables(database, tables);
  if (keys !== undefined) ended.code_apps = await loseCodeApps(database, keys);
  return {
    lines: Object.entries(ended).map(([table, rows]) => `${table.replaceAll('_', ' ')}: ${rows} ended`),
    details: { ...ended, ...(keys !== undefined && { new_keys: true }) },
  };
}

function loseCodeApps(database: Database, { credentialsKey: current, previousCredentialsKey: previous }: Keys) {
  const encryption = createEncryption({ variable: 'CREDENTIALS_KEY', current, previous });
  return createCodeAppSecrets({ codeApps: createCodeAppStore(database), encryption }).loseUnreadable();
}
