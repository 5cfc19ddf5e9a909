import { type Clock, type HashCost, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createCheckGuess, createGuessLimit, createKnownNetworks } from '@gatehouse/service-kit/guess-limit';
import { createMeteredSlowHash, type Metrics } from '@gatehouse/service-kit/metrics';
import { createFillTerms, createTermStore, startFillingTerms } from '@gatehouse/service-kit/terms';
import { type Tracing, traceSlowHash } from '@gatehouse/service-kit/tracing';
import { createUsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Issuers } from '../issuers/room.ts';
import type { Outbound } from '../outbound/room.ts';
import { createClientAuthentication, type FindByDocument } from './authenticate-client.ts';
import { isBuiltIn, listBuiltInClients } from './built-in-clients.ts';
import { createChangedClientStore } from './changed-client-store.ts';
import { createChosenSecrets } from './chosen-secret.ts';
import { createFindAssertionFault } from './client-assertion.ts';
import { hasAnyLoopbackPort } from './client-demands.ts';
import { createNoteUse } from './client-lapse.ts';
import { createClientListStore } from './client-list-store.ts';
import { createClientLogoStore } from './client-logo-store.ts';
import { createClientOriginStore } from './client-origin-store.ts';
import { clientFromRow } from './client-row.ts';
import { createClientSecrets } from './client-secret.ts';
import { createClientStore } from './client-store.ts';
import type { ClientRow } from './client-table.ts';
import { termedClient } from './client-terms.ts';
import { clientTermTable } from './client-terms-table.ts';
import { createClientUseStore } from './client-use-store.ts';
import { createClientUses } from './client-uses.ts';
import { createFindFederatedFault } from './federated-assertion.ts';
import { createCountWithGrantTypes } from './grant-type-count-store.ts';
import { createLapsingClientStore } from './lapsing-client-store.ts';
import { createRegisteredOrigins } from './registered-origins.ts';
import { createRequestBudget } from './request-budget.ts';
import { createRequestBudgetStore } from './request-budget-store.ts';
import { createIsOfStranger } from './stranger.ts';
import { createUnusedClientStore } from './unused-client-store.ts';
import { createVerifyByClientKeys } from './verify-by-client-keys.ts';
import { createWindowBudget } from './window-budget.ts';

interface Needs {
  config: Pick<
    Config,
    | 'authUrl'
    | 'consoleUrl'
    | 'consoleRoles'
    | 'cliClient'
    | 'production'
    | 'refreshTokenIdleDays'
    | 'hashMemory'
    | 'grantTypesOff'
    | 'clientIdMetadataUrls'
  >;
  database: Database;
  events: Events;
  outbound: Outbound;
  issuers: Issuers;
  findByDocument: FindByDocument;
  metrics: Metrics;
  tracing: Tracing | undefined;
  hashCost: HashCost | undefined;
  clock: Clock;
  log: Logger;
}

export type Clients = ReturnType<typeof createClients>;

