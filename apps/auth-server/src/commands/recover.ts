import { parseArgs } from 'node:util';
import { createLogger, runStep, StepError, systemClock } from '@gatehouse/service-kit';
import { type Recovery, runRecovery } from '@gatehouse/service-kit/audit';
import { checkSqliteFile, type Database } from '@gatehouse/service-kit/database';
import { loadConfigForNewKeys, loadDatabaseConfig, loadDatabaseUrl } from '../config.ts';
import { deleteUnreadableKeys } from '../keys/delete-unreadable-keys.ts';
import { createKeyEncryption } from '../keys/key-encryption.ts';
import { createSigningKeyStore } from '../keys/signing-key-store.ts';
import { authServerSchema } from '../schema/auth-server-schema.ts';
import { countInForce, endEverything } from '../schema/end-everything.ts';
import { createUpstreamSecrets } from '../upstreams/upstream-secrets.ts';
import { createUpstreamStore } from '../upstreams/upstream-store.ts';

const usage = 'usage: recover --end everything|nothing, or recover --new-keys (docs/operations/backup.md)';

type Task = (database: Database) => Promise<Recovery>;

/** `node dist/recover.js`: for an operator, after a restore or the loss of KEY_ENCRYPTION_KEY. */
await runStep(async () => {
  const getTask = parseTask(process.argv.slice(2));
  checkSqliteFile(loadDatabaseUrl());
  const task = getTask();
  await runRecovery({ name: 'auth-server', schema: authServerSchema, ...loadDatabaseConfig() }, task);
});

/** Gives what reads the rest of the configuration. */
function parseTask(args: string[]): () => Task {
  const { end, 'new-keys': isForKeys = false } = readArguments(args);
  if (isForKeys && end === undefined) return createForgetUnreadable;
  if (!isForKeys && end === 'everything') return () => endAll;
  if (!isForKeys && end === 'nothing') return () => endNothing;
  throw new StepError(usage, 64);
}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: { end: { type: 'string' }, 'new-keys': { type: 'boolean' } } }).values;
  } catch {
    throw new StepError(usage, 64);
  }
}

async function endAll(database: Database): Promise<Recovery> {
  const deleted = await endEverything(database);
  const lines = Object.entries(deleted).map(([table, rows]) => `${inWords(table)}: ${rows} ended`);
  return {
    lines: [
      ...lines,
      'Clients, consents and registration tokens stay. auth-server makes new signing keys at its start.',
    ],
    details: { ended: 'everything', ...deleted },
  };
}

async function endNothing(database: Database): Promise<Recovery> {
  const inForce = await countInForce(database, systemClock());
  const lines = inForce.map(
    ({ table, rows, lastUntil }) =>
      `${inWords(table)}: ${rows} of the backup count, the last until ${new Date(lastUntil).toISOString()}`,
  );
  const warning = 'Valid again: what was ended or revoked after the backup, and access tokens of these signing keys.';
  return { lines: [...lines, warning], details: { ended: 'nothing' } };
}

function createForgetUnreadable(): Task {
  const { keyEncryptionKey, previousKeyEncryptionKey } = loadConfigForNewKeys();
  const encryption = createKeyEncryption(keyEncryptionKey, previousKeyEncryptionKey);
  return async (database) => {
    const keys = await deleteUnreadableKeys({ signingKeys: createSigningKeyStore(database), encryption });
    const log = createLogger('recover', 'error');
    const secrets = createUpstreamSecrets({ upstreams: createUpstreamStore(database), encryption, log });
    const upstreams = await secrets.forgetUnreadable(systemClock());
    const lines = [
      ...keys.map(({ algorithm, kid }) => `signing key ${kid} (${algorithm}): deleted`),
      ...upstreams.map(({ alias }) => `upstream ${alias}: its client secret is deleted; set it again`),
    ];
    const [kids, aliases] = [keys.map(({ kid }) => kid), upstreams.map(({ alias }) => alias)];
    return {
      lines: lines.length > 0 ? lines : ['KEY_ENCRYPTION_KEY opens all keys and secrets: nothing was deleted.'],
      details: { new_keys: true, signing_keys: kids, upstreams: aliases },
    };
  };
}

function inWords(table: string): string {
  return table.replaceAll('_', ' ');
}
