import { isSameResource } from '../protocol/resource-uri.ts';
import { type GrantedResource, orgApiId } from './granted-resource.ts';
import { createTargetOrgApi, type TargetDependencies } from './org-api.ts';
import { invalidTarget, listResourcesOf } from './requested-resource.ts';
import type { ResourceStore } from './resource-store.ts';
import { buildTarget, isOpenTo, type Requester, type TokenTarget } from './token-target.ts';

/** The access that a grant holds. `resources` is undefined for org-api alone. */
export interface GrantedAccess {
  scope: readonly string[];
  resources: readonly GrantedResource[] | undefined;
}

interface Dependencies extends TargetDependencies {
  resources: Pick<ResourceStore, 'findByUri'>;
}

/** Chooses of what was granted: `asked`, or the default, or the first that still exists. Throws `invalid_target`. */
export function createChooseOfGrant(deps: Dependencies) {
  const { orgApi, resources } = deps;
  const targetOrgApi = createTargetOrgApi(deps);
  const isOf = (uri: string) => (one: GrantedResource) =>
    one.id === orgApiId ? orgApi.is(uri) : isSameResource(one.resource, uri);
  /** A resource that the client was since denied counts as gone. */
  const listUsable = (client: Requester, granted: readonly GrantedResource[]): GrantedResource[] => {
    const allowed = listResourcesOf(client, orgApi.uri);
    return granted.filter((one) => allowed.some((uri) => isOf(uri)(one)));
  };
  /** Undefined where the resource is gone, was made again, or is closed to the client. */
  const findTarget = async (client: Requester, scope: readonly string[], one: GrantedResource) => {
    if (one.id === orgApiId) return targetOrgApi(client, scope);
    const found = await resources.findByUri(one.resource);
    if (found?.id !== one.id || !isOpenTo(client, found)) return undefined;
    const granted = new Set(one.scopes.map(({ id }) => id));
    const names = found.scopes.filter(({ id }) => granted.has(id)).map(({ name }) => name);
    const own = names.filter((name) => scope.includes(name) && client.scope.includes(name));
    return buildTarget(client, found.resource, own, found);
  };
  const chooseOfSeveral = async (
    client: Requester,
    scope: readonly string[],
    granted: readonly GrantedResource[],
    asked: string | undefined,
  ): Promise<TokenTarget> => {
    const usable = listUsable(client, granted);
    const isDefault = isOf(client.metadata.default_resource ?? orgApi.uri);
    const inOrder = [...usable.filter(isDefault), ...usable.filter((one) => !isDefault(one))];
    for (const one of asked === undefined ? inOrder : usable.filter(isOf(asked))) {
      const target = await findTarget(client, scope, one);
      if (target !== undefined) return target;
    }
    throw invalidTarget(asked === undefined ? [] : usable.map(({ resource }) => resource));
  };

  /** Undefined where the client may have a token for org-api. */
  const findFault = (client: Requester, asked: string | undefined) => {
    if (asked !== undefined && !orgApi.is(asked)) return invalidTarget([orgApi.uri]);
    return client.metadata.resources?.some(orgApi.is) === false ? invalidTarget([]) : undefined;
  };

  return (
    client: Requester,
    { scope, resources: granted }: GrantedAccess,
    asked: string | undefined,
  ): Promise<TokenTarget> => {
    if (granted !== undefined) return chooseOfSeveral(client, scope, granted, asked);
    const fault = findFault(client, asked);
    return fault === undefined ? targetOrgApi(client, scope) : Promise.reject(fault);
  };
}
