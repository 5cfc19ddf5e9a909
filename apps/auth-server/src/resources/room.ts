import type { Clock, Logger } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Config } from '../config.ts';
import { createOrgApi, createOrgApiLimits, registerOrgApi } from './org-api.ts';
import { createChooseRequestedAccess, createFindLimits, createFindShownResource } from './requested-access.ts';
import { createResourceStore } from './resource-store.ts';
import { createScopeNameStore } from './scope-name-store.ts';
import { createListTakenNames, createTakeScopeNames } from './take-scope-names.ts';
import { createLimitToGrant, createTokenTargets } from './token-targets.ts';

interface Needs {
  config: Pick<Config, 'baseUrl' | 'extraScopes'>;
  database: Database;
  clock: Clock;
  log: Logger;
}

export type Resources = ReturnType<typeof createResources>;

/** The APIs that access tokens can be meant for (RFC 8707), with their scopes. */
export function createResources({ config, database, clock, log }: Needs) {
  const resources = createResourceStore(database);
  const scopeNames = createScopeNameStore(database);
  const orgApi = createOrgApi(config);
  const orgApiLimits = createOrgApiLimits({ resources, uri: orgApi.uri });
  return {
    resources,
    scopeNames,
    orgApi,
    orgApiLimits,
    takeScopeNames: createTakeScopeNames({ resources, scopeNames, clock }),
    listTakenNames: createListTakenNames({ resources, scopeNames, clock }),
    chooseRequestedAccess: createChooseRequestedAccess({ orgApi, resources }),
    findLimits: createFindLimits({ orgApiLimits, resources }),
    findShownResource: createFindShownResource({ resources }),
    tokenTargets: createTokenTargets({ orgApi, resources, orgApiLimits }),
    limitToGrant: createLimitToGrant({ orgApi }),
    /** Runs once the tables are there, before requests are served. */
    registerOrgApi: () => registerOrgApi({ resources, scopeNames, orgApi, clock, log }),
  };
}
