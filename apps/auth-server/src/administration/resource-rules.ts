import { type FieldError, isLevel, unloggedName } from '@gatehouse/shared';
import { describeUnknownLevel } from '../clients/client-metadata.ts';
import { findResourceUriFault } from '../protocol/resource-uri.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { Resource, ResourceScope, TokenGroups } from '../resources/resource.ts';
import type { NewResource, ResourceChanges } from './resource-body.ts';
import { changeTagged, findTagFaults, readTagged } from './tagged-members.ts';

/** The most bytes of the scopes of a resource, as JSON. The column takes them on every database. */
const longestScopes = 60_000;

/** The faults of a new resource that its schema does not find. */
export function findResourceFaults(body: NewResource, orgApi: OrgApi): FieldError[] {
  const fault = findResourceUriFault(body.resource);
  return [
    ...(fault === undefined ? [] : [{ field: 'resource', detail: fault }]),
    ...findTagFaults('name', 'a name', readTagged(body, 'name')),
    ...findScopesFaults(body.scopes ?? [], orgApi),
    ...findLevelFaults(body.required_acr),
  ];
}

function findLevelFaults(level: string | null | undefined): FieldError[] {
  if (level === undefined || level === null || isLevel(level)) return [];
  return [{ field: 'required_acr', ...describeUnknownLevel(level) }];
}

/** The faults of a change. The scopes of org-api belong to the configuration. */
export function findChangeFaults(
  changes: ResourceChanges,
  { names }: Pick<Resource, 'names'>,
  isOrgApi: boolean,
  orgApi: OrgApi,
): FieldError[] {
  const faults = [
    ...findTagFaults('name', 'a name', changeTagged(names, readTagged(changes, 'name'))),
    ...findScopesFaults(changes.scopes ?? [], orgApi),
    ...findLevelFaults(changes.required_acr),
  ];
  if (!isOrgApi) return faults;
  return [
    ...(changes.scopes === undefined
      ? []
      : [{ field: 'scopes', detail: 'of the organization API cannot be changed here; set EXTRA_SCOPES' }]),
    ...(changes.dynamic_clients === undefined
      ? []
      : [
          {
            field: 'dynamic_clients',
            detail:
              'cannot be changed for the organization API, of which openid, profile, email and offline_access are open',
          },
        ]),
    ...(changes.groups === undefined && changes.groups_claim === undefined
      ? []
      : [{ field: 'groups', detail: 'cannot be set for the organization API, which has the groups' }]),
  ];
}

type SentScopes = NonNullable<NewResource['scopes']>;

function findScopesFaults(scopes: SentScopes, orgApi: OrgApi): FieldError[] {
  const names = scopes.map(({ name }) => name);
  const details = [
    findRepeated(names).map((name) => ({
      detail: `must name each scope once; repeated: ${name}`,
      logged: `must name each scope once; repeated: ${unloggedName}`,
    })),
    names
      .filter((name) => orgApi.hasScope(name))
      .map((name) => ({ detail: `must not hold ${name}, which belongs to the organization API` })),
    isTooLong(scopes) ? [{ detail: `must hold at most ${longestScopes} bytes` }] : [],
  ];
  return [
    ...details.flat().map((fault) => ({ field: 'scopes', ...fault })),
    ...scopes.flatMap((scope) =>
      findTagFaults('scopes', `a description of ${scope.name}`, readTagged(scope, 'description'), 'a description'),
    ),
  ];
}

function findRepeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

/** With an id for each. */
function isTooLong(scopes: SentScopes): boolean {
  return Buffer.byteLength(JSON.stringify(scopes)) + scopes.length * 64 > longestScopes;
}

/** The scopes after a change: one that keeps its name stays the same one. */
export function buildScopes(
  sent: SentScopes,
  before: readonly ResourceScope[],
  createScopeId: () => string,
): ResourceScope[] {
  return sent.map(({ name, description = '', ...more }) => {
    const descriptions = changeTagged({}, readTagged(more, 'description'));
    return {
      id: before.find((scope) => scope.name === name)?.id ?? createScopeId(),
      name,
      description,
      ...(descriptions === undefined ? {} : { descriptions }),
    };
  });
}

/** The resource with the fields that are named. */
export function applyChanges(
  before: Resource,
  changes: ResourceChanges,
  now: number,
  createScopeId: () => string,
): Resource {
  const { name, scopes, access_token_validity: validity, required_acr: acr, max_age: maxAge } = changes;
  return {
    ...before,
    name: name ?? before.name,
    names: changeTagged(before.names, readTagged(changes, 'name')),
    scopes: scopes === undefined ? before.scopes : buildScopes(scopes, before.scopes, createScopeId),
    accessTokenValidity: takeChange(validity, before.accessTokenValidity),
    requiredAcr: takeChange(acr, before.requiredAcr),
    maxAge: takeChange(maxAge, before.maxAge),
    dynamicClients: changes.dynamic_clients ?? before.dynamicClients,
    tokenGroups: buildTokenGroups(changes, before.tokenGroups),
    managedBy: takeChange(changes.managed_by, before.managedBy),
    // The version: later, even where the clocks of two replicas disagree.
    updatedAt: Math.max(now, before.updatedAt + 1),
  };
}

/** The groups of the tokens after a change, or of a new resource. An empty list is none. */
export function buildTokenGroups(
  { groups, groups_claim: claim }: Pick<ResourceChanges, 'groups' | 'groups_claim'>,
  before?: TokenGroups | undefined,
): TokenGroups | undefined {
  const names = takeChange(groups, before?.names) ?? [];
  return names.length === 0 ? undefined : { names, claim: takeChange(claim, before?.claim) ?? 'groups' };
}

/** The value after a change: null takes it away. */
function takeChange<T>(sent: T | null | undefined, before: T | undefined): T | undefined {
  return sent === undefined ? before : (sent ?? undefined);
}

/** The scopes of `some` that `others` lacks. */
export function listMissing(some: readonly ResourceScope[], others: readonly ResourceScope[]): ResourceScope[] {
  const ids = new Set(others.map(({ id }) => id));
  return some.filter(({ id }) => !ids.has(id));
}
