import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import type { FastifyInstance } from 'fastify';
import type { Keys } from '../keys/room.ts';
import { createAllocateStatus, type StatusOwner } from './allocate-status.ts';
import { observeStatusListBuilds } from './observe-status-list-builds.ts';
import { registerStatusList } from './status-list-endpoint.ts';
import { createStatusLists } from './status-lists.ts';
import { createStatusStore } from './status-store.ts';

interface Needs {
  config: { authUrl: string };
  database: Database;
  keys: Keys;
  /** Asked when a status is allocated. */
  findOwner(clientId: string): Promise<StatusOwner | undefined>;
  metrics: Metrics;
  clock: Clock;
}

export type StatusListsRoom = ReturnType<typeof createStatusListsRoom>;

/** Which access tokens were ended before their time, published for those who verify them. */
export function createStatusListsRoom({ config, database, keys, findOwner, metrics, clock }: Needs) {
  const statuses = createStatusStore(database, Math.random);
  const { signingKeys } = keys;
  const observeBuild = observeStatusListBuilds(metrics);
  const statusLists = createStatusLists({ statuses, signingKeys, issuer: config.authUrl, clock, observeBuild });
  const allocateStatus = createAllocateStatus({ statuses, findOwner, statusLists, clock });
  return {
    statuses,
    statusLists,
    allocateStatus,
    routes: { api: (app: FastifyInstance) => registerStatusList(app, { statusLists }) },
  };
}
