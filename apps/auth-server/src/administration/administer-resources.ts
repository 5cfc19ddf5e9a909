import { type Clock, createId } from '@gatehouse/service-kit';
import { checkVersion, type ExpectedVersion } from '@gatehouse/service-kit/etag';
import { fieldsProblem, ProblemError } from '@gatehouse/shared';
import type { ClientStore } from '../clients/client-store.ts';
import type { OrgApi, OrgApiLimits } from '../resources/org-api.ts';
import type { Resource, ResourceScope } from '../resources/resource.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import type { ScopeNameStore } from '../resources/scope-name-store.ts';
import type { ListTakenNames, TakeScopeNames } from '../resources/take-scope-names.ts';
import { editConflict } from './edit-conflict.ts';
import { createListResources } from './list-resources.ts';
import { mostRead, nameClients } from './name-clients.ts';
import type { NewResource, ResourceChanges } from './resource-body.ts';
import {
  applyChanges,
  buildScopes,
  buildTokenGroups,
  findChangeFaults,
  findResourceFaults,
  listMissing,
} from './resource-rules.ts';
import { buildResourceView } from './resource-view.ts';
import { changeTagged, readTagged } from './tagged-members.ts';

/** The parts of the administration of resources. */
interface ResourceDependencies {
  resources: ResourceStore;
  scopeNames: ScopeNameStore;
  takeScopeNames: TakeScopeNames;
  listTakenNames: ListTakenNames;
  orgApi: OrgApi;
  orgApiLimits: Pick<OrgApiLimits, 'forget'>;
  clients: Pick<ClientStore, 'listByDefaultResource'>;
  clock: Clock;
}

/** Gives a registered resource; throws 404. */
type GetResource = (id: string) => Promise<Resource>;

function createGetResource({ resources }: ResourceDependencies): GetResource {
  return async (id) => {
    const found = await resources.find(id);
    if (found === undefined) throw new ProblemError(404, 'no resource has this id');
    return found;
  };
}

/** The same; throws 412 too, where a change is meant for another version. */
type GetExpectedResource = (id: string, expected: ExpectedVersion) => Promise<Resource>;

/** The most resources of a realm. */
const mostResources = 1000;

export type ResourceAdministration = ReturnType<typeof createResourceAdministration>;

/** Operations of administrators on resources. Each throws 400, 404, 409 or 412. */
export function createResourceAdministration(deps: ResourceDependencies) {
  const get = createGetResource(deps);
  const getExpected: GetExpectedResource = async (id, expected) => {
    const resource = await get(id);
    checkVersion(expected, resource, (current) => buildResourceView(current, deps.orgApi));
    return resource;
  };
  return {
    list: createListResources(deps),
    get,
    ...createPlans(deps, getExpected),
    create: createCreateResource(deps),
    change: createChangeResource(deps, getExpected),
    delete: createDeleteResource(deps, getExpected),
  };
}

/** Checks a new resource, and gives it; the names of its scopes may be taken. Throws 400 and 409. */
function createPrepareResource({ resources, orgApi, clock }: ResourceDependencies) {
  return async (body: NewResource): Promise<Resource> => {
    const faults = findResourceFaults(body, orgApi);
    if (faults.length > 0) throw fieldsProblem(faults);
    // An early answer. The insert decides.
    if ((await resources.findByUri(body.resource)) !== undefined) throw alreadyExists();
    if ((await resources.count()) >= mostResources) {
      throw new ProblemError(409, `the realm has ${mostResources} resources, which is the most`);
    }
    const now = clock();
    return {
      id: createId(),
      resource: body.resource,
      name: body.name,
      names: changeTagged({}, readTagged(body, 'name')),
      scopes: buildScopes(body.scopes ?? [], [], createId),
      accessTokenValidity: body.access_token_validity,
      requiredAcr: body.required_acr,
      tokenGroups: buildTokenGroups(body),
      managedBy: body.managed_by,
      maxAge: body.max_age,
      dynamicClients: body.dynamic_clients ?? false,
      createdAt: now,
      updatedAt: now,
    };
  };
}

function createCreateResource(deps: ResourceDependencies) {
  const { resources, scopeNames } = deps;
  const prepare = createPrepareResource(deps);
  return async (body: NewResource): Promise<Resource> => {
    const created = await prepare(body);
    await takeAll(deps, created.id, created.scopes);
    if (await resources.insert(created)) return created;
    await scopeNames.giveBackAllOf(created.id);
    throw alreadyExists();
  };
}

