import { OAuthError } from '@gatehouse/shared';
import { isSameResource } from '../protocol/resource-uri.ts';
import { chooseScope, parseScope } from '../protocol/scope.ts';
import { createChooseOfGrant, type GrantedAccess } from './choose-of-grant.ts';
import { type GrantedResource, orgApiId } from './granted-resource.ts';
import { createTargetOrgApi, type OrgApi, type TargetDependencies } from './org-api.ts';
import { invalidTarget, listResourcesOf } from './requested-resource.ts';
import type { Resource } from './resource.ts';
import type { ResourceStore } from './resource-store.ts';
import { buildTarget, isOpenTo, type Requester, type TokenTarget } from './token-target.ts';

export type TokenTargets = ReturnType<typeof createTokenTargets>;

interface Dependencies extends TargetDependencies {
  resources: Pick<ResourceStore, 'findByUri'>;
}

/** Chooses the resource of an access token (RFC 8707). Each throws `invalid_target`, or `invalid_scope`. */
export function createTokenTargets(deps: Dependencies) {
  const choose = createChooseForClient(deps);
  return {
    /** For a client that needs no user: the scope is of the target alone. */
    chooseForClient: (client: Requester, asked: AskedAccess) => choose(client, asked, () => false),
    /** For a user who gave the password to the client: the scopes about a person may be granted with any resource. */
    chooseForUser: (client: Requester, asked: AskedAccess) => choose(client, asked, deps.orgApi.isPersonal),
    chooseOfGrant: createChooseOfGrant(deps),
  };
}

/** The access that a client may have without asking further, and the target of its access token. */
export interface ChosenAccess {
  scope: string[];
  resources: GrantedResource[] | undefined;
  target: TokenTarget;
}

/** The access that a token request asks for. */
export interface AskedAccess {
  resource: string | undefined;
  scope: string | undefined;
}

/**
 * Chooses of what the client is registered for; throws `invalid_target` or `invalid_scope`. `isBeside`: the scopes that may be
 * granted with any resource.
 */
function createChooseForClient(deps: Dependencies) {
  const { orgApi, resources } = deps;
  const targetOrgApi = createTargetOrgApi(deps);
  /** A client that names none, or one of which the resource is gone, gets the next that exists. */
  const chooseResource = async (client: Requester, asked: string | undefined): Promise<Resource | undefined> => {
    const allowed = listResourcesOf(client, orgApi.uri);
    const candidates = asked === undefined ? allowed : allowed.filter((uri) => isSameResource(uri, asked));
    for (const uri of candidates) {
      if (orgApi.is(uri)) return undefined;
      const found = await resources.findByUri(uri);
      if (found !== undefined && isOpenTo(client, found)) return found;
    }
    throw invalidTarget(allowed);
  };
  const isForOrgApi = (client: Requester, asked: string | undefined): boolean => {
    const allowed = client.metadata.resources;
    if (allowed === undefined) return asked === undefined || orgApi.is(asked);
    if (asked !== undefined) return orgApi.is(asked) && allowed.some(orgApi.is);
    return orgApi.is(listResourcesOf(client, orgApi.uri)[0] ?? '');
  };
  const chooseOrgApi = async (client: Requester, askedScope: string | undefined): Promise<ChosenAccess> => {
    const scope = chooseScope(askedScope, client.scope.filter(orgApi.hasScope));
    return { scope, resources: undefined, target: await targetOrgApi(client, scope) };
  };
  const chooseRegistered = async (client: Requester, asked: AskedAccess, isBeside: (name: string) => boolean) => {
    if (client.metadata.resources === undefined) throw invalidTarget([orgApi.uri]);
    const found = await chooseResource(client, asked.resource);
    return found === undefined ? chooseOrgApi(client, asked.scope) : chooseOther(client, found, asked.scope, isBeside);
  };
  return (client: Requester, asked: AskedAccess, isBeside: (name: string) => boolean): Promise<ChosenAccess> =>
    isForOrgApi(client, asked.resource) ? chooseOrgApi(client, asked.scope) : chooseRegistered(client, asked, isBeside);
}

/** The scope of a target that is not org-api, chosen of those that the client may request of it, and those that go with any. */
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
      found,
    ),
  };
}

/** A resource may have no scopes: then a request names none. */
function chooseScopeOfResource(asked: string | undefined, allowed: readonly string[]): string[] {
  if (allowed.length > 0 || asked === undefined) return chooseScope(asked, allowed);
  if (parseScope(asked).length === 0) return [];
  throw new OAuthError('invalid_scope', 'this client may request no scope of this resource; leave the scope out');
}

/** The grant or the client behind an access token. */
export type GrantBehind =
  /** A user granted it, and a row keeps what. */
  | ({ by: 'row' } & GrantedAccess)
  /** A user granted it, and nothing but the token says what. */
  | { by: 'token'; scope: readonly string[] }
  /** The client has it by its own credentials: what it is registered for. */
  | { by: 'client' };

/**
 * Gives the part of a chosen scope that the grant behind a token has. `holder` is the client of the grant: what it was
 * since denied counts as gone.
 */
export type LimitToGrant = (chosen: ChosenAccess, holder: Requester, behind: GrantBehind) => string[];

export function createLimitToGrant({ orgApi }: { orgApi: OrgApi }): LimitToGrant {
  return (chosen, holder, behind) => {
    const { audience, scope } = chosen.target;
    if (!listResourcesOf(holder, orgApi.uri).some((uri) => isSameResource(uri, audience))) return [];
    const registered = scope.filter((name) => holder.scope.includes(name));
    if (behind.by === 'client') return registered;
    const granted = behind.by === 'token' ? behind.scope : listGranted(chosen, behind);
    return registered.filter((name) => granted.includes(name));
  };
}

/** The names that were granted of the chosen resource. The ids of a resource and its scopes decide. */
function listGranted({ resources }: ChosenAccess, granted: GrantedAccess): readonly string[] {
  const [chosen] = resources ?? [];
  if (chosen === undefined) {
    const hasOrgApi = granted.resources?.some(({ id }) => id === orgApiId) ?? true;
    return hasOrgApi ? granted.scope : [];
  }
  const held = granted.resources?.find(({ id }) => id === chosen.id);
  const ids = new Set(held?.scopes.map(({ id }) => id));
  const names = chosen.scopes.filter(({ id }) => ids.has(id)).map(({ name }) => name);
  return names.filter((name) => granted.scope.includes(name));
}
