import { type ClientMetadata, type FieldError, fieldsProblem } from '@gatehouse/shared';
import { nameUnknownScope } from '../clients/unknown-scope.ts';
import { isSameResource } from '../protocol/resource-uri.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { ResourceStore } from '../resources/resource-store.ts';

/** A client as it is to be stored, as far as resources matter. */
interface Wanted {
  scope: readonly string[];
  metadata: ClientMetadata;
}

/** The body that asks for it: a change is checked for what it sends. */
interface Sent {
  scope?: unknown;
  resources?: unknown;
  default_resource?: unknown;
  exchange_audiences?: unknown;
}

/**
 * Checks `resources`, `default_resource`, `exchange_audiences` and `scope` against the resources that exist. Gives the
 * metadata with the URIs as they were registered; throws a 400 that names each field at fault.
 */
export type CheckClientResources = (wanted: Wanted, sent: Sent) => Promise<ClientMetadata>;

interface Dependencies {
  resources: Pick<ResourceStore, 'findByUri'>;
  orgApi: OrgApi;
}

/** An allowed resource: its registered URI and the names of its scopes. Undefined where it does not exist. */
type Known = { uri: string; scopes: readonly string[] } | undefined;

/** Characters. The column takes them on every database. */
const longestScope = 2048;

export function createCheckClientResources({ resources, orgApi }: Dependencies): CheckClientResources {
  const findKnown = async (uri: string): Promise<Known> => {
    if (orgApi.is(uri)) return { uri: orgApi.uri, scopes: orgApi.scopes };
    const found = await resources.findByUri(uri);
    return found && { uri: found.resource, scopes: found.scopes.map(({ name }) => name) };
  };

  return async ({ scope, metadata }, sent) => {
    const named = metadata.resources ?? [orgApi.uri];
    const isPlain = metadata.resources === undefined && metadata.default_resource === undefined;
    const known = isPlain ? [{ uri: orgApi.uri, scopes: orgApi.scopes }] : await Promise.all(named.map(findKnown));
    const audiences = await Promise.all((metadata.exchange_audiences ?? []).map(findKnown));
    const faults = [
      isSent(sent.resources) ? findUnknownFault('resources', known) : undefined,
      isSent(sent.exchange_audiences) ? findUnknownFault('exchange_audiences', audiences) : undefined,
      isPlain ? undefined : findDefaultFault(metadata, named, known, { orgApi, isSent: isSent(sent.default_resource) }),
      isSent(sent.scope) ? findScopeFault(scope, known, orgApi, isPlain) : undefined,
    ].filter((fault) => fault !== undefined);
    if (faults.length > 0) throw fieldsProblem(faults);
    return spellAsRegistered(metadata, [...known, ...audiences]);
  };
}

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function findUnknownFault(field: string, known: readonly Known[]): FieldError | undefined {
  const index = known.indexOf(undefined);
  if (index < 0) return undefined;
  return { field, detail: `entry ${index + 1} must be the URI of a registered resource` };
}

function findDefaultFault(
  { default_resource: chosen }: ClientMetadata,
  named: readonly string[],
  known: readonly Known[],
  { orgApi, isSent }: { orgApi: OrgApi; isSent: boolean },
): FieldError | undefined {
  const field = 'default_resource';
  const index = named.findIndex((uri) => isSameResource(uri, chosen ?? orgApi.uri));
  if (index < 0) {
    const detail =
      chosen === undefined ? `is required where resources lacks ${orgApi.uri}` : 'must be one of resources';
    return { field, detail };
  }
  return isSent && known[index] === undefined
    ? { field, detail: 'must be the URI of a registered resource' }
    : undefined;
}

function findScopeFault(
  scope: readonly string[],
  known: readonly Known[],
  orgApi: OrgApi,
  isPlain: boolean,
): FieldError | undefined {
  const field = 'scope';
  if (scope.join(' ').length > longestScope) {
    return { field, detail: `must have at most ${longestScope} characters in all` };
  }
  const allowed = new Set(known.flatMap((one) => one?.scopes ?? []));
  const unknown = scope.find((name) => !orgApi.isPersonal(name) && !allowed.has(name));
  if (unknown === undefined) return undefined;
  const rule = isPlain
    ? `must be an array of at least one of ${orgApi.scopes.join(', ')}, without repeats`
    : 'must hold only scopes of its resources';
  return nameUnknownScope({ field, detail: rule }, unknown);
}

/** A resource that is gone stays as it is. */
function spellAsRegistered(metadata: ClientMetadata, known: readonly Known[]): ClientMetadata {
  const spell = (uri: string) => known.find((one) => one !== undefined && isSameResource(one.uri, uri))?.uri ?? uri;
  const spellAll = (uris: readonly string[]) => [...new Set(uris.map(spell))];
  const { resources, default_resource: chosen, exchange_audiences: audiences } = metadata;
  return {
    ...metadata,
    ...(resources === undefined ? {} : { resources: spellAll(resources) }),
    ...(audiences === undefined ? {} : { exchange_audiences: spellAll(audiences) }),
    ...(chosen === undefined ? {} : { default_resource: spell(chosen) }),
  };
}
