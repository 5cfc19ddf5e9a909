import { OAuthError } from '@gatehouse/shared';
import { isSameResource } from '../protocol/resource-uri.ts';
import { chooseScope, parseScope } from '../protocol/scope.ts';
import { type GrantedResource, orgApiId } from './granted-resource.ts';
import { isPersonalScope, type OrgApi } from './org-api.ts';
import type { OrgApiValidities, OrgApiValidity } from './org-api-validity.ts';
import { invalidTarget, listResourcesOf } from './requested-resource.ts';
import type { Resource } from './resource.ts';
import type { ResourceStore } from './resource-store.ts';
import type { Requester, TokenTarget } from './token-target.ts';

/** What a grant holds. `resources` is undefined for org-api alone. */
export interface GrantedAccess {
  scope: readonly string[];
  resources: readonly GrantedResource[] | undefined;
}

/** What may be granted to a client without asking further, and the target of its access token. */
export interface ChosenAccess {
  scope: string[];
  resources: GrantedResource[] | undefined;
  target: TokenTarget;
}

/** A promise only where a look-up is needed: requests for org-api, almost all of them, wait for nothing. */
export type MaybeLater<T> = T | Promise<T>;

/** Chooses the resource of an access token (RFC 8707). Each throws `invalid_target`, or `invalid_scope`. */
export interface TokenTargets {
  /** For a client that needs no user: the scope is of the target alone. */
  chooseForClient(client: Requester, asked: string | undefined, scope: string | undefined): MaybeLater<ChosenAccess>;
  /** For a user who gave the password to the client: the scopes about a person may be granted with any resource. */
  chooseForUser(client: Requester, asked: string | undefined, scope: string | undefined): MaybeLater<ChosenAccess>;
  /** Of what was granted: `asked`, or the default, or the first that still exists. */
  chooseOfGrant(client: Requester, granted: GrantedAccess, asked: string | undefined): MaybeLater<TokenTarget>;
}

interface Dependencies {
  orgApi: OrgApi;
  resources: Pick<ResourceStore, 'findByUri'>;
  orgApiValidities: Pick<OrgApiValidities, 'recent'>;
}

