import type { Clock } from '@gatehouse/service-kit';
import { ProblemError } from '@gatehouse/shared';
import type { ClientStore } from '../clients/client-store.ts';
import type { OrgApi, OrgApiValidities } from '../resources/org-api.ts';
import type { Resource } from '../resources/resource.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import type { ScopeNameStore } from '../resources/scope-name-store.ts';
import type { TakeScopeNames } from '../resources/take-scope-names.ts';

/** What the administration of resources is made of. */
export interface ResourceDependencies {
  resources: ResourceStore;
  scopeNames: ScopeNameStore;
  takeScopeNames: TakeScopeNames;
  orgApi: OrgApi;
  orgApiValidities: Pick<OrgApiValidities, 'forget'>;
  clients: Pick<ClientStore, 'listByDefaultResource'>;
  clock: Clock;
}

/** Gives a registered resource; throws 404. */
export type GetResource = (id: string) => Promise<Resource>;

export function createGetResource({ resources }: ResourceDependencies): GetResource {
  return async (id) => {
    const found = await resources.find(id);
    if (found === undefined) throw new ProblemError(404, 'no resource has this id');
    return found;
  };
}
