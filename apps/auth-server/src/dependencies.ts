import { type Clock, ConfigError, type HashCost, type Logger, systemClock } from '@gatehouse/service-kit';
import { type Database, startPurging } from '@gatehouse/service-kit/database';
import {
  type BuildInfo,
  createMetrics,
  createPurgeObserver,
  type Metrics,
  openMeteredDatabase,
  reportBuild,
} from '@gatehouse/service-kit/metrics';
import { type Observation, type Tracing, traceDatabase } from '@gatehouse/service-kit/tracing';
import { createAccount } from './account/room.ts';
import { createAdministration } from './administration/room.ts';
import { createAuthorization } from './authorization/room.ts';
import { createClientDocumentsRoom } from './client-documents/room.ts';
import { createClients } from './clients/room.ts';
import { createCodes } from './codes/room.ts';
import type { Config } from './config.ts';
import { createConsent } from './consent/room.ts';
import { createConsole } from './console/room.ts';
import { createDevice } from './device/room.ts';
import { createDiscovery } from './discovery/room.ts';
import { createEventsRoom } from './events/room.ts';
import { createGrants } from './grants/room.ts';
import { createIntrospection } from './introspection/room.ts';
import { createIssuers } from './issuers/room.ts';
import { createKeys } from './keys/room.ts';
import { createOrganization } from './organization/room.ts';
import { createOutbound } from './outbound/room.ts';
import { createOversight } from './oversight/room.ts';
import { createRegistration } from './registration/room.ts';
import { createRequestObjects } from './request-objects/room.ts';
import { createResources } from './resources/room.ts';
import { authServerSchema } from './schema/auth-server-schema.ts';
import { expiringTables, shortLivedTables } from './schema/tables.ts';
import { createSessions } from './sessions/room.ts';
import { createSignIn } from './sign-in/room.ts';
import { createStatusListsRoom } from './status-lists/room.ts';
import { createTokens } from './tokens/room.ts';
import { createUpstreams } from './upstreams/room.ts';
import { createUsage } from './usage/room.ts';

export type Dependencies = ReturnType<typeof createDependencies>;

interface Options extends Observation {
  hashCost?: HashCost;
  /** The folder with the built files of the console; without it there are no pages of the console. */
  consoleFiles?: URL | undefined;
}

/** Opens the database, joins the rooms on it and starts to purge it; `close` ends all of them. */
export function createDependencies(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  { build, tracing, hashCost, consoleFiles }: Options = {},
) {
  const metrics = createMetrics();
  if (build !== undefined) reportBuild(metrics, build);
  const failing = createFailing();
  const prepare = async () => {
    await rooms.keys.signingKeys.load();
    await rooms.upstreams.upstreamSecrets.renew();
    await failing.watch(rooms.resources.registerOrgApi());
    await rooms.administration.registerDemoClient();
    await rooms.clients.warnOfNamesakes();
    await rooms.clients.tellGrantTypesOff();
    await rooms.clients.beginUses();
    rooms.account.start();
    rooms.clients.start();
  };
  const database = openDatabase({ config, metrics, tracing, clock, log, prepare });
  /** Of the package; none where no package runs. */
  const { service = 'auth-server', version = 'development' } = build ?? {};
  const common = {
    config,
    database,
    metrics,
    tracing,
    hashCost,
    consoleFiles,
    clock,
    log,
    build: { service, version },
  };
  const rooms = joinRooms(common);
  const purging = startAllPurging(common);

  return {
    ...common,
    version,
    signingKeys: rooms.keys.signingKeys,
    purgeLapsedClients: rooms.registration.purgeLapsedClients,
    /** Resolves with the fault of the configuration that only the database shows. */
    failed: failing.failed,
    rooms: rooms.withRoutes,
    rewriteUrl: rooms.consolePages.rewriteUrl,
    refusals: rooms.events.refusals,
    /** Decides which pages may call with credentials. */
    registeredOrigins: rooms.clients.registeredOrigins,
    /** Answers all who wait; the server would wait for them. */
    stopWaits: rooms.statusLists.stopWaits,
    async close() {
      purging.stop();
      rooms.keys.close();
      rooms.sessions.close();
      rooms.account.close();
      rooms.registration.close();
      await rooms.clients.clientUses.close();
      await rooms.clients.close();
      await rooms.events.close();
      await rooms.usage.usageCounts.close();
      await rooms.organization.close();
      await database.close();
    },
  };
}

