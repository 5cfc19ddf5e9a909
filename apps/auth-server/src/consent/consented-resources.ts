import { type GrantedResource, listScopeNames, orgApiId } from '../resources/granted-resource.ts';
import type { Asked } from './consent.ts';

/** The most scopes of resources that a consent keeps. The newest stay; the column takes them on every database. */
const mostScopes = 400;

/** The scopes of org-api in a request or a grant: those that belong to none of its other resources. */
export function listOrgApiScopes({ scope, resources }: Pick<Asked, 'scope' | 'resources'>): string[] {
  const others = new Set(listScopeNames(resources ?? []));
  return scope.filter((name) => !others.has(name));
}

/** Whether the user allowed each resource, and each scope of it, by their ids. The scopes of org-api are stored elsewhere. */
export function areAllowed(given: readonly GrantedResource[], asked: readonly GrantedResource[]): boolean {
  return cut(asked, given).every(
    (one, index) => one !== undefined && one.scopes.length === asked[index]?.scopes.length,
  );
}

/** The part of a grant's resources that the user allows. */
export function limitResources(held: readonly GrantedResource[], given: readonly GrantedResource[]): GrantedResource[] {
  return cut(held, given).filter((one) => one !== undefined);
}

/** Each resource with the scopes that are allowed; undefined for one that is not. */
function cut(held: readonly GrantedResource[], given: readonly GrantedResource[]): (GrantedResource | undefined)[] {
  return held.map((one) => {
    if (one.id === orgApiId) return one;
    const allowed = given.find(({ id }) => id === one.id);
    const ids = new Set(allowed?.scopes.map(({ id }) => id));
    return allowed && { ...one, scopes: one.scopes.filter(({ id }) => ids.has(id)) };
  });
}

/** Adds what is allowed now to what was allowed before. */
export function uniteResources(before: readonly GrantedResource[], now: readonly GrantedResource[]): GrantedResource[] {
  const added = now.filter(({ id }) => id !== orgApiId).map((one) => addEarlier(one, before));
  const kept = before.filter(({ id }) => !added.some((one) => one.id === id));
  let left = mostScopes;
  return [...added, ...kept].filter(({ scopes }) => {
    left -= scopes.length + 1;
    return left >= 0;
  });
}

function addEarlier(one: GrantedResource, before: readonly GrantedResource[]): GrantedResource {
  const earlier = before.find(({ id }) => id === one.id)?.scopes ?? [];
  const ids = new Set(one.scopes.map(({ id }) => id));
  return { ...one, scopes: [...one.scopes, ...earlier.filter(({ id }) => !ids.has(id))] };
}
