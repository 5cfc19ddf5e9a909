import { createId } from '@gatehouse/service-kit';
import { fieldsProblem, ProblemError } from '@gatehouse/shared';
import type { Resource, ResourceScope } from '../resources/resource.ts';
import type { ResourcePageRequest } from '../resources/resource-store.ts';
import { createDeleteResource } from './delete-resource.ts';
import { createGetResource, type GetResource, type ResourceDependencies } from './manageable-resources.ts';
import type { NewResource, ResourceChanges } from './resource-body.ts';
import { buildScopes, findChangeFaults, findResourceFaults } from './resource-rules.ts';

/** The most resources of a realm. */
const mostResources = 1000;

export type ResourceAdministration = ReturnType<typeof createResourceAdministration>;

/** What administrators do with resources. Each throws 400, 404 or 409. */
export function createResourceAdministration(deps: ResourceDependencies) {
  const get = createGetResource(deps);
  return {
    list: (page: ResourcePageRequest) => deps.resources.list(page),
    findByUri: (uri: string) => deps.resources.findByUri(uri),
    get,
    create: createCreateResource(deps),
    change: createChangeResource(deps, get),
    delete: createDeleteResource(deps, get),
  };
}

function createCreateResource(deps: ResourceDependencies) {
  const { resources, scopeNames, orgApi, clock } = deps;
  return async (body: NewResource): Promise<Resource> => {
    const faults = findResourceFaults(body, orgApi);
    if (faults.length > 0) throw fieldsProblem(faults);
    // An early answer. The insert decides.
    if ((await resources.findByUri(body.resource)) !== undefined) throw alreadyExists();
    if ((await resources.count()) >= mostResources) {
      throw new ProblemError(409, `the realm has ${mostResources} resources, which is the most`);
    }
    const now = clock();
    const created: Resource = {
      id: createId(),
      resource: body.resource,
      name: body.name,
      scopes: buildScopes(body.scopes ?? [], [], createId),
      accessTokenValidity: body.access_token_validity,
      dynamicClients: body.dynamic_clients ?? false,
      createdAt: now,
      updatedAt: now,
    };
    await takeAll(deps, created.id, created.scopes);
    if (await resources.insert(created)) return created;
    await scopeNames.giveBackAllOf(created.id);
    throw alreadyExists();
  };
}

function createChangeResource(deps: ResourceDependencies, get: GetResource) {
  const { resources, scopeNames, orgApi, orgApiValidities, clock } = deps;
  return async (id: string, changes: ResourceChanges): Promise<Resource> => {
    const before = await get(id);
    const isOrgApi = orgApi.is(before.resource);
    const faults = findChangeFaults(changes, isOrgApi, orgApi);
    if (faults.length > 0) throw fieldsProblem(faults);
    const after = applyChanges(before, changes, clock());
    const added = listMissing(after.scopes, before.scopes);
    await takeAll(deps, id, added);
    if (!(await resources.update(after, before.updatedAt))) {
      await scopeNames.giveBack(added.map((scope) => scope.id));
      throw changedMeanwhile();
    }
    await scopeNames.giveBack(listMissing(before.scopes, after.scopes).map((scope) => scope.id));
    if (isOrgApi) orgApiValidities.forget();
    return after;
  };
}

function applyChanges(before: Resource, changes: ResourceChanges, now: number): Resource {
  const { name, scopes, access_token_validity: validity, dynamic_clients: dynamicClients } = changes;
  return {
    ...before,
    name: name ?? before.name,
    scopes: scopes === undefined ? before.scopes : buildScopes(scopes, before.scopes, createId),
    accessTokenValidity: validity === undefined ? before.accessTokenValidity : (validity ?? undefined),
    dynamicClients: dynamicClients ?? before.dynamicClients,
    // The version: later, even where the clocks of two replicas disagree.
    updatedAt: Math.max(now, before.updatedAt + 1),
  };
}

/** The scopes of `some` that `others` lacks. */
function listMissing(some: readonly ResourceScope[], others: readonly ResourceScope[]): ResourceScope[] {
  const ids = new Set(others.map(({ id }) => id));
  return some.filter(({ id }) => !ids.has(id));
}

/** Throws the 409 that names the scopes which other resources have. */
async function takeAll(
  { takeScopeNames }: ResourceDependencies,
  resourceId: string,
  scopes: readonly ResourceScope[],
): Promise<void> {
  const taken = await takeScopeNames(resourceId, scopes);
  if (taken.length === 0) return;
  const detail = `must be unique over all resources; another resource has ${taken.join(', ')}`;
  throw new ProblemError(409, `scopes ${detail}`, { errors: [{ field: 'scopes', detail }] });
}

function alreadyExists(): ProblemError {
  const detail = 'must be unique in the realm; this resource exists already';
  return new ProblemError(409, `resource ${detail}`, { errors: [{ field: 'resource', detail }] });
}

function changedMeanwhile(): ProblemError {
  return new ProblemError(
    409,
    'another administrator changed the resource at the same time; read the resource and repeat the change',
  );
}
