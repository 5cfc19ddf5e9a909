/** The id that stands for org-api in a grant. Its scopes stand in the grant's `scope` alone. */
export const orgApiId = 'org-api';

/**
 * A resource in a grant or a consent, with the scopes of it that were granted. The ids decide: a resource made again
 * under the same URI, or a scope taken away and added again, is not granted.
 */
export interface GrantedResource {
  id: string;
  /** The URI as it was registered. */
  resource: string;
  scopes: { id: string; name: string }[];
}

/** The names of the scopes that belong to these resources. */
export function listScopeNames(resources: readonly GrantedResource[]): string[] {
  return resources.flatMap(({ scopes }) => scopes.map(({ name }) => name));
}

/** As a grant is stored; undefined stands for org-api alone. */
export function formatGranted(resources: readonly GrantedResource[] | undefined): string | null {
  return resources === undefined ? null : JSON.stringify(resources);
}

/** Null in rows of grants for org-api alone, which are also those of the release before. */
export function parseGranted(text: string | null): GrantedResource[] | undefined {
  return text === null ? undefined : (JSON.parse(text) as GrantedResource[]);
}
