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
  statusListRules,
} from '@gatehouse/resource-server/parts';
import { type Clock, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import { type Tracing, traceHeadersOf } from '@gatehouse/service-kit/tracing';
import type { UsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import { ProblemError, serviceTokenAudience } from '@gatehouse/shared';
import { type Config, statusListsPath } from '../config.ts';
import type { Events } from '../events/room.ts';
import { createSharedKeyStore } from '../users/shared-key-store.ts';
import type { UserStore } from '../users/user-store.ts';
import { accessTokenRules } from './access-token.ts';
import { createAskLocalRefusals } from './ask-local-refusals.ts';
import { createAdministratorAuthentication } from './authenticate-administrator-endpoint.ts';
import { createBearerAuthentication } from './authenticate-bearer-endpoint.ts';
import { createServiceAuthentication, serviceTokenRules } from './authenticate-service-endpoint.ts';
import { createDemandAdministrationLevel, createDemandFreshSignIn, createDemandLevel } from './demand-level.ts';
import { followKeySet, followStatusLists } from './follow-fetches.ts';
import { createAskAuthServer, openConnections } from './http-auth-server.ts';
import { buildOwnMetadata } from './own-metadata.ts';

interface Needs {
  config: Config;
  database: Database;
  metrics: Metrics;
  tracing: Tracing | undefined;
  users: UserStore;
  usedIdentifiers: UsedIdentifiers;
  events: Events;
  clock: Clock;
  log: Logger;
}

export type Callers = ReturnType<typeof createCallers>;

/** Checks access tokens and service tokens by the keys and the status lists of auth-server. */
export function createCallers(needs: Needs) {
  const { config, database, users, usedIdentifiers, events, clock } = needs;
  const { tell, audit } = events;
  // The key is read from the database before this service counts as ready.
  let nonceKey: Buffer = randomBytes(32);
  const { authUrl: issuer, baseUrl: audience } = config;
  const dispatcher = openConnections(config.jwksCa);
  const { keys, statusLists, fetch } = followAuthServer(needs, dispatcher);
  const nonces = createDpopNonces({ getKey: () => nonceKey, clock });
  const { url: metadataUrl } = buildOwnMetadata(config);
  const checkRequest = createCheckRequest({
    verifyToken: createJwtVerifier({ keys, clock }, { ...accessTokenRules, issuer, audience }),
    verifyDpopProof: createVerifyDpopProof({ nonces, usedIdentifiers, clock }),
    refusals: createRefusals({ resourceMetadata: metadataUrl }),
    baseUrl: audience,
    ...{ statusLists, nonces, clock },
  });
  const verifyServiceToken = createJwtVerifier(
    { keys, clock },
    { ...serviceTokenRules, issuer, audience: serviceTokenAudience(audience) },
  );
  const authenticateBearer = createBearerAuthentication({ checkRequest, users, tell, metadataUrl });
  const demandLevel = createDemandLevel({ metadataUrl, clock });
  const demandAdministrationLevel = createDemandAdministrationLevel(demandLevel, config.administrationAcr);
  return {
    authenticateBearer,
    demandLevel,
    demandAdministrationLevel,
    demandFreshSignIn: createDemandFreshSignIn(demandLevel, config.administrationAcr),
    ...createAdministratorAuthentication({ authenticateBearer, demandAdministrationLevel, audit }),
    serviceAuthentication: createServiceAuthentication({ verifyServiceToken, usedIdentifiers, tell }),
    askLocalRefusals: createAskLocalRefusals({ url: config.localRefusalsUrl, fetch, log: needs.log }),
    async loadNonceKey() {
      nonceKey = await createSharedKeyStore(database).getOrMake('dpop nonce');
    },
    async close() {
      statusLists.stop();
      await dispatcher?.close();
    },
  };
}

/** The publications of auth-server: its keys, and which tokens it revoked. */
function followAuthServer(
  { config, metrics, tracing, clock, log }: Needs,
  dispatcher: ReturnType<typeof openConnections>,
) {
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
  return { keys, statusLists, fetch };
}
