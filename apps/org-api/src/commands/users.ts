import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { createLogger, createSlowHash, runStep, systemClock } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import { checkSqliteFile, openDatabase, untilReady } from '@gatehouse/service-kit/database';
import { PasswordChange } from '@gatehouse/shared';
import { Check } from 'typebox/schema';
import { loadConfig, loadDatabaseUrl } from '../config.ts';
import { describeUser } from '../events/audit.ts';
import { createNewPasswords } from '../passwords/new-password.ts';
import { createSetPassword } from '../passwords/set-password.ts';
import { organizationSchema } from '../schema/organization-schema.ts';
import { createUserStore } from '../users/user-store.ts';

const usage = `usage: users set-password USERNAME   reads the new password from standard input, or asks for it
       docs/operations/rescue.md says when it is of use`;

/** `npm run users -- set-password`: for the password of the last administrator, while the service runs or not. */
await runStep(async () => {
  const { values, positionals } = readArguments(process.argv.slice(2));
  if (values.help) return void process.stdout.write(`${usage}\n`);
  const [command, username, ...rest] = positionals;
  if (command !== 'set-password' || username === undefined || rest.length > 0) throw new Error(usage);
  checkSqliteFile(loadDatabaseUrl());
  const config = loadConfig();
  const password = await readPassword();
  if (!Check(PasswordChange, { password })) throw new Error('the password must have 8 to 1024 characters');
  const log = createLogger('users', 'error');
  const database = openDatabase({ url: config.databaseUrl, ...organizationSchema, migrateOnStart: false, log });
  try {
    await untilReady(database, 10_000);
    const setPassword = createSetPassword({
      users: createUserStore(database),
      slowHash: createSlowHash(),
      newPasswords: createNewPasswords({ config, isBreached: config.isBreached }),
      clock: systemClock,
    });
    const user = await setPassword(username, { password });
    const { auditRetentionDays: retentionDays } = config;
    const audit = createAuditTrail({ service: 'users', database, retentionDays, clock: systemClock, log });
    const actor = { kind: 'service', name: 'users' } as const;
    await audit.write({ type: 'user.password_changed', actor, subject: describeUser(user) });
    await audit.close();
    process.stdout.write(`${user.username} has a new password; tokens and sessions of before are void\n`);
    if (!user.enabled) process.stdout.write('The user is disabled and cannot sign in.\n');
  } finally {
    await database.close();
  }
});

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } }, allowPositionals: true });
  } catch {
    throw new Error(usage);
  }
}

/** The first line of standard input. A terminal shows nothing of it. */
async function readPassword(): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write('new password: ');
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
}
