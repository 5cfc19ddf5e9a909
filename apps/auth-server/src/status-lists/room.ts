import type { Clock, Database, Metrics } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Keys } from '../keys/room.ts';
import { createAllocateStatus } from './allocate-status.ts';
import { observeStatusListBuilds } from './observe-status-list-builds.ts';
import { registerStatusList } from './status-list-endpoint.ts';
import { createStatusLists } from './status-lists.ts';
import { createStatusStore } from './status-store.ts';

interface Needs {
  config: { authUrl: string };
  database: Database;
  keys: Keys;
  clients: Clients;
  metrics: Metrics;
  clock: Clock;
}

export type StatusListsRoom = ReturnType<typeof createStatusListsRoom>;

/** Which access tokens were ended before their time, published for those who verify them. */
export function createStatusListsRoom({ config, database, keys, clients, metrics, clock }: Needs) {
  const statuses = createStatusStore(database);
  const { signingKeys } = keys;
  const observeBuild = observeStatusListBuilds(metrics);
  const statusLists = createStatusLists({ statuses, signingKeys, issuer: config.authUrl, clock, observeBuild });
  const allocateStatus = createAllocateStatus({ statuses, clients: clients.clients, statusLists, clock });
  return {
    statuses,
    statusLists,
    allocateStatus,
    routes: { api: (app: FastifyInstance) => registerStatusList(app, { statusLists }) },
  };
}
