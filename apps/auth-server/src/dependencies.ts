import {
  type Clock,
  createMetrics,
  createPurgeObserver,
  type Logger,
  type Metrics,
  type Observation,
  openMeteredDatabase,
  reportBuild,
  startPurging,
  systemClock,
  traceDatabase,
} from '@gatehouse/service-kit';
import { createAdministration } from './administration/room.ts';
import { createAuthorization } from './authorization/room.ts';
import { createClients } from './clients/room.ts';
import { createCodes } from './codes/room.ts';
import type { Config } from './config.ts';
import { createConsent } from './consent/room.ts';
import { createDiscovery } from './discovery/room.ts';
import { createEventsRoom } from './events/room.ts';
import { createGrants, grantTypeNames } from './grants/room.ts';
import { createIntrospection } from './introspection/room.ts';
import { createKeys } from './keys/room.ts';
import { createOrganization } from './organization/room.ts';
import { authServerSchema } from './schema/auth-server-schema.ts';
import { expiringTables, shortLivedTables } from './schema/tables.ts';
import { createSessions } from './sessions/room.ts';
import { createStatusListsRoom } from './status-lists/room.ts';
import { createTokens } from './tokens/room.ts';

export type Dependencies = ReturnType<typeof createDependencies>;

/** Joins the rooms, each from those before it. */
export function createDependencies(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  { build, tracing }: Observation = {},
) {
  const metrics = createMetrics();
  if (build !== undefined) reportBuild(metrics, build);
  const { databaseUrl: url, databasePoolSize: poolSize, migrateOnStart } = config;
  const prepare = () => keys.signingKeys.load();
  const ownDatabase = openMeteredDatabase(metrics, {
    url,
    poolSize,
    ...authServerSchema,
    migrateOnStart,
    log,
    prepare,
  });
  const database = traceDatabase(ownDatabase, tracing);
  const common = { config, database, metrics, tracing, clock, log };

  const keys = createKeys(common);
  const events = createEventsRoom({
    ...common,
    grantTypes: grantTypeNames,
    findUsername: async (userId, origin) => {
      const user = await organization.directory.findUserById(userId, origin).catch(() => undefined);
      return user?.username;
    },
  });
  const organization = createOrganization({ ...common, keys, events });
  const clients = createClients({ ...common, events });
  const statusLists = createStatusListsRoom({ ...common, keys, findOwner: clients.clients.find });
  const codes = createCodes(common);
  const issuing = { ...common, keys, events, organization, clients, statusLists, codes };
  const tokens = createTokens(issuing);
  const sessions = createSessions({ ...issuing, tokens });
  const administration = createAdministration({ ...issuing, tokens });
  const consent = createConsent({ ...issuing, tokens, sessions });
  const introspection = createIntrospection({ ...issuing, tokens, consent });
  const grants = createGrants({ ...issuing, tokens, consent });
  const authorization = createAuthorization({ ...issuing, tokens, sessions, consent });
  const discovery = createDiscovery(common);
  const purging = startAllPurging(common);

  return {
    ...common,
    signingKeys: keys.signingKeys,
    /** Those that have routes, in the order in which the API is described. */
    rooms: [
      ...[administration, grants, introspection, tokens, authorization],
      ...[consent, sessions, keys, statusLists, discovery],
    ],
    async close() {
      purging.stop();
      keys.close();
      sessions.close();
      await events.close();
      await organization.close();
      await database.close();
    },
  };
}

type PurgingNeeds = Pick<Parameters<typeof startPurging>[0], 'database' | 'clock' | 'log'> & { metrics: Metrics };

function startAllPurging({ database, metrics, clock, log }: PurgingNeeds) {
  const observer = createPurgeObserver(metrics, expiringTables, clock);
  const all = startPurging({ database, tables: expiringTables, clock, log, observer });
  // Of their own, so that they wait for no other table. A round of these alone says nothing of the rest.
  const ofShortLived = { ...observer, finished() {} };
  const tables = shortLivedTables;
  const shortLived = startPurging({ database, tables, clock, log, observer: ofShortLived, interval: 10_000 });
  return {
    stop() {
      all.stop();
      shortLived.stop();
    },
  };
}
