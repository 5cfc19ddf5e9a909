import { parseArgs } from 'node:util';
import { createLogger, runStep, systemClock } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import { checkSqliteFile, openDatabase, untilReady } from '@gatehouse/service-kit/database';
import { loadConfigForKeys, loadDatabaseUrl } from '../config.ts';
import { createKeyEncryption } from '../keys/key-encryption.ts';
import {
  createKeyRotation,
  defaultPublishLead,
  longestPublishLead,
  shortestPublishLead,
} from '../keys/key-rotation.ts';
import type { KeySummary } from '../keys/key-summary.ts';
import { createSigningKeyStore } from '../keys/signing-key-store.ts';
import { authServerSchema } from '../schema/auth-server-schema.ts';

const usage = `usage: keys list
       keys rotate [--sign-after SECONDS]   ${defaultPublishLead / 1000} if left out, ${shortestPublishLead / 1000} to ${longestPublishLead / 1000}`;

/** `npm run keys -- list|rotate`: what operators do with signing keys, while the service runs. */
await runStep(async () => {
  if (process.argv.includes('--help') || process.argv.includes('-h')) return void process.stdout.write(`${usage}\n`);
  const { command, publishLead } = parseCommand(process.argv.slice(2));
  checkSqliteFile(loadDatabaseUrl());
  const config = loadConfigForKeys();
  const log = createLogger('keys', 'error');
  const database = openDatabase({ url: config.databaseUrl, ...authServerSchema, migrateOnStart: false, log });
  try {
    await untilReady(database, 10_000);
    const rotation = createKeyRotation({
      signingKeys: createSigningKeyStore(database),
      encryption: createKeyEncryption(config.keyEncryptionKey, config.previousKeyEncryptionKey),
      clock: systemClock,
    });
    const keys = command === 'rotate' ? await rotation.rotate(publishLead) : await rotation.list();
    if (command === 'rotate') {
      const { auditRetentionDays: retentionDays } = config;
      const audit = createAuditTrail({ service: 'keys', database, retentionDays, clock: systemClock, log });
      const details = { sign_after_seconds: publishLead / 1000 };
      const actor = { kind: 'service', name: 'keys' } as const;
      await audit.write({ type: 'keys.rotated', actor, subject: { kind: 'keys' }, details });
      await audit.close();
    }
    process.stdout.write(keys.map(formatKey).join(''));
  } finally {
    await database.close();
  }
});

function parseCommand(args: string[]): { command: 'list' | 'rotate'; publishLead: number } {
  const { values, positionals } = readArguments(args);
  const [command, ...rest] = positionals;
  const publishLead = Number(values['sign-after'] ?? defaultPublishLead / 1000) * 1000;
  const isKnown = (command === 'list' || command === 'rotate') && rest.length === 0;
  const isInRange = publishLead >= shortestPublishLead && publishLead <= longestPublishLead;
  if (!isKnown || !isInRange) throw new Error(usage);
  return { command, publishLead };
}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: { 'sign-after': { type: 'string' } }, allowPositionals: true });
  } catch {
    throw new Error(usage);
  }
}

function formatKey({ kid, algorithm, generation, state, publishAt, signFrom, expiresAt }: KeySummary): string {
  const time = (instant: number) => new Date(instant).toISOString();
  const times = `published ${time(publishAt)}  signs from ${time(signFrom)}  gone ${time(expiresAt)}`;
  return `${algorithm}  #${generation}  ${state.padEnd(8)}  ${kid}  ${times}\n`;
}
