import type { Clock, Logger } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import type { FastifyInstance } from 'fastify';
import type { Keys } from '../keys/room.ts';
import { createAllocateStatus, type FoundOwner, type NoteOwnersUse } from './allocate-status.ts';
import { createGrantStatusStore } from './grant-status-store.ts';
import { meterWaits } from './meter-waits.ts';
import { observeStatusListBuilds } from './observe-status-list-builds.ts';
import { registerStatusList } from './status-list-endpoint.ts';
import { createStatusLists } from './status-lists.ts';
import { createStatusStore } from './status-store.ts';
import { createStatusListWaits } from './wait-for-change.ts';
import { createStatusListWatch } from './watch-status-lists.ts';

interface Needs {
  config: { authUrl: string };
  database: Database;
  keys: Keys;
  /** Asked when a status is allocated. */
  findOwner(clientId: string): Promise<FoundOwner | undefined>;
  /** Called when statuses are reserved for a client that lapses. */
  noteUse: NoteOwnersUse;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
}

export type StatusListsRoom = ReturnType<typeof createStatusListsRoom>;

/** Which access tokens were ended before their time, published for those who verify them. */
export function createStatusListsRoom(needs: Needs) {
  const { config, database, keys, findOwner, noteUse, metrics, clock, log } = needs;
  const statuses = createStatusStore(database, Math.random);
  const grantStatuses = createGrantStatusStore(database);
  const { signingKeys } = keys;
  const observeBuild = observeStatusListBuilds(metrics);
  const statusLists = createStatusLists({
    ...{ statuses, grantStatuses, signingKeys, clock, observeBuild },
    issuer: config.authUrl,
  });
  const allocateStatus = createAllocateStatus({ statuses, findOwner, noteUse, statusLists, clock });
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
    routes: { api: (app: FastifyInstance) => registerStatusList(app, { statusLists, waits }) },
  };
}
