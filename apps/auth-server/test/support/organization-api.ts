import { systemClock } from '@gatehouse/service-kit';
import type { Observation } from '@gatehouse/service-kit/tracing';
import { cheapHashCost } from '@gatehouse/test-kit';
import { buildApp } from '../../../org-api/src/app.ts';
import { loadConfig } from '../../../org-api/src/config.ts';
import { createDependencies } from '../../../org-api/src/dependencies.ts';
import { silentLog, waitUntilReady } from './stores.ts';

export interface OrganizationApi {
  stop(): Promise<void>;
}

/** A real org-api that listens on the port, in this process. */
export async function startOrganizationApi(
  port: number,
  env: Record<string, string>,
  observation: Observation = {},
): Promise<OrganizationApi> {
  const options = { hashCost: cheapHashCost, ...observation };
  const deps = createDependencies(loadConfig(env), silentLog, systemClock, options);
  const app = await buildApp(deps);
  await app.listen({ host: '127.0.0.1', port });
  await waitUntilReady(deps.database);
  return {
    async stop() {
      await app.close();
      await deps.close();
    },
  };
}
