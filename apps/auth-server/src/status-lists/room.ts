import type { Clock, Logger } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Keys } from '../keys/room.ts';
import { createStatusAllocation } from './allocate-status.ts';
import { createFindWaitingClient } from './find-waiting-client.ts';
import { createGrantStatusStore } from './grant-status-store.ts';
import { meterWaits } from './meter-waits.ts';
import { observeStatusListBuilds } from './observe-status-list-builds.ts';
import { registerStatusList } from './status-list-endpoint.ts';
import { createStatusLists } from './status-lists.ts';
import { createStatusStore } from './status-store.ts';
import { createStatusListWaits } from './wait-for-change.ts';
import { createStatusListWatch } from './watch-status-lists.ts';

interface Needs {
  config: { authUrl: string; realm: string };
  database: Database;
  keys: Keys;
  clients: Pick<Clients, 'authenticateClient' | 'clients' | 'noteUse'>;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
}

export type StatusListsRoom = ReturnType<typeof createStatusListsRoom>;

/** Which access tokens were ended before their time, published for those who verify them. */
export function createStatusListsRoom(needs: Needs) {
  const { config, database, keys, clients, metrics, clock, log } = needs;
  const statuses = createStatusStore(database, Math.random);
  const grantStatuses = createGrantStatusStore(database);
  const { signingKeys } = keys;
  const observeBuild = observeStatusListBuilds(metrics);
  const statusLists = createStatusLists({
    ...{ statuses, grantStatuses, signingKeys, clock, observeBuild },
    issuer: config.authUrl,
  });
  const { allocateStatus } = createStatusAllocation({
    ...{ statuses, statusLists, clock },
    findOwner: clients.clients.find,
    noteUse: clients.noteUse,
  });
  const { authenticateClient } = clients;
  const findWaitingClient = createFindWaitingClient({ authenticateClient, realm: config.realm });
  const waits = createStatusListWaits({
    watch: createStatusListWatch({ statusLists, log }),
    meter: meterWaits(metrics),
  });
  return {
    statuses,
    grantStatuses,
    statusLists,
    allocateStatus,
    /** Answers all who wait for a list at once. */
    stopWaits: waits.stop,
    routes: { api: (app: FastifyInstance) => registerStatusList(app, { statusLists, waits, findWaitingClient }) },
  };
}
