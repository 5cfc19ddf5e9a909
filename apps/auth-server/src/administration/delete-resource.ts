import { ProblemError } from '@gatehouse/shared';
import type { Resource } from '../resources/resource.ts';
import type { GetResource, ResourceDependencies } from './manageable-resources.ts';

/** The most clients that the answer names. */
const mostNamed = 10;

/**
 * Deletes a resource and gives what it was. Throws 404, and 409 for org-api and for the default resource of a client.
 * From then on no token is issued for it; tokens that were issued live at most their lifetime.
 */
export function createDeleteResource(deps: ResourceDependencies, get: GetResource) {
  const { resources, scopeNames, orgApi } = deps;
  return async (id: string): Promise<Resource> => {
    const resource = await get(id);
    if (orgApi.is(resource.resource)) throw new ProblemError(409, 'the organization API cannot be deleted');
    if (!(await resources.deleteUnlessDefault(resource.id))) await refuse(deps, get, resource);
    await scopeNames.giveBackAllOf(resource.id);
    return resource;
  };
}

async function refuse({ clients }: ResourceDependencies, get: GetResource, resource: Resource): Promise<never> {
  await get(resource.id);
  const found = await clients.listByDefaultResource(resource.resource, mostNamed + 1);
  const named = found.slice(0, mostNamed).join(', ');
  const more = found.length > mostNamed ? ' and more' : '';
  throw new ProblemError(
    409,
    found.length === 0
      ? 'a client with this default_resource was just changed; repeat the request'
      : `the resource is the default_resource of the clients ${named}${more}; change them first`,
  );
}
