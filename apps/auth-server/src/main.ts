import { createLogger, runService } from '@gatehouse/service-kit';
import { buildApp } from './app.ts';
import { loadConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';

await runService(async () => {
  const config = loadConfig();
  const log = createLogger('auth-server', config.logLevel);
  const deps = createDependencies(config, log);
  const app = await buildApp(deps);
  await app.listen({ host: config.host, port: config.port });
  return {
    log,
    async close() {
      await app.close();
      await deps.close();
    },
  };
});
