import { type Clock, type HashCost, type Logger, repeatByTimer, systemClock } from '@gatehouse/service-kit';
import { startPurging } from '@gatehouse/service-kit/database';
import { createKnownNetworks } from '@gatehouse/service-kit/guess-limit';
import {
  createMeteredSlowHash,
  createMetrics,
  createPurgeObserver,
  openMeteredDatabase,
  reportBuild,
} from '@gatehouse/service-kit/metrics';
import { createFillTerms, createTermStore, startFillingTerms } from '@gatehouse/service-kit/terms';
import { type Observation, traceDatabase, traceSlowHash } from '@gatehouse/service-kit/tracing';
import { createUsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import { createAdministration } from './administration/room.ts';
import { createCallers } from './callers/room.ts';
import type { Config } from './config.ts';
import { createDetails } from './details/room.ts';
import { createDirectory } from './directory/room.ts';
import { createDiscovery } from './discovery/room.ts';
import { createEvents } from './events/room.ts';
import { createGroups } from './groups/room.ts';
import { createIdentities } from './identities/room.ts';
import { createImports } from './imports/room.ts';
import { createLinks } from './links/room.ts';
import { createMailedLinks } from './mailed-links/room.ts';
import { createMails } from './mails/room.ts';
import { createMethods } from './methods/room.ts';
import { createOversight } from './oversight/room.ts';
import { createPasswords } from './passwords/room.ts';
import { organizationSchema } from './schema/organization-schema.ts';
import { expiringTables } from './schema/tables.ts';
import { createIsFamiliarPlace } from './users/familiar-place.ts';
import { createManagedElsewhere } from './users/managed-elsewhere.ts';
import { createUserListStore } from './users/user-list-store.ts';
import { userFromRow } from './users/user-row.ts';
import { createUserStore } from './users/user-store.ts';
import type { UserRow } from './users/user-table.ts';
import { termedUser } from './users/user-terms.ts';
import { userTermTable } from './users/user-terms-table.ts';

export type Dependencies = ReturnType<typeof createDependencies>;

/** Opens the database, joins the rooms on it and starts to purge it; `close` ends all of them. */
export function createDependencies(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  { build, tracing, hashCost }: Observation & { hashCost?: HashCost } = {},
) {
  const metrics = createMetrics();
  if (build !== undefined) reportBuild(metrics, build);
  const prepare = async () => {
    await callers.loadNonceKey();
    await methods.renewSecrets();
    await administration.createFirstUsers();
    mails.start({ handle: links.requestLinks.recover, stands: links.useLink.stands });
    links.start();
    stopFilling = startFillingTerms(fillTerms, { repeat: repeatByTimer, log });
  };
  const { databaseUrl: url, databasePoolSize: poolSize, migrateOnStart } = config;
  const options = { url, poolSize, ...organizationSchema, migrateOnStart, log, prepare };
  const database = traceDatabase(openMeteredDatabase(metrics, options), tracing);
  /** Of the package; none where no package runs. */
  const { service = 'org-api', version = 'development' } = build ?? {};
  const common = { config, database, metrics, tracing, clock, log };
  const slowHash = traceSlowHash(
    createMeteredSlowHash(metrics, { memory: config.hashMemory, ...(hashCost && { cost: hashCost }) }),
    tracing,
  );
  const knownNetworks = createKnownNetworks({ database, clock });
  const events = createEvents(common);
  const groups = createGroups({ database });
  const { identities } = createIdentities({ database });
  const users = createUserStore(database);
  const userLists = createUserListStore({ database, users });
  const fillTerms = createFillTerms<UserRow>({
    ...{ database, table: userTermTable, terms: createTermStore(database, userTermTable), clock },
    read: (row) => termedUser(userFromRow(row)),
  });
  let stopFilling: (() => Promise<void>) | undefined;
  const usedIdentifiers = createUsedIdentifiers(database);
  const isFamiliarPlace = createIsFamiliarPlace({ knownNetworks, clock });
  const managedElsewhere = createManagedElsewhere({ identities });
  const hashing = { ...common, users, identities, ...managedElsewhere, events, slowHash, knownNetworks };
  const mails = createMails({ ...common, events, isFamiliarPlace, usedIdentifiers });
  const mailedLinks = createMailedLinks({ database, ...mails, clock });
  const methods = createMethods({ ...hashing, mails, mailedLinks, isFamiliarPlace });
  const passwords = createPasswords({ ...hashing, methods, usedIdentifiers });
  const callers = createCallers({ ...common, users, usedIdentifiers, events });
  const links = createLinks({ ...hashing, groups, mails, mailedLinks, methods, passwords });
  const rooms = { mails, links, ...hashing, groups, userLists, methods, passwords, callers };
  const directory = createDirectory({ ...rooms, ...events });
  const administration = createAdministration(rooms);
  const imports = createImports({ ...rooms, administration });
  const oversight = createOversight({ ...rooms, build: { service, version } });
  const details = createDetails(rooms);
  const discovery = createDiscovery(rooms);
  const observer = createPurgeObserver(metrics, expiringTables, clock);
  const purging = startPurging({ database, tables: expiringTables, clock, log, observer });

  return {
    ...common,
    version,
    users,
    groups,
    identities,
    ...managedElsewhere,
    knownNetworks,
    methods,
    passwords,
    mails,
    links,
    callers,
    audit: events.audit,
    refusals: events.refusals,
    notFoundHandler: discovery.notFoundHandler,
    /** In the order in which the API is described. */
    rooms: [discovery, details, administration, imports, oversight, directory],
    async close() {
      purging.stop();
      links.close();
      await stopFilling?.();
      await mails.close();
      await callers.close();
      await events.close();
      await database.close();
    },
  };
}
