import type { Clock } from '@gatehouse/service-kit';
import { createServer } from '@gatehouse/service-kit/http';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import { ProblemDetails } from '@gatehouse/shared';
import { authServerErrorHandler } from '../../src/http/error-handlers.ts';
import type { SigningKeys } from '../../src/keys/signing-keys.ts';
import type { FindWaitingClient } from '../../src/status-lists/find-waiting-client.ts';
import type { GrantStatusStore } from '../../src/status-lists/grant-status-store.ts';
import { meterWaits } from '../../src/status-lists/meter-waits.ts';
import { registerStatusList } from '../../src/status-lists/status-list-endpoint.ts';
import { createStatusLists } from '../../src/status-lists/status-lists.ts';
import type { StatusStore } from '../../src/status-lists/status-store.ts';
import { createStatusListWaits } from '../../src/status-lists/wait-for-change.ts';
import { createStatusListWatch } from '../../src/status-lists/watch-status-lists.ts';
import { issuer } from './status.ts';
import { silentLog } from './stores.ts';

interface Needs {
  statuses: StatusStore;
  grantStatuses: GrantStatusStore;
  signingKeys: SigningKeys;
  clock: Clock;
  findWaitingClient?: FindWaitingClient;
}

export type StatusListServer = Awaited<ReturnType<typeof startStatusListServer>>;

/** A replica that publishes status lists, listening. */
export async function startStatusListServer({
  statuses,
  grantStatuses,
  signingKeys,
  clock,
  findWaitingClient = () => undefined,
}: Needs) {
  let readings = 0;
  const counting: StatusStore = {
    ...statuses,
    readExtents(listIds) {
      readings += 1;
      return statuses.readExtents(listIds);
    },
  };
  const metrics = createMetrics();
  const statusLists = createStatusLists({ statuses: counting, grantStatuses, signingKeys, issuer, clock });
  const watch = createStatusListWatch({ statusLists, log: silentLog });
  const waits = createStatusListWaits({ watch, meter: meterWaits(metrics) });
  const app = createServer({ log: silentLog, trustProxy: true, publicUrl: issuer });
  app.setErrorHandler(authServerErrorHandler);
  app.addSchema(ProblemDetails);
  await registerStatusList(app, { statusLists, waits, findWaitingClient });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    app,
    statusLists,
    pathOf: (listId: number) => `/oauth/status-lists/${listId}`,
    urlOf: (listId: number) => `${url}/oauth/status-lists/${listId}`,
    stopWaits: waits.stop,
    /** How often the database was asked whether lists changed. */
    readings: () => readings,
    async readMetric(name: string): Promise<number> {
      const line = (await metrics.print()).split('\n').find((text) => text.startsWith(`${name} `));
      return Number(line?.slice(name.length));
    },
    async close() {
      waits.stop();
      await app.close();
    },
  };
}