export function createTokenTargets({ orgApi, resources, orgApiValidities }: Dependencies): TokenTargets {
  const targetOrgApi = (client: Requester, scope: readonly string[]): MaybeLater<TokenTarget> => {
    const own = scope.every(orgApi.hasScope) ? scope : scope.filter(orgApi.hasScope);
    const build = ({ seconds }: OrgApiValidity) => buildTarget(client, orgApi.uri, own, seconds);
    return mapMaybe(orgApiValidities.recent(), build);
  };
  /** A client that names none, or one of which the resource is gone, gets the next that exists. */
  const chooseResource = async (client: Requester, asked: string | undefined): Promise<Resource | undefined> => {
    const allowed = listResourcesOf(client, orgApi.uri);
    const candidates = asked === undefined ? allowed : allowed.filter((uri) => isSameResource(uri, asked));
    for (const uri of candidates) {
      if (orgApi.is(uri)) return undefined;
      const found = await resources.findByUri(uri);
      if (found !== undefined) return found;
    }
    throw invalidTarget(allowed);
  };
  const isForOrgApi = (client: Requester, asked: string | undefined): boolean => {
    const allowed = client.metadata.resources;
    if (allowed === undefined) return asked === undefined || orgApi.is(asked);
    if (asked !== undefined) return orgApi.is(asked) && allowed.some(orgApi.is);
    return orgApi.is(listResourcesOf(client, orgApi.uri)[0] ?? '');
  };
  const chooseOrgApi = (client: Requester, askedScope: string | undefined): MaybeLater<ChosenAccess> => {
    const scope = chooseScope(askedScope, client.scope.filter(orgApi.hasScope));
    return mapMaybe(targetOrgApi(client, scope), (target) => ({ scope, resources: undefined, target }));
  };
  const choose = (
    client: Requester,
    asked: string | undefined,
    askedScope: string | undefined,
    isBeside: (name: string) => boolean,
  ): MaybeLater<ChosenAccess> => {
    if (isForOrgApi(client, asked)) return chooseOrgApi(client, askedScope);
    if (client.metadata.resources === undefined) throw invalidTarget([orgApi.uri]);
    return (async () => {
      const found = await chooseResource(client, asked);
      return found === undefined ? chooseOrgApi(client, askedScope) : chooseOther(client, found, askedScope, isBeside);
    })();
  };

  return {
    chooseForClient: (client, asked, scope) => choose(client, asked, scope, () => false),
    chooseForUser: (client, asked, scope) => choose(client, asked, scope, isPersonalScope),
    chooseOfGrant(client, granted, asked) {
      if (granted.resources === undefined) {
        if (asked !== undefined && !orgApi.is(asked)) throw invalidTarget([orgApi.uri]);
        return targetOrgApi(client, granted.scope);
      }
      return chooseOfSeveral(client, { scope: granted.scope, resources: granted.resources }, asked);
    },
  };

  async function chooseOfSeveral(
    client: Requester,
    granted: { scope: readonly string[]; resources: readonly GrantedResource[] },
    asked: string | undefined,
  ): Promise<TokenTarget> {
    const isOf = (uri: string) => (one: GrantedResource) =>
      one.id === orgApiId ? orgApi.is(uri) : isSameResource(one.resource, uri);
    // What the client was since denied counts as gone. The default comes first, else the order of the grant.
    const allowed = listResourcesOf(client, orgApi.uri);
    const usable = granted.resources.filter((one) => allowed.some((uri) => isOf(uri)(one)));
    const isDefault = isOf(client.metadata.default_resource ?? orgApi.uri);
    const inOrder = [...usable.filter(isDefault), ...usable.filter((one) => !isDefault(one))];
    for (const one of asked === undefined ? inOrder : usable.filter(isOf(asked))) {
      const target = await findTarget(client, granted.scope, one);
      if (target !== undefined) return target;
    }
    throw invalidTarget(asked === undefined ? [] : usable.map(({ resource }) => resource));
  }

  /** Undefined where the resource is gone, or was made again. */
  async function findTarget(client: Requester, scope: readonly string[], one: GrantedResource) {
    if (one.id === orgApiId) return targetOrgApi(client, scope);
    const found = await resources.findByUri(one.resource);
    if (found?.id !== one.id) return undefined;
    const granted = new Set(one.scopes.map(({ id }) => id));
    const names = found.scopes.filter(({ id }) => granted.has(id)).map(({ name }) => name);
    const own = names.filter((name) => scope.includes(name) && client.scope.includes(name));
    return buildTarget(client, found.resource, own, found.accessTokenValidity);
  }
}

/** The scope of a target that is not org-api, chosen of what the client may request of it, and what may stand beside. */
function chooseOther(
  client: Requester,
  found: Resource,
  asked: string | undefined,
  isBeside: (name: string) => boolean,
): ChosenAccess {
  const scopes = found.scopes.filter(({ name }) => client.scope.includes(name));
  const names = scopes.map(({ name }) => name);
  const scope = chooseScopeOfResource(asked, [...client.scope.filter(isBeside), ...names]);
  const own = scopes.filter(({ name }) => scope.includes(name));
  return {
    scope,
    resources: [{ id: found.id, resource: found.resource, scopes: own.map(({ id, name }) => ({ id, name })) }],
    target: buildTarget(
      client,
      found.resource,
      own.map(({ name }) => name),
      found.accessTokenValidity,
    ),
  };
}

/** A resource may have no scopes: then a request names none. */
function chooseScopeOfResource(asked: string | undefined, allowed: readonly string[]): string[] {
  if (allowed.length > 0 || asked === undefined) return chooseScope(asked, allowed);
  if (parseScope(asked).length === 0) return [];
  throw new OAuthError('invalid_scope', 'this client may request no scope of this resource; leave the scope out');
}

function buildTarget(
  client: Requester,
  audience: string,
  scope: readonly string[],
  seconds: number | undefined,
): TokenTarget {
  const { accessTokenValidity } = client;
  return {
    audience,
    scope,
    accessTokenValidity: seconds === undefined ? accessTokenValidity : Math.min(accessTokenValidity, seconds),
  };
}

function mapMaybe<T, U>(value: MaybeLater<T>, map: (value: T) => U): MaybeLater<U> {
  return value instanceof Promise ? value.then(map) : map(value);
}