/** Waits for work of the start; keeps the ConfigError with which the service cannot go on. */
function createFailing() {
  let fail: (error: ConfigError) => void = () => {};
  const failed = new Promise<ConfigError>((resolve) => {
    fail = resolve;
  });
  return {
    failed,
    watch: (work: Promise<void>) =>
      work.catch((error: unknown) => {
        if (error instanceof ConfigError) fail(error);
        throw error;
      }),
  };
}

interface Common {
  config: Config;
  database: Database;
  metrics: Metrics;
  tracing: Tracing | undefined;
  /** Undefined: the usual cost. */
  hashCost: HashCost | undefined;
  consoleFiles: URL | undefined;
  build: BuildInfo;
  clock: Clock;
  log: Logger;
}

interface OpeningNeeds extends Pick<Common, 'config' | 'metrics' | 'tracing' | 'clock' | 'log'> {
  /** Runs once the tables are there, before the database counts as ready. */
  prepare: () => Promise<void>;
}

function openDatabase({ config, metrics, tracing, clock, log, prepare }: OpeningNeeds): Database {
  const { databaseUrl: url, databasePoolSize: poolSize, migrateOnStart } = config;
  const options = { url, poolSize, ...authServerSchema, migrateOnStart, log, clock, prepare };
  return traceDatabase(openMeteredDatabase(metrics, options), tracing);
}

/** Makes each room from those before it. */
function joinRooms(common: Common) {
  const keys = createKeys(common);
  const usage = createUsage(common);
  const events = createEventsRoom({
    ...common,
    usage,
    findUsername: async (userId, context) => {
      const user = await organization.directory.findUserById(userId, context).catch(() => undefined);
      return user?.username;
    },
  });
  const outbound = createOutbound(common);
  const organization = createOrganization({
    ...{ ...common, keys, events },
    listLocalRefusals: () => upstreams.listLocalRefusals(),
  });
  const resources = createResources(common);
  const issuers = createIssuers({ ...common, outbound });
  const upstreams = createUpstreams({ ...common, keys, outbound });
  const clients = createClients({
    ...{ ...common, events, outbound, issuers },
    findByDocument: (url, context) => clientDocuments.findToAuthenticate(url, context),
  });
  const statusLists = createStatusListsRoom({ ...common, keys, clients });
  const codes = createCodes({ ...common, keys });
  const issuing = { ...common, keys, events, organization, resources, issuers, clients, statusLists, codes };
  const tokens = createTokens(issuing);
  const sessions = createSessions({ ...issuing, upstreams, tokens });
  const signIn = createSignIn({ ...issuing, upstreams, sessions });
  const administration = createAdministration({ ...issuing, upstreams, tokens, sessions });
  const consent = createConsent({ ...issuing, tokens, sessions, signIn });
  const device = createDevice({ ...issuing, tokens, sessions, signIn, consent });
  const registration = createRegistration({ ...issuing, administration });
  const clientDocuments = createClientDocumentsRoom({ ...issuing, outbound, registration });
  const introspection = createIntrospection({ ...issuing, tokens, consent });
  const grants = createGrants({ ...issuing, tokens, consent });
  const requestObjects = createRequestObjects({ ...common, clients, outbound });
  const authorization = createAuthorization({
    ...{ ...issuing, tokens, sessions, signIn, consent },
    ...{ requestObjects, clientDocuments },
  });
  const account = createAccount({ ...issuing, upstreams, tokens, sessions, signIn, consent, administration });
  const oversight = createOversight({
    ...{ ...issuing, tokens, consent, administration },
    ...{ device, grants, authorization, usage },
  });
  const consolePages = createConsole({ ...issuing, tokens });
  const discovery = createDiscovery(issuing);
  /** In the order in which the API is described. */
  const withRoutes = [
    ...[administration, oversight, registration, grants, introspection, tokens, authorization],
    ...[device, consent, account, signIn, sessions, keys, statusLists, consolePages, discovery],
  ];
  return {
    keys,
    usage,
    events,
    organization,
    resources,
    upstreams,
    clients,
    administration,
    account,
    registration,
    sessions,
    statusLists,
    consolePages,
    withRoutes,
  };
}

function startAllPurging({ database, metrics, clock, log }: Common) {
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
