import { runStep, systemClock } from '@gatehouse/service-kit';
import { readExportArguments, runExport } from '@gatehouse/service-kit/audit';
import { checkSqliteFile } from '@gatehouse/service-kit/database';
import { readBuildInfo } from '@gatehouse/service-kit/metrics';
import { createClientListStore } from '../clients/client-list-store.ts';
import { createClientLogoStore } from '../clients/client-logo-store.ts';
import { loadConfig, loadDatabaseUrl } from '../config.ts';
import { listClientsForExport } from '../exports/list-clients.ts';
import { createOrgApi } from '../resources/org-api.ts';
import { createResourceStore } from '../resources/resource-store.ts';
import { authServerSchema } from '../schema/auth-server-schema.ts';

/** `node dist/export.js [--with-credentials]`: for an operator, while the service runs or not. Prints a bundle of APIs and clients. */
await runStep(async () => {
  const withCredentials = readExportArguments(process.argv.slice(2));
  checkSqliteFile(loadDatabaseUrl());
  const config = loadConfig();
  const { version } = readBuildInfo(new URL('../package.json', import.meta.url));
  const about = { name: 'auth-server', schema: authServerSchema, version, event: 'clients.exported' } as const;
  await runExport({ ...about, ...config, withCredentials }, (database) =>
    listClientsForExport(
      {
        resources: createResourceStore(database),
        clients: createClientListStore(database),
        logos: createClientLogoStore(database),
        orgApi: createOrgApi(config),
        now: systemClock(),
      },
      withCredentials,
    ),
  );
});
