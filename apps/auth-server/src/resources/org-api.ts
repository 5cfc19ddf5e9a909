import { type Clock, ConfigError, createId, type Logger } from '@gatehouse/service-kit';
import { createRecentLookup } from '@gatehouse/service-kit/database';
import { groupsScope, knownScopes } from '@gatehouse/shared';
import { isSameResource, normalizeResourceUri } from '../protocol/resource-uri.ts';
import type { TokenLimits } from './resource.ts';
import type { ResourceStore } from './resource-store.ts';
import type { ScopeNameStore } from './scope-name-store.ts';
import { buildTarget, type Requester, type TokenTarget } from './token-target.ts';

/** The organization API among the resources. Its URI and its scopes come from the configuration. */
export interface OrgApi {
  /** `BASE_URL`. */
  uri: string;
  readonly scopes: readonly string[];
  hasScope(name: string): boolean;
  /**
   * Whether a scope is about a person: it may be granted whatever the resource, since ID tokens and refresh tokens are not affected by
   * that.
   */
  isPersonal(name: string): boolean;
  /** The scopes as far as they open claims by their names. */
  limitToClaims(scope: readonly string[]): readonly string[];
  /** The scope `groups` is on. */
  hasGroups(): boolean;
  /** Another resource has a scope of that name. */
  dropGroups(): void;
  /** Whether a URI names it. */
  is(uri: string): boolean;
}

interface Needs {
  baseUrl: string;
  extraScopes: readonly string[];
}

export function createOrgApi({ baseUrl, extraScopes }: Needs): OrgApi {
  // A scope that an operator added keeps its own meaning.
  let hasGroups = !extraScopes.includes(groupsScope);
  const list = () => [...new Set([...knownScopes, ...(hasGroups ? [groupsScope] : []), ...extraScopes])];
  let scopes = list();
  let names: ReadonlySet<string> = new Set(scopes);
  const personal: ReadonlySet<string> = new Set([...knownScopes, groupsScope]);
  const isGroups = (name: string) => name === groupsScope;
  const normalized = normalizeResourceUri(baseUrl);
  return {
    uri: baseUrl,
    get scopes() {
      return scopes;
    },
    hasScope: (name) => names.has(name),
    isPersonal: (name) => personal.has(name) && (hasGroups || !isGroups(name)),
    limitToClaims: (scope) =>
      hasGroups || !scope.includes(groupsScope) ? scope : scope.filter((name) => !isGroups(name)),
    hasGroups: () => hasGroups,
    dropGroups() {
      hasGroups = false;
      scopes = list();
      names = new Set(scopes);
    },
    is: (uri) => uri === baseUrl || isSameResource(uri, normalized),
  };
}

/** Milliseconds after which a caller causes the next question, without waiting for it (ADR 15). */
const renewAfter = 375;

export type OrgApiLimits = ReturnType<typeof createOrgApiLimits>;

interface LimitDependencies {
  resources: Pick<ResourceStore, 'findByUri'>;
  uri: string;
  /** Milliseconds that only grow. */
  now?: () => number;
}

const noLimits: TokenLimits = { accessTokenValidity: undefined };

/** The demands of org-api on its access tokens, as an administrator set them. */
export function createOrgApiLimits({ resources, uri, ...options }: LimitDependencies) {
  const find = async (): Promise<TokenLimits> => (await resources.findByUri(uri)) ?? noLimits;
  const limits = createRecentLookup(find, { renewal: { after: renewAfter, lookup: find }, ...options });
  return {
    /** The limits of at most a second ago. Almost every caller gets them at once, without a promise. */
    recent: () => limits.findAtOnce(uri) as TokenLimits | Promise<TokenLimits>,
    /** Makes the next caller ask again. */
    forget: () => limits.forget(uri),
  };
}

export interface TargetDependencies {
  orgApi: OrgApi;
  orgApiLimits: Pick<OrgApiLimits, 'recent'>;
}

/** Builds the target of a token for org-api, with the part of the scope that is of it. */
export function createTargetOrgApi({ orgApi, orgApiLimits }: TargetDependencies) {
  return async (client: Requester, scope: readonly string[]): Promise<TokenTarget> => {
    const own = scope.every(orgApi.hasScope) ? scope : scope.filter(orgApi.hasScope);
    const limits = orgApiLimits.recent();
    return buildTarget(client, orgApi.uri, own, limits instanceof Promise ? await limits : limits);
  };
}

interface RegistrationDependencies {
  resources: ResourceStore;
  scopeNames: ScopeNameStore;
  orgApi: OrgApi;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

/**
 * Registers org-api where it is not registered yet; several replicas may do so at once. Throws a ConfigError where
 * `EXTRA_SCOPES` holds a scope of another resource.
 */
export async function registerOrgApi({
  resources,
  scopeNames,
  orgApi,
  clock,
  log,
}: RegistrationDependencies): Promise<void> {
  await checkExtraScopes({ resources, scopeNames, orgApi, log });
  if ((await resources.findByUri(orgApi.uri)) !== undefined) return;
  const now = clock();
  // Where another replica was faster, its row stays.
  await resources.insert({
    id: createId(),
    resource: orgApi.uri,
    name: 'Organization API',
    scopes: [],
    ...noLimits,
    dynamicClients: false,
    createdAt: now,
    updatedAt: now,
  });
}

async function checkExtraScopes({
  resources,
  scopeNames,
  orgApi,
  log,
}: Omit<RegistrationDependencies, 'clock'>): Promise<void> {
  for (const { id, name, resourceId } of await scopeNames.find(orgApi.scopes)) {
    const holder = await resources.find(resourceId);
    if (holder === undefined || orgApi.is(holder.resource) || !holder.scopes.some((scope) => scope.id === id)) continue;
    if (name === groupsScope && orgApi.hasGroups()) {
      orgApi.dropGroups();
      log.warn(`the scope ${groupsScope} is off: the resource ${holder.resource} has a scope of that name`);
      continue;
    }
    throw new ConfigError(
      `EXTRA_SCOPES must not hold ${name}, a scope of the resource ${holder.resource}; rename one of the two`,
    );
  }
}
