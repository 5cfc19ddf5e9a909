import { randomBytes } from 'node:crypto';
import { createDpopNonces, createVerifyDpopProof } from '@gatehouse/dpop';
import { type Clock, type Logger, repeatByTimer, systemClock } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import { type Database, startPurging } from '@gatehouse/service-kit/database';
import { createCheckGuess, createGuessLimit, createKnownNetworks } from '@gatehouse/service-kit/guess-limit';
import { createJwtVerifier } from '@gatehouse/service-kit/jwt';
import {
  createAuditEventCounter,
  createMeteredSlowHash,
  createMetrics,
  createPurgeObserver,
  openMeteredDatabase,
  reportBuild,
} from '@gatehouse/service-kit/metrics';
import { type Observation, traceDatabase, traceHeadersOf, traceSlowHash } from '@gatehouse/service-kit/tracing';
import { createUsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import { serviceTokenAudience } from '@gatehouse/shared';
import { type Config, statusListsPath } from './config.ts';
import { createFactCounters } from './events/metrics.ts';
import { createAdministratorAuthentication } from './http/administrator.ts';
import { createBearerAuthentication } from './http/bearer-auth.ts';
import { createServiceAuthentication, serviceTokenRules } from './http/service-auth.ts';
import { followKeySet, followStatusLists } from './metrics/follow-fetches.ts';
import { organizationSchema } from './storage/typeorm/organization-database.ts';
import { createSharedKeyStore } from './storage/typeorm/shared-key-store.ts';
import { expiringTables } from './storage/typeorm/tables.ts';
import { createUserStore } from './storage/typeorm/user-store.ts';
import { accessTokenRules } from './tokens/access-token-verifier.ts';
import { createFetchKeySet, createKeySet, openConnections } from './tokens/key-set.ts';
import { createFetchStatusList, createStatusLists, statusListRules } from './tokens/status-list.ts';
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
  { build, tracing }: Observation = {},
) {
  const metrics = createMetrics();
  if (build !== undefined) reportBuild(metrics, build);
  const tell = createFactCounters(metrics);
  const slowHash = traceSlowHash(createMeteredSlowHash(metrics), tracing);
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
  const checkGuess = createCheckGuess({ guessLimit, knownNetworks, turns: usedIdentifiers, clock });
  const verifyPassword = createVerifyPassword({ users, slowHash, checkGuess, tell });

  const observers = { metrics, tracing, clock };
  const dispatcher = openConnections(config.jwksCa);
  const authServer = { traceHeaders: traceHeadersOf(tracing), dispatcher };
  const fetchKeySet = followKeySet(createFetchKeySet(config.jwksUrl, authServer), observers);
  const keySet = createKeySet({ fetchKeySet, clock });
  const { authUrl: issuer, baseUrl: audience } = config;
  const verifyAccessToken = createJwtVerifier({ keys: keySet, clock }, { ...accessTokenRules, issuer, audience });
  const statusLists = createStatusLists({
    fetchStatusList: followStatusLists(
      createFetchStatusList(issuer + statusListsPath, config.statusListsUrl, authServer),
      observers,
    ),
    verifyStatusList: createJwtVerifier({ keys: keySet, clock }, { ...statusListRules, issuer }),
    publicBase: issuer + statusListsPath,
    clock,
    repeat: repeatByTimer,
    log,
  });
  const nonces = createDpopNonces({ getKey: () => nonceKey, clock });
  const verifyDpopProof = createVerifyDpopProof({ nonces, usedIdentifiers, clock });
  const verifyServiceToken = createJwtVerifier(
    { keys: keySet, clock },
    { ...serviceTokenRules, issuer, audience: serviceTokenAudience(audience) },
  );

  const authenticateBearer = createBearerAuthentication({
    ...{ statusLists, verifyAccessToken, users, verifyDpopProof, nonces, tell },
    baseUrl: audience,
  });

  return {
    config,
    log,
    metrics,
    tracing,
    database,
    users,
    verifyPassword,
    userAdministration: createUserAdministration({ users, slowHash, verifyPassword, clock }),
    authenticateBearer,
    authenticateAdministrator: createAdministratorAuthentication({ authenticateBearer, audit }),
    audit,
    serviceAuthentication: createServiceAuthentication({ verifyServiceToken, usedIdentifiers, tell }),
    async close() {
      purging.stop();
      statusLists.stop();
      await dispatcher?.close();
      await audit.close();
      await database.close();
    },
  };
}
