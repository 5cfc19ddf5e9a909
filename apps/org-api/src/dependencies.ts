import { randomBytes } from 'node:crypto';
import {
  createCheckRequest,
  createDpopNonces,
  createFetchKeySet,
  createFetchStatusList,
  createJwtVerifier,
  createKeySet,
  createRefusals,
  createStatusLists,
  createVerifyDpopProof,
  pause,
  type StatusLists,
  statusListRules,
  type VerificationKeys,
} from '@gatehouse/resource-server/parts';
import { type Clock, type HashCost, type Logger, repeatByTimer, systemClock } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import { type Database, startPurging } from '@gatehouse/service-kit/database';
import {
  createCheckGuess,
  createDrawnTurns,
  createGuessLimit,
  createKnownNetworks,
} from '@gatehouse/service-kit/guess-limit';
import {
  createAuditEventCounter,
  createMeteredSlowHash,
  createMetrics,
  createPurgeObserver,
  type Metrics,
  openMeteredDatabase,
  reportBuild,
} from '@gatehouse/service-kit/metrics';
import {
  type Observation,
  type Tracing,
  traceDatabase,
  traceHeadersOf,
  traceSlowHash,
} from '@gatehouse/service-kit/tracing';
import { createUsedIdentifiers, type UsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import { ProblemError, serviceTokenAudience } from '@gatehouse/shared';
import { type Config, statusListsPath } from './config.ts';
import type { Tell } from './events/event.ts';
import { createFactCounters } from './events/metrics.ts';
import { createAdministratorAuthentication } from './http/administrator.ts';
import { createBearerAuthentication } from './http/bearer-auth.ts';
import { buildOwnMetadata } from './http/own-metadata.ts';
import { createServiceAuthentication, serviceTokenRules } from './http/service-auth.ts';
import { followKeySet, followStatusLists } from './metrics/follow-fetches.ts';
import { organizationSchema } from './storage/typeorm/organization-database.ts';
import { createSharedKeyStore } from './storage/typeorm/shared-key-store.ts';
import { expiringTables } from './storage/typeorm/tables.ts';
import { createUserStore } from './storage/typeorm/user-store.ts';
import { accessTokenRules } from './tokens/access-token.ts';
import { createAskAuthServer, openConnections } from './tokens/ask-auth-server.ts';
import { createUserAdministration } from './users/administer-users.ts';
import { createFirstUsers } from './users/first-users.ts';
import type { UserStore } from './users/user-store.ts';
import { createVerifyPassword } from './users/verify-password.ts';

export type Dependencies = ReturnType<typeof createDependencies>;

/** The composition root: the only place that picks implementations. */
export function createDependencies(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  { build, tracing, hashCost }: Observation & { hashCost?: HashCost } = {},
) {
  const metrics = createMetrics();
  if (build !== undefined) reportBuild(metrics, build);
  const tell = createFactCounters(metrics);
  const slowHash = traceSlowHash(createMeteredSlowHash(metrics, hashCost && { cost: hashCost }), tracing);
  // The key is read from the database before this service counts as ready.
  let nonceKey: Buffer = randomBytes(32);
  const ownDatabase = openMeteredDatabase(metrics, {
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    ...organizationSchema,
    migrateOnStart: config.migrateOnStart,
    log,
    async prepare() {
      nonceKey = await createSharedKeyStore(database).getOrMake('dpop nonce');
      await createFirstUsers({ ...config, users, slowHash, clock, audit, log });
    },
  });
  const database: Database = traceDatabase(ownDatabase, tracing);
  const users: UserStore = createUserStore(database);
  const count = createAuditEventCounter(metrics);
  const audit = createAuditTrail({
    service: 'org-api',
    database,
    retentionDays: config.auditRetentionDays,
    clock,
    log,
    count,
  });
  const purgeObserver = createPurgeObserver(metrics, expiringTables, clock);
  const purging = startPurging({ database, tables: expiringTables, clock, log, observer: purgeObserver });
  const usedIdentifiers = createUsedIdentifiers(database);
  const knownNetworks = createKnownNetworks({ database, clock });
  const guessLimit = createGuessLimit({ database, clock, knownNetworks });
  const drawnTurns = createDrawnTurns({ turns: usedIdentifiers, clock });
  const checkGuess = createCheckGuess({ guessLimit, knownNetworks, drawnTurns });
  const verifyPassword = createVerifyPassword({ users, slowHash, checkGuess, tell });
  const tokenChecks = createTokenChecks({
    ...{ config, metrics, tracing, users, usedIdentifiers, tell, clock, log },
    getNonceKey: () => nonceKey,
  });
  const { authenticateBearer, serviceAuthentication } = tokenChecks;

  return {
    config,
    log,
    metrics,
    tracing,
    database,
    /** Of the package; none where no package runs. */
    version: build?.version ?? 'development',
    users,
    verifyPassword,
    userAdministration: createUserAdministration({ users, slowHash, verifyPassword, clock }),
    authenticateBearer,
    authenticateAdministrator: createAdministratorAuthentication({ authenticateBearer, audit }),
    audit,
    serviceAuthentication,
    async close() {
      purging.stop();
      await tokenChecks.close();
      await audit.close();
      await database.close();
    },
  };
}

interface TokenNeeds {
  config: Config;
  metrics: Metrics;
  tracing: Tracing | undefined;
  users: UserStore;
  usedIdentifiers: UsedIdentifiers;
  getNonceKey: () => Buffer;
  tell: Tell;
  clock: Clock;
  log: Logger;
}

/** Checks access tokens and service tokens by the keys and the status lists of auth-server. */
function createTokenChecks(needs: TokenNeeds) {
  const { config, users, usedIdentifiers, getNonceKey, tell, clock } = needs;
  const { authUrl: issuer, baseUrl: audience } = config;
  const dispatcher = openConnections(config.jwksCa);
  const { keys, statusLists } = followAuthServer(needs, dispatcher);
  const nonces = createDpopNonces({ getKey: getNonceKey, clock });
  const { url: metadataUrl } = buildOwnMetadata(config);
  const checkRequest = createCheckRequest({
    verifyToken: createJwtVerifier({ keys, clock }, { ...accessTokenRules, issuer, audience }),
    verifyDpopProof: createVerifyDpopProof({ nonces, usedIdentifiers, clock }),
    refusals: createRefusals({ resourceMetadata: metadataUrl }),
    baseUrl: audience,
    ...{ statusLists, nonces },
  });
  const verifyServiceToken = createJwtVerifier(
    { keys, clock },
    { ...serviceTokenRules, issuer, audience: serviceTokenAudience(audience) },
  );
  return {
    authenticateBearer: createBearerAuthentication({ checkRequest, users, tell, metadataUrl }),
    serviceAuthentication: createServiceAuthentication({ verifyServiceToken, usedIdentifiers, tell }),
    async close() {
      statusLists.stop();
      await dispatcher?.close();
    },
  };
}

/** What auth-server publishes: its keys, and which tokens it revoked. */
function followAuthServer(
  { config, metrics, tracing, clock, log }: TokenNeeds,
  dispatcher: ReturnType<typeof openConnections>,
): { keys: VerificationKeys; statusLists: StatusLists } {
  const observers = { metrics, tracing, clock };
  const { authUrl: issuer, statusListsUrl: base } = config;
  const publicBase = issuer + statusListsPath;
  const fetch = createAskAuthServer({ traceHeaders: traceHeadersOf(tracing), dispatcher, publicBase, base });
  const keys = createKeySet({
    fetchKeySet: followKeySet(createFetchKeySet(config.jwksUrl, fetch), observers),
    clock,
    buildUnavailable: () =>
      new ProblemError(503, 'the keys that verify access tokens are out of reach; try again', { retryAfter: 5 }),
  });
  const statusLists = createStatusLists({
    fetchStatusList: followStatusLists(createFetchStatusList(fetch), observers),
    verifyStatusList: createJwtVerifier({ keys, clock }, { ...statusListRules, issuer }),
    isTrusted: (uri) => uri.startsWith(publicBase),
    // ADR 9: this service goes on without auth-server.
    unavailable: 'accept',
    maxAge: 60,
    ...{ clock, repeat: repeatByTimer, pause },
    onFailure: (error, uri) => log.debug({ err: error, uri }, 'a status list could not be read'),
  });
  return { keys, statusLists };
}
