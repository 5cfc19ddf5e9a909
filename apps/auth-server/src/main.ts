import { createLogger, describeProductionRisks, runService, systemClock, trialText } from '@gatehouse/service-kit';
import { checkDatabase } from '@gatehouse/service-kit/database';
import { readBuildInfo } from '@gatehouse/service-kit/metrics';
import { startTracing } from '@gatehouse/service-kit/tracing';
import { groupsScope } from '@gatehouse/shared';
import { buildApp } from './app.ts';
import { describeMisspelt, loadConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';

await runService(async () => {
  const config = loadConfig();
  const log = createLogger('auth-server', config.logLevel);
  for (const fault of [...describeMisspelt(), ...describeProductionRisks(config)]) log.warn(fault);
  if (config.trial) log.warn(trialText);
  checkDatabase(config.databaseUrl);
  const build = readBuildInfo(new URL('../package.json', import.meta.url));
  if (config.needlessExtraScopes.length > 0) {
    const names = config.needlessExtraScopes.join(', ');
    log.warn(`EXTRA_SCOPES names ${names}, which every realm knows with a meaning of its own: take them out`);
  }
  if (config.extraScopes.includes(groupsScope)) {
    log.warn(`EXTRA_SCOPES names ${groupsScope}: the scope of that name which shows the groups of users is off`);
  }
  if (config.passkeyRpId === undefined) log.warn('AUTH_URL is an IP address, which has no passkeys: none are offered');
  const tracing = await startTracing(config, build, log);
  // The build puts them next to the bundle.
  const consoleFiles = new URL('./console/', import.meta.url);
  const deps = createDependencies(config, log, systemClock, { build, tracing, consoleFiles });
  const app = await buildApp(deps);
  await app.listen({ host: config.host, port: config.port });
  log.info({ version: build.version, tracing: tracing !== undefined }, 'started');
  return {
    log,
    failed: deps.failed,
    async close() {
      deps.stopWaits();
      await app.close();
      await deps.close();
      await tracing?.close();
    },
  };
});
