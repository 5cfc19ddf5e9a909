import { createLogger, runStep, systemClock } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import { checkSqliteFile, openDatabase, untilReady } from '@gatehouse/service-kit/database';
import { loadConfig, loadDatabaseUrl } from '../config.ts';
import { describeUser } from '../events/audit.ts';
import { createIdentityStore } from '../identities/identity-store.ts';
import { createInvitations } from '../links/invitations.ts';
import { createLinkStore } from '../mailed-links/link-store.ts';
import { createMakeLink, isInvitable } from '../mailed-links/make-link.ts';
import { createLinkTokens } from '../mails/link-tokens.ts';
import { createCodeAppStore } from '../methods/code-app-store.ts';
import { createGuardedPasswords } from '../methods/guarded-passwords.ts';
import { createPasskeyStore } from '../methods/passkey-store.ts';
import { createRecoveryCodeStore } from '../methods/recovery-code-store.ts';
import { createRemoveMethod } from '../methods/remove-method.ts';
import { organizationSchema } from '../schema/organization-schema.ts';
import { getUser } from '../users/get-user.ts';
import { createUserStore } from '../users/user-store.ts';

const usage = `usage: methods reset USERNAME   removes all ways to sign in, and prints a link to choose a new one
       docs/operations/rescue.md says when it is of use`;

/** `npm run methods -- reset`: for the only administrator, who is locked out, while the service runs or not. */
await runStep(async () => {
  const [command, username, ...rest] = process.argv.slice(2);
  if (command === '--help' || command === '-h') return void process.stdout.write(`${usage}\n`);
  if (command !== 'reset' || username === undefined || rest.length > 0) throw new Error(usage);
  checkSqliteFile(loadDatabaseUrl());
  const config = loadConfig();
  const log = createLogger('methods', 'error');
  const database = openDatabase({ url: config.databaseUrl, ...organizationSchema, migrateOnStart: false, log });
  const clock = systemClock;
  try {
    await untilReady(database, 10_000);
    const users = createUserStore(database);
    const user = await getUser(users, username);
    if (user.userType === 'Robot') throw new Error('a Robot never signs in');
    const removeMethod = createRemoveMethod({
      ...{
        users,
        identities: createIdentityStore(database),
        clock,
        codeApps: createCodeAppStore(database),
        passkeys: createPasskeyStore(database),
      },
      ...{ recoveryCodes: createRecoveryCodeStore(database), guardedPasswords: createGuardedPasswords(database) },
    });
    if ((await removeMethod.all(user, { password: true })) === 'changed') {
      throw new Error('the methods of this user changed at the same moment; try again');
    }
    const { credentialsKey: current, previousCredentialsKey: previous, auditRetentionDays: retentionDays } = config;
    const linkTokens = createLinkTokens({ current, previous });
    const mails = { isOn: false, mailLink: async () => {} };
    const links = createLinkStore(database);
    const makeLink = createMakeLink({ links, linkTokens, clock });
    const invitations = createInvitations({ config, users, links, makeLink, linkTokens, mails });
    const left = await getUser(users, username);
    const invitation = isInvitable(left) ? await invitations.invite(left, {}) : undefined;
    const audit = createAuditTrail({ service: 'methods', database, retentionDays, clock, log });
    const about = { actor: { kind: 'service', name: 'methods' }, subject: describeUser(user) } as const;
    await audit.write(
      { ...about, type: 'methods.reset', details: { password: true } },
      ...(invitation === undefined ? [] : [{ ...about, type: 'user.invited' } as const]),
    );
    await audit.close();
    process.stdout.write(
      invitation === undefined
        ? `${user.username} signs in by an account at another server alone; tokens and sessions of before are void.\n`
        : `${user.username} has no way to sign in; tokens and sessions of before are void.
Until ${invitation.expiresAt} a new one is chosen at:\n${invitation.link}\n`,
    );
    if (!user.enabled) process.stdout.write('The user is disabled: the link works once it is enabled.\n');
  } finally {
    await database.close();
  }
});
