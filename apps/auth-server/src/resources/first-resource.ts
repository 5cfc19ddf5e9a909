import { type Clock, ConfigError, createId } from '@gatehouse/service-kit';
import type { OrgApi } from './org-api.ts';
import type { ResourceStore } from './resource-store.ts';
import type { ScopeNameStore } from './scope-name-store.ts';

interface Dependencies {
  resources: ResourceStore;
  scopeNames: ScopeNameStore;
  orgApi: OrgApi;
  clock: Clock;
}

/**
 * Registers org-api where it is not registered yet; several replicas may do so at once. Throws a ConfigError where
 * `EXTRA_SCOPES` holds a scope of another resource.
 */
export async function registerOrgApi({ resources, scopeNames, orgApi, clock }: Dependencies): Promise<void> {
  await checkExtraScopes({ resources, scopeNames, orgApi });
  if ((await resources.findByUri(orgApi.uri)) !== undefined) return;
  const now = clock();
  // Where another replica was faster, its row stays.
  await resources.insert({
    id: createId(),
    resource: orgApi.uri,
    name: 'Organization API',
    scopes: [],
    accessTokenValidity: undefined,
    dynamicClients: false,
    createdAt: now,
    updatedAt: now,
  });
}

async function checkExtraScopes({ resources, scopeNames, orgApi }: Omit<Dependencies, 'clock'>): Promise<void> {
  for (const { id, name, resourceId } of await scopeNames.find(orgApi.scopes)) {
    const holder = await resources.find(resourceId);
    if (holder === undefined || orgApi.is(holder.resource) || !holder.scopes.some((scope) => scope.id === id)) continue;
    throw new ConfigError(
      `EXTRA_SCOPES must not hold ${name}, a scope of the resource ${holder.resource}; rename one of the two`,
    );
  }
}
