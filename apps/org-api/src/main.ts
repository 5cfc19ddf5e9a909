import { createLogger, describeProductionRisks, runService, systemClock, trialText } from '@gatehouse/service-kit';
import { checkDatabase } from '@gatehouse/service-kit/database';
import { readBuildInfo } from '@gatehouse/service-kit/metrics';
import { startTracing } from '@gatehouse/service-kit/tracing';
import { buildApp } from './app.ts';
import { describeMisspelt, loadConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';

await runService(async () => {
  const config = loadConfig();
  const log = createLogger('org-api', config.logLevel);
  for (const fault of [...describeMisspelt(), ...describeProductionRisks(config)]) log.warn(fault);
  if (config.trial) log.warn(trialText);
  checkDatabase(config.databaseUrl);
  const build = readBuildInfo(new URL('../package.json', import.meta.url));
  const tracing = await startTracing(config, build, log);
  const deps = createDependencies(config, log, systemClock, { build, tracing });
  const app = await buildApp(deps);
  await app.listen({ host: config.host, port: config.port });
  log.info({ version: build.version, tracing: tracing !== undefined }, 'started');
  return {
    log,
    async close() {
      await app.close();
      await deps.close();
      await tracing?.close();
    },
  };
});
