import type { DeviceCode } from '../codes/device-code.ts';
import type { ShownAccess } from '../consent/access-list.ts';
import { listOrgApiScopes } from '../consent/consented-resources.ts';
import { orgApiId } from '../resources/granted-resource.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { FindShownResource, ShownResource } from '../resources/requested-access.ts';
import type { ResourceStore } from '../resources/resource-store.ts';

/** Finds what a device asks for as its page shows it: every resource by name, org-api too. */
export type FindShownAccess = (code: Pick<DeviceCode, 'scope' | 'resources'>) => Promise<ShownAccess>;

interface Dependencies {
  orgApi: OrgApi;
  resources: Pick<ResourceStore, 'findByUri'>;
  findShownResource: FindShownResource;
}

export function createFindShownAccess({ orgApi, resources, findShownResource }: Dependencies): FindShownAccess {
  const findOrgApi = async (scope: readonly string[]): Promise<ShownResource> => {
    const found = await resources.findByUri(orgApi.uri);
    return {
      name: found?.name ?? orgApi.uri,
      names: found?.names,
      resource: orgApi.uri,
      scopes: scope.map((name) => ({ id: name, name, description: '' })),
    };
  };
  return async (code) => {
    const ofOrgApi = listOrgApiScopes(code);
    const others = (code.resources ?? []).filter(({ id }) => id !== orgApiId);
    const found = await Promise.all(others.map(findShownResource));
    const shown = found.filter((one) => one !== undefined);
    // Scopes about a person are also granted where org-api is not asked for.
    const isForOrgApi = others.length < (code.resources?.length ?? 1);
    if (!isForOrgApi) return { scope: ofOrgApi, claims: [], resources: shown };
    return { scope: [], claims: [], resources: [await findOrgApi(ofOrgApi), ...shown] };
  };
}
