import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createEncryption, idPattern, runStep, StepError, systemClock } from '@gatehouse/service-kit';
import { type Recovery, runRecovery } from '@gatehouse/service-kit/audit';
import { checkSqliteFile, type Database, emptyTables } from '@gatehouse/service-kit/database';
import { type Config, loadConfigForNewKeys, loadDatabaseConfig, loadDatabaseUrl } from '../config.ts';
import { emailChangeTable } from '../links/email-change-table.ts';
import { cutAfter } from '../links/erase-users.ts';
import { linkTable } from '../mailed-links/link-table.ts';
import { mailTable } from '../mails/mail-table.ts';
import { createCodeAppSecrets } from '../methods/code-app-secrets.ts';
import { createCodeAppStore } from '../methods/code-app-store.ts';
import { organizationSchema } from '../schema/organization-schema.ts';
import { createErasures, type Erasures } from '../users/erasures.ts';

const usage = 'usage: recover [--erasures FILE], or recover --new-keys (docs/operations/backup.md)';

/** `node dist/recover.js`: for an operator, after a restore or the loss of CREDENTIALS_KEY. */
await runStep(async () => {
  const { 'new-keys': isForKeys = false, erasures: file } = parseArguments(process.argv.slice(2));
  if (isForKeys && file !== undefined) throw new StepError(usage, 64);
  checkSqliteFile(loadDatabaseUrl());
  const keys = isForKeys ? loadConfigForNewKeys() : undefined;
  const erased = file === undefined ? [] : readErasures(file);
  const config = loadDatabaseConfig();
  await runRecovery({ name: 'org-api', schema: organizationSchema, ...config }, async (database) => {
    const { lines, details } = await recover(database, keys);
    if (file === undefined) return { lines, details };
    await eraseAgain(createErasures({ database, retentionDays: config.auditRetentionDays }), erased);
    return {
      lines: [...lines, `erasures: ${erased.length}; org-api deletes those users as soon as it starts`],
      details: { ...details, erasures: erased.length },
    };
  });
});

function parseArguments(args: string[]) {
  try {
    return parseArgs({ args, options: { 'new-keys': { type: 'boolean' }, erasures: { type: 'string' } } }).values;
  } catch {
    throw new StepError(usage, 64);
  }
}

/** The ids of a file of `gatehouse users erased`, one a line. */
function readErasures(file: string): string[] {
  const lines = readText(file).split('\n');
  return lines.flatMap((line, index) => {
    const id = line.trim();
    if (id !== '' && !new RegExp(idPattern).test(id)) throw new StepError(`${file}:${index + 1}: is no id of a user`);
    return id === '' ? [] : [id];
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StepError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** As erasures that were cut, which org-api finishes at its start. */
async function eraseAgain(erasures: Erasures, ids: readonly string[]): Promise<void> {
  const erasedAt = systemClock() - cutAfter;
  for (const id of ids) await erasures.add({ id, erasedAt });
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
