import { fieldsProblem } from '@gatehouse/shared';
import type { RegistrationLimits } from '../clients/dynamic-registration.ts';
import { isSameResource } from '../protocol/resource-uri.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { Resource } from '../resources/resource.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import { openScopes } from './dynamic-client-rules.ts';

/** The access open to a client that registers itself: URIs of resources, as they were registered, and names of scopes. */
export interface OpenAccess {
  resources: readonly string[];
  hasOrgApi: boolean;
  scope: readonly string[];
}

/**
 * Finds what is open: of the resources that are named, or of all there are. Throws a 400 that names `resources` where one
 * of those named is not open.
 */
export type FindOpenAccess = (
  named: readonly string[] | undefined,
  limits: Pick<RegistrationLimits, 'scope' | 'resources'> | undefined,
) => Promise<OpenAccess>;

interface Dependencies {
  resources: Pick<ResourceStore, 'findByUri' | 'listOpen'>;
  orgApi: OrgApi;
}

/** An open resource. */
type Open = Pick<Resource, 'resource'> & { scopes: readonly string[] };

/** The most that a client gets that names no resources. The columns take it on every database. */
const most = { resources: 100, characters: 12_000, scopes: 200, scopeCharacters: 2048 };

export function createFindOpenAccess({ resources, orgApi }: Dependencies): FindOpenAccess {
  const ofOrgApi: Open = { resource: orgApi.uri, scopes: openScopes };
  const findOpen = async (uri: string): Promise<Open | undefined> => {
    if (orgApi.is(uri)) return ofOrgApi;
    const found = await resources.findByUri(uri);
    return found?.dynamicClients ? describe(found) : undefined;
  };
  const getNamed = async (named: readonly string[], allowed: readonly string[] | undefined): Promise<Open[]> => {
    const isAllowed = (uri: string) => allowed?.some((one) => isSameResource(one, uri)) ?? true;
    const found = await Promise.all(named.map((uri) => (isAllowed(uri) ? findOpen(uri) : undefined)));
    return found.map((one, index) => {
      if (one !== undefined) return one;
      const detail = `entry ${index + 1} must be the URI of a resource that is open to this client`;
      throw fieldsProblem([{ field: 'resources', detail }]);
    });
  };
  /** All that is open; or what an initial access token names, less what is not open any more. */
  const listUsual = async (allowed: readonly string[] | undefined): Promise<Open[]> => {
    if (allowed === undefined) return [ofOrgApi, ...(await resources.listOpen(most.resources - 1)).map(describe)];
    return (await Promise.all(allowed.map(findOpen))).filter((one) => one !== undefined);
  };

  return async (named, limits) => {
    const open = named ? await getNamed(named, limits?.resources) : takeWhatFits(await listUsual(limits?.resources));
    const names = new Set([...openScopes, ...open.flatMap(({ scopes }) => scopes)]);
    const scope = [...names].filter((name) => limits?.scope?.includes(name) ?? true);
    if (open.length === 0)
      throw fieldsProblem([{ field: 'resources', detail: 'must not be empty: none is open any more' }]);
    return { resources: [...new Set(open.map(({ resource }) => resource))], hasOrgApi: open.includes(ofOrgApi), scope };
  };
}

function describe({ resource, scopes }: Resource): Open {
  return { resource, scopes: scopes.map(({ name }) => name) };
}

/** The first of them, as many as a registration holds. */
function takeWhatFits(open: readonly Open[]): Open[] {
  const taken: Open[] = [];
  let [characters, names, nameCharacters] = [0, 0, 0];
  for (const one of open) {
    characters += one.resource.length + 3;
    names += one.scopes.length;
    nameCharacters += one.scopes.join(' ').length + 1;
    if (characters > most.characters || names > most.scopes || nameCharacters > most.scopeCharacters) break;
    taken.push(one);
  }
  return taken;
}