/** A resource as it is, and as a change would make it; the names of new scopes may be taken. Throws 400, 404 and 412. */
function createPrepareChange({ orgApi, clock }: ResourceDependencies, getExpected: GetExpectedResource) {
  return async (id: string, changes: ResourceChanges, expected: ExpectedVersion) => {
    const before = await getExpected(id, expected);
    const faults = findChangeFaults(changes, before, orgApi.is(before.resource), orgApi);
    if (faults.length > 0) throw fieldsProblem(faults);
    return { before, after: applyChanges(before, changes, clock(), createId) };
  };
}

/** Changes the fields that are named, and gives the resource as it was and as it is then. */
function createChangeResource(deps: ResourceDependencies, getExpected: GetExpectedResource) {
  const { resources, scopeNames, orgApi, orgApiLimits } = deps;
  const prepare = createPrepareChange(deps, getExpected);
  return async (id: string, changes: ResourceChanges, expected: ExpectedVersion) => {
    const { before, after } = await prepare(id, changes, expected);
    const added = listMissing(after.scopes, before.scopes);
    await takeAll(deps, id, added);
    if (!(await resources.update(after, before.updatedAt))) {
      await scopeNames.giveBack(added.map((scope) => scope.id));
      if (expected !== undefined) await getExpected(id, expected);
      throw editConflict('resource');
    }
    await scopeNames.giveBack(listMissing(before.scopes, after.scopes).map((scope) => scope.id));
    if (orgApi.is(before.resource)) orgApiLimits.forget();
    return { before, after };
  };
}

/** Throws the 409 that names the scopes which other resources have. */
async function takeAll(
  { takeScopeNames }: ResourceDependencies,
  resourceId: string,
  scopes: readonly ResourceScope[],
): Promise<void> {
  refuseTaken(await takeScopeNames(resourceId, scopes));
}

function refuseTaken(taken: readonly string[]): void {
  if (taken.length === 0) return;
  const detail = `must be unique over all resources; another resource has ${taken.join(', ')}`;
  throw new ProblemError(409, `scopes ${detail}`, { errors: [{ field: 'scopes', detail }] });
}

function alreadyExists(): ProblemError {
  const detail = 'must be unique in the realm; this resource exists already';
  return new ProblemError(409, `resource ${detail}`, { errors: [{ field: 'resource', detail }] });
}

/** The same acts with all their checks, and nothing is done. Each throws what the act does. */
function createPlans(deps: ResourceDependencies, getExpected: GetExpectedResource) {
  const { clients, orgApi, listTakenNames } = deps;
  const prepare = createPrepareResource(deps);
  const prepareChange = createPrepareChange(deps, getExpected);
  return {
    async planCreation(body: NewResource): Promise<Resource> {
      const created = await prepare(body);
      refuseTaken(await listTakenNames(created.scopes));
      return created;
    },
    async planChange(id: string, changes: ResourceChanges, expected: ExpectedVersion) {
      const planned = await prepareChange(id, changes, expected);
      refuseTaken(await listTakenNames(listMissing(planned.after.scopes, planned.before.scopes)));
      return planned;
    },
    async planDeletion(id: string, expected: ExpectedVersion): Promise<Resource> {
      const resource = await getExpected(id, expected);
      refuseOrgApi(orgApi, resource);
      if ((await clients.listByDefaultResource(resource.resource, 1)).length > 0) await refuse(deps, resource);
      return resource;
    },
  };
}

function refuseOrgApi(orgApi: OrgApi, { resource }: Resource): void {
  if (orgApi.is(resource)) throw new ProblemError(409, 'the organization API cannot be deleted');
}

/**
 * Deletes a resource and gives what it was. Throws 404, 412, and 409 for org-api and for the default resource of a client.
 * From then on no token is issued for it; tokens that were issued live at most their lifetime.
 */
function createDeleteResource(deps: ResourceDependencies, getExpected: GetExpectedResource) {
  const { resources, scopeNames, orgApi } = deps;
  return async (id: string, expected: ExpectedVersion): Promise<Resource> => {
    const resource = await getExpected(id, expected);
    refuseOrgApi(orgApi, resource);
    const seenUpdatedAt = expected === undefined ? undefined : resource.updatedAt;
    if (!(await resources.deleteUnlessDefault(resource.id, seenUpdatedAt))) {
      await getExpected(id, expected);
      await refuse(deps, resource);
    }
    await scopeNames.giveBackAllOf(resource.id);
    return resource;
  };
}

async function refuse({ clients }: ResourceDependencies, resource: Resource): Promise<never> {
  const found = await clients.listByDefaultResource(resource.resource, mostRead);
  throw new ProblemError(
    409,
    found.length === 0
      ? 'a client with this default_resource was just changed; repeat the request'
      : `the resource is the default_resource of the clients ${nameClients(found)}; change them first`,
  );
}
