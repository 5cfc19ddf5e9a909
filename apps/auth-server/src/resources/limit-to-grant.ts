import { isSameResource } from '../protocol/resource-uri.ts';
import type { GrantedAccess } from './choose-of-grant.ts';
import { orgApiId } from './granted-resource.ts';
import type { OrgApi } from './org-api.ts';
import { listResourcesOf } from './requested-resource.ts';
import type { Requester } from './token-target.ts';
import type { ChosenAccess } from './token-targets.ts';

/** What stands behind an access token. */
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
