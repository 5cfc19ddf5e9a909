import { randomBytes } from 'node:crypto';
import { createDpopNonces, createVerifyDpopProof } from '@gatehouse/dpop';
import {
  type Clock,
  createGuessLimit,
  createMetrics,
  createSlowHash,
  createUsedIdentifiers,
  type Database,
  type Logger,
  openDatabase,
  startPurging,
  systemClock,
} from '@gatehouse/service-kit';
import { serviceTokenAudience } from '@gatehouse/shared';
import { type Config, statusListsPath } from './config.ts';
import { createBearerAuthentication } from './http/bearer-auth.ts';
import { createServiceAuthentication, serviceTokenRules } from './http/service-auth.ts';
import { organizationSchema } from './storage/typeorm/organization-database.ts';
import { createSharedKeyStore } from './storage/typeorm/shared-key-store.ts';
import { expiringTables } from './storage/typeorm/tables.ts';
import { createUserStore } from './storage/typeorm/user-store.ts';
import { accessTokenRules, createAccessTokenVerifier } from './tokens/access-token-verifier.ts';
import { createJwtVerifier } from './tokens/jwt-verifier.ts';
import { createFetchKeySet, createKeySet } from './tokens/key-set.ts';
import { createFetchStatusList, createStatusLists, statusListRules } from './tokens/status-list.ts';
import { createUserAdministration } from './users/administer-users.ts';
import { createFirstUsers } from './users/first-users.ts';
import type { UserStore } from './users/user-store.ts';
import { createVerifyPassword } from './users/verify-password.ts';

export type Dependencies = ReturnType<typeof createDependencies>;

/** The composition root: the only place that picks implementations. */
export function createDependencies(config: Config, log: Logger, clock: Clock = systemClock) {
  const slowHash = createSlowHash();
  // Read from the database before this service counts as ready.
  let nonceKey: Buffer = randomBytes(32);
  const database: Database = openDatabase({
    url: config.databaseUrl,
    ...organizationSchema,
    migrateOnStart: config.migrateOnStart,
    log,
    async prepare() {
      nonceKey = await createSharedKeyStore(database).getOrMake('dpop nonce');
      await createFirstUsers({ ...config, users, slowHash, clock, log });
    },
  });
  const users: UserStore = createUserStore(database);
  const purging = startPurging({ database, tables: expiringTables, clock, log });
  const verifyPassword = createVerifyPassword({ users, slowHash, guessLimit: createGuessLimit({ database, clock }) });

  const keySet = createKeySet({ fetchKeySet: createFetchKeySet(config.jwksUrl), clock });
  const { authUrl: issuer, baseUrl: audience } = config;
  const verifyAccessToken = createAccessTokenVerifier(
    createJwtVerifier({ keySet, clock }, { ...accessTokenRules, issuer, audience }),
  );
  const statusLists = createStatusLists({
    fetchStatusList: createFetchStatusList(issuer + statusListsPath, config.statusListsUrl),
    verifyStatusList: createJwtVerifier({ keySet, clock }, { ...statusListRules, issuer }),
    publicBase: issuer + statusListsPath,
    clock,
    log,
  });
  const nonces = createDpopNonces({ getKey: () => nonceKey, clock });
  const verifyDpopProof = createVerifyDpopProof({ nonces, usedIdentifiers: createUsedIdentifiers(database), clock });
  const verifyServiceToken = createJwtVerifier(
    { keySet, clock },
    { ...serviceTokenRules, issuer, audience: serviceTokenAudience(audience) },
  );

  return {
    config,
    log,
    metrics: createMetrics(),
    database,
    users,
    verifyPassword,
    userAdministration: createUserAdministration({ users, slowHash, verifyPassword, clock }),
    authenticateBearer: createBearerAuthentication({
      statusLists,
      verifyAccessToken,
      users,
      verifyDpopProof,
      nonces,
      baseUrl: audience,
    }),
    checkService: createServiceAuthentication({ verifyServiceToken }),
    async close() {
      purging.stop();
      statusLists.stop();
      await database.close();
    },
  };
}
