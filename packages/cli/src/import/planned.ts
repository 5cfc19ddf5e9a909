import { foldName } from '../bundle/fold-name.ts';

/**
 * The objects that a dry run would have made, and that later lines may name: a service does not know them. Nothing is in here
 * where objects are made.
 */
export interface Planned {
  groups: Set<string>;
  robots: Set<string>;
  /** Their scopes, by the URI. */
  resources: Map<string, readonly string[]>;
}

export function createPlanned(): Planned {
  return { groups: new Set(), robots: new Set(), resources: new Map() };
}

type Members = Readonly<Record<string, unknown>>;

/** The user without the groups that would have been made. */
export function withoutPlannedGroups({ groups }: Planned, user: Members): Members {
  if (groups.size === 0 || !Array.isArray(user.groups)) return user;
  const left = user.groups.filter((name) => typeof name !== 'string' || !groups.has(foldName(name)));
  return left.length === user.groups.length ? user : { ...user, groups: left };
}

/** The client with org-api, which is always there, in place of its resources that would have been made, and without their scopes. */
export function withoutPlannedResources({ resources }: Planned, client: Members, orgApi: string): Members {
  if (resources.size === 0) return client;
  const replace = (uri: unknown) => (typeof uri === 'string' && resources.has(uri) ? orgApi : uri);
  const own: unknown[] = Array.isArray(client.resources) ? client.resources : [];
  const scopes = own.flatMap((uri) => (typeof uri === 'string' ? (resources.get(uri) ?? []) : []));
  const changed: Record<string, unknown> = { ...client };
  for (const name of ['resources', 'exchange_audiences']) {
    const { [name]: uris } = client;
    if (Array.isArray(uris)) changed[name] = [...new Set(uris.map(replace))];
  }
  if (client.default_resource !== undefined) changed.default_resource = replace(client.default_resource);
  if (Array.isArray(client.scope)) {
    const left = client.scope.filter((name) => !scopes.includes(name));
    changed.scope = left.length > 0 ? left : ['openid'];
  }
  return changed;
}
