import { isSameResource } from '../protocol/resource-uri.ts';
import { chooseScope } from '../protocol/scope.ts';
import { type GrantedResource, orgApiId } from './granted-resource.ts';
import type { OrgApi, OrgApiLimits } from './org-api.ts';
import { invalidTarget, listResourcesOf } from './requested-resource.ts';
import type { Resource, ResourceScope, TokenLimits } from './resource.ts';
import type { ResourceStore } from './resource-store.ts';
import type { TaggedTexts } from './tagged-texts.ts';
import { isOpenTo, type Requester } from './token-target.ts';

/** The access that an authorization request asks for. */
export interface RequestedAccess {
  scope: string[];
  /** Undefined where org-api alone is asked for. */
  resources: GrantedResource[] | undefined;
  /** The resources other than org-api with the scopes of them that are asked for, for the consent page. */
  shown: ShownResource[];
}

/** A resource as users see it. */
export interface ShownResource {
  name: string;
  names?: TaggedTexts | undefined;
  resource: string;
  scopes: readonly ResourceScope[];
}

/** The values of `resource` and of `scope` in a request. */
interface Asked {
  resources: readonly string[];
  scope: string | undefined;
}

/**
 * Chooses what a request asks for, of what the client may request (RFC 8707 2.1). Throws `invalid_target` for a resource
 * that is not the client's or is gone, and `invalid_scope` for a scope of a resource that is not asked for.
 */
export type ChooseRequestedAccess = (client: Requester, asked: Asked) => Promise<RequestedAccess>;

interface Dependencies {
  orgApi: OrgApi;
  resources: Pick<ResourceStore, 'findByUri'>;
}

export function createChooseRequestedAccess(deps: Dependencies): ChooseRequestedAccess {
  const { orgApi } = deps;
  const { getAll, getDefault } = createLookups(deps);
  /** Almost every request is for org-api alone, and needs no look-up. */
  const chooseOrgApi = (client: Requester, asked: string | undefined): RequestedAccess => {
    const scope = chooseScope(asked, client.scope.filter(orgApi.hasScope));
    return { scope, shown: [], resources: undefined };
  };

  return async (client, asked) => {
    if (client.metadata.resources === undefined && asked.resources.length === 0)
      return chooseOrgApi(client, asked.scope);
    const allowed = listResourcesOf(client, orgApi.uri);
    const all =
      asked.resources.length === 0
        ? [await getDefault(client, allowed)]
        : await getAll(client, asked.resources, allowed);
    const others = all.filter((one): one is Resource => !isOrgApi(one));
    const own = new Set(others.flatMap(({ scopes }) => scopes.map(({ name }) => name)));
    const withOrgApi = others.length < all.length;
    const mayRequest = (name: string) =>
      own.has(name) || (withOrgApi ? orgApi.hasScope(name) : orgApi.isPersonal(name));
    const registered = client.scope.filter(mayRequest);
    const scope = chooseScope(asked.scope, registered);
    const shown = others.map((one) => buildShown(one, ({ name }) => scope.includes(name)));
    return { scope, shown, resources: others.length === 0 ? undefined : all.map((one) => buildGranted(one, scope)) };
  };
}

/** Each throws `invalid_target` where a resource is gone, or not open to the client. */
function createLookups({ orgApi, resources }: Dependencies) {
  const getAll = async (
    client: Requester,
    asked: readonly string[],
    allowed: readonly string[],
  ): Promise<(Resource | OrgApi)[]> => {
    const uris = new Set(asked.map((uri) => allowed.find((one) => isSameResource(one, uri))));
    if (uris.has(undefined)) throw invalidTarget(allowed);
    const found = await Promise.all([...uris].map((uri) => find(client, uri as string)));
    return found.map((one) => {
      if (one === undefined) throw invalidTarget(allowed);
      return one;
    });
  };
  const find = async (client: Requester, uri: string): Promise<Resource | OrgApi | undefined> => {
    if (orgApi.is(uri)) return orgApi;
    const found = await resources.findByUri(uri);
    return found !== undefined && isOpenTo(client, found) ? found : undefined;
  };
  /** The default, or the next that exists. */
  const getDefault = async (client: Requester, allowed: readonly string[]): Promise<Resource | OrgApi> => {
    for (const uri of allowed) {
      const found = await find(client, uri);
      if (found !== undefined) return found;
    }
    throw invalidTarget([]);
  };
  return { getAll, getDefault };
}

function isOrgApi(one: Resource | OrgApi): one is OrgApi {
  return 'uri' in one;
}

function buildGranted(one: Resource | OrgApi, scope: readonly string[]): GrantedResource {
  if (isOrgApi(one)) return { id: orgApiId, resource: one.uri, scopes: [] };
  const granted = one.scopes.filter(({ name }) => scope.includes(name));
  return { id: one.id, resource: one.resource, scopes: granted.map(({ id, name }) => ({ id, name })) };
}

function buildShown(
  { name, names, resource, scopes }: Resource,
  isMeant: (scope: ResourceScope) => boolean,
): ShownResource {
  return { name, names, resource, scopes: scopes.filter(isMeant) };
}

export type FindLimits = ReturnType<typeof createFindLimits>;

/** Finds what the resources of a grant demand of their tokens now; undefined stands for org-api alone. */
export function createFindLimits(deps: {
  orgApiLimits: Pick<OrgApiLimits, 'recent'>;
  resources: Pick<ResourceStore, 'findByUri'>;
}) {
  const { orgApiLimits, resources } = deps;
  return async (granted: readonly GrantedResource[] | undefined): Promise<TokenLimits[]> => {
    if (granted === undefined) return [await orgApiLimits.recent()];
    const found = await Promise.all(
      granted.map(({ id, resource }) => (id === orgApiId ? orgApiLimits.recent() : resources.findByUri(resource))),
    );
    return found.filter((one) => one !== undefined);
  };
}

/** Finds a granted resource and its scopes as they are now. One that is gone, or was made again, is left out. */
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
    return buildShown(found, ({ id }) => ids.has(id));
  };
}
