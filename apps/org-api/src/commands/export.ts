import { createEncryption, runStep } from '@gatehouse/service-kit';
import { readExportArguments, runExport } from '@gatehouse/service-kit/audit';
import { checkSqliteFile, type Database } from '@gatehouse/service-kit/database';
import { readBuildInfo } from '@gatehouse/service-kit/metrics';
import { type Config, loadConfig, loadDatabaseUrl } from '../config.ts';
import { listUsersForExport } from '../exports/list-users.ts';
import { createGroupStore } from '../groups/group-store.ts';
import { createIdentityStore } from '../identities/identity-store.ts';
import { createCodeAppSecrets } from '../methods/code-app-secrets.ts';
import { createCodeAppStore } from '../methods/code-app-store.ts';
import { createPasskeyStore } from '../methods/passkey-store.ts';
import { organizationSchema } from '../schema/organization-schema.ts';
import { createUserStore } from '../users/user-store.ts';

/** `node dist/export.js [--with-credentials]`: for an operator, while the service runs or not. Prints a bundle of groups and users. */
await runStep(async () => {
  const withCredentials = readExportArguments(process.argv.slice(2));
  checkSqliteFile(loadDatabaseUrl());
  const config = loadConfig();
  const { version } = readBuildInfo(new URL('../package.json', import.meta.url));
  const about = { name: 'org-api', schema: organizationSchema, version, event: 'users.exported' } as const;
  await runExport({ ...about, ...config, withCredentials }, (database) => listLines(database, config, withCredentials));
});

function listLines(database: Database, config: Config, withCredentials: boolean) {
  const codeApps = createCodeAppStore(database);
  const { credentialsKey: current, previousCredentialsKey: previous } = config;
  const encryption = createEncryption({ variable: 'CREDENTIALS_KEY', current, previous });
  const stores = {
    users: createUserStore(database),
    groups: createGroupStore(database),
    identities: createIdentityStore(database),
    passkeys: createPasskeyStore(database),
    codeApps,
  };
  return listUsersForExport(stores, withCredentials ? createCodeAppSecrets({ codeApps, encryption }) : undefined);
}