/** The registered clients, and how each proves who it is. */
export function createClients(needs: Needs) {
  const { config, database, events, outbound, issuers, metrics, tracing, hashCost, clock, log } = needs;
  const builtInClients = listBuiltInClients(config);
  const clients = createClientStore(database, builtInClients);
  const lapsing = createLapsingClientStore(database);
  const requestBudgets = createRequestBudgetStore(database);
  const usedIdentifiers = createUsedIdentifiers(database);
  const knownNetworks = createKnownNetworks({ database, clock });
  const guessLimit = createGuessLimit({ database, clock, knownNetworks, countsEverywhere: false });
  const checkGuess = createCheckGuess({ guessLimit, knownNetworks });
  const slowHash = traceSlowHash(
    createMeteredSlowHash(metrics, { concurrency: 1, memory: config.hashMemory, ...(hashCost && { cost: hashCost }) }),
    tracing,
  );
  const clientSecrets = createClientSecrets({ slowHash, clients, clock });
  const isOfStranger = createIsOfStranger(config);
  const verifyByClientKeys = createVerifyByClientKeys({ ...outbound, isOfStranger });
  const findAssertionFault = createFindAssertionFault({
    verifyByClientKeys,
    usedIdentifiers,
    issuer: config.authUrl,
    clock,
  });
  const findFederatedFault = createFindFederatedFault({ ...issuers, issuer: config.authUrl, clock });
  const { tell } = events;
  const budget = { requestBudgets, isOfStranger, clock };
  const clientUseStore = createClientUseStore(database);
  const clientUses = createClientUses({ store: clientUseStore, clock, repeat: repeatByTimer, log });
  const fillTerms = createFillTerms<ClientRow>({
    ...{ database, table: clientTermTable, terms: createTermStore(database, clientTermTable), clock },
    read: (row) => termedClient(clientFromRow(row)),
  });
  let stopFilling: (() => Promise<void>) | undefined;
  return {
    /** Begins to fill the terms of clients that have none. */
    start(): void {
      stopFilling = startFillingTerms(fillTerms, { repeat: repeatByTimer, log });
    },
    /** Warns of each built-in client whose name is that of a registered one, which then works in its place. */
    async warnOfNamesakes(): Promise<void> {
      for (const { clientId } of builtInClients) {
        const found = await clients.find(clientId);
        if (found === undefined || isBuiltIn(found)) continue;
        log.warn(
          { clientId },
          'a client is registered under the name of a built-in one, which is off until it is deleted',
        );
      }
    },
    /** Says how many clients are registered for grant types that are switched off. */
    async tellGrantTypesOff(): Promise<void> {
      const { grantTypesOff } = config;
      if (grantTypesOff.length === 0) return;
      const { total, isExact } = await createCountWithGrantTypes(database)(grantTypesOff);
      const count = isExact ? total : `at least ${total}`;
      const names = grantTypesOff.join(', ');
      log.info(`GRANT_TYPES_OFF switches off ${names}; clients that are registered for one of these: ${count}`);
    },
    /** Says since when uses of clients are noted. */
    beginUses: () => clientUseStore.begin(clock()),
    close: () => stopFilling?.(),
    clients,
    clientLists: createClientListStore(database),
    lapsing,
    unusedClients: createUnusedClientStore(database),
    noteUse: createNoteUse({ lapsing, refreshTokenIdleDays: config.refreshTokenIdleDays, clock }),
    clientLogos: createClientLogoStore(database),
    usedIdentifiers,
    verifyByClientKeys,
    clientSecrets,
    clientUses,
    clientUseStore,
    checkGuess,
    chosenSecrets: createChosenSecrets({ production: config.production, log }),
    ...createClientAuthentication({
      clients,
      clientSecrets,
      clientUses,
      guessLimit,
      checkGuess,
      findAssertionFault,
      assertionBudget: createRequestBudget({ ...budget, limit: 300, kind: ' assertion' }),
      findFederatedFault,
      namesIssuer: issuers.namesIssuer,
      findByDocument: needs.findByDocument,
      tell,
    }),
    requestBudgets,
    /** For pushed requests, and for the proofs that are sent with them and to the token endpoint. */
    requestBudget: createRequestBudget({ ...budget, limit: 300, kind: '' }),
    /** For request objects that are read at an address of the client: 60 a minute. */
    requestUriBudget: createWindowBudget({ requestBudgets, limit: 60, windowLength: 60_000, clock }),
    /** For device codes. */
    deviceBudget: createRequestBudget({ ...budget, limit: 30, kind: ' device' }),
    /** For signed requests that are too long for a URL. */
    longRequestBudget: createRequestBudget({ ...budget, limit: 60, kind: ' long', boundsEveryClient: true }),
    isOfStranger,
    registeredOrigins: createRegisteredOrigins({
      changedClients: createChangedClientStore(database),
      clientOrigins: createClientOriginStore(database),
      clients,
      // Of the command-line tool there are no pages.
      builtInClients: builtInClients.filter((client) => !hasAnyLoopbackPort(client)),
      clock,
      log,
    }),
  };
}
