import { levels } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import {
  linkRules,
  localMethodRules,
  syncRules,
  type Upstream,
  upstreamKinds,
  upstreamMethods,
} from '../upstreams/upstream.ts';

const texts = Type.Record(Type.String(), Type.String());

/** An upstream as administrators see it: without its secret. */
export const UpstreamView = Type.Object(
  {
    id: Type.String({ description: 'UUID' }),
    alias: Type.String({ description: 'Its name in addresses' }),
    display_name: Type.String({ description: 'Its name on pages' }),
    enabled: Type.Boolean(),
    kind: Type.Enum([...upstreamKinds]),
    issuer: Type.String(),
    client_id: Type.String(),
    token_endpoint_auth_method: Type.Enum([...upstreamMethods]),
    scope: Type.Array(Type.String()),
    tenants: Type.Array(Type.String()),
    hosted_domains: Type.Array(Type.String()),
    link: Type.Enum([...linkRules]),
    email_domains: Type.Array(Type.String()),
    create_users: Type.Boolean(),
    domains: Type.Array(Type.String()),
    local_methods: Type.Enum([...localMethodRules]),
    members: texts,
    sync: Type.Enum([...syncRules]),
    groups: Type.Optional(Type.Object({ claim: Type.String(), map: texts })),
    level: Type.Enum([...levels]),
    levels: texts,
    logout: Type.Boolean(),
    managed_by: Type.Optional(Type.String({ description: 'The project that administers it' })),
    redirect_uri: Type.String({ description: 'To register there' }),
    createdAt: Type.String({ description: 'RFC 3339, UTC' }),
    updatedAt: Type.String({ description: 'RFC 3339, UTC' }),
  },
  { $id: 'Upstream' },
);

export function buildUpstreamView(upstream: Upstream, redirectUri: string): Static<typeof UpstreamView> {
  const { id, alias, displayName, enabled, kind, issuer, clientId, method, scope, tenants, hostedDomains, link } =
    upstream;
  const { emailDomains, createUsers, domains, localMethods, members, sync, groups, level, logout } = upstream;
  return {
    ...{ id, alias, display_name: displayName, enabled, kind, issuer, client_id: clientId },
    token_endpoint_auth_method: method,
    ...{ scope: [...scope], tenants: [...tenants], hosted_domains: [...hostedDomains], link },
    ...{ email_domains: [...emailDomains], create_users: createUsers },
    ...{ domains: [...domains], local_methods: localMethods },
    ...{ members: { ...members }, sync },
    ...(groups !== undefined && { groups: { claim: groups.claim, map: { ...groups.map } } }),
    ...{ level, levels: { ...upstream.levels }, logout },
    ...(upstream.managedBy !== undefined && { managed_by: upstream.managedBy }),
    redirect_uri: redirectUri,
    createdAt: new Date(upstream.createdAt).toISOString(),
    updatedAt: new Date(upstream.updatedAt).toISOString(),
  };
}
