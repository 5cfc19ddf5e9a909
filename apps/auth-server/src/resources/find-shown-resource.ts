import type { GrantedResource } from './granted-resource.ts';
import type { ShownResource } from './requested-access.ts';
import type { ResourceStore } from './resource-store.ts';

/** Finds a granted resource and its scopes as they are now. What is gone, or was made again, is left out. */
export type FindShownResource = (granted: GrantedResource) => Promise<ShownResource | undefined>;

export function createFindShownResource({
  resources,
}: {
  resources: Pick<ResourceStore, 'findByUri'>;
}): FindShownResource {
  return async (granted) => {
    const found = await resources.findByUri(granted.resource);
    if (found?.id !== granted.id) return undefined;
    const ids = new Set(granted.scopes.map(({ id }) => id));
    return { name: found.name, resource: found.resource, scopes: found.scopes.filter(({ id }) => ids.has(id)) };
  };
}
