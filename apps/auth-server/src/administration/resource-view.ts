import { type Static, Type } from 'typebox';
import { findScopeMeaning } from '../protocol/scope-meanings.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { Resource } from '../resources/resource.ts';
import { taggedMembers, writeTagged } from './tagged-members.ts';

/** A resource as administrators see it. */
export const ResourceView = Type.Object(
  {
    id: Type.String({ description: 'UUID' }),
    resource: Type.String({ description: 'The URI, which is the `aud` of its access tokens' }),
    name: Type.String(),
    scopes: Type.Array(
      Type.Object({ name: Type.String(), description: Type.String() }, taggedMembers('description', Type.String())),
    ),
    access_token_validity: Type.Optional(Type.Integer({ description: 'Seconds' })),
    required_acr: Type.Optional(Type.String()),
    max_age: Type.Optional(Type.Integer({ description: 'Seconds' })),
    dynamic_clients: Type.Boolean(),
    groups: Type.Optional(Type.Array(Type.String())),
    groups_claim: Type.Optional(Type.String()),
    managed_by: Type.Optional(Type.String({ description: 'The project that administers it' })),
    createdAt: Type.String({ description: 'RFC 3339, UTC' }),
    updatedAt: Type.String({ description: 'RFC 3339, UTC' }),
  },
  { ...taggedMembers('name', Type.String()), $id: 'Resource' },
);

/** The scopes of org-api come from the configuration. */
export function buildResourceView(resource: Resource, orgApi: OrgApi): Static<typeof ResourceView> {
  const isOrgApi = orgApi.is(resource.resource);
  const { accessTokenValidity, requiredAcr, maxAge, tokenGroups, managedBy } = resource;
  return {
    id: resource.id,
    resource: isOrgApi ? orgApi.uri : resource.resource,
    name: resource.name,
    ...writeTagged('name', resource.names),
    scopes: isOrgApi
      ? orgApi.scopes.map((name) => ({ name, description: findScopeMeaning(name) ?? '' }))
      : resource.scopes.map(({ name, description, descriptions }) => ({
          name,
          description,
          ...writeTagged('description', descriptions),
        })),
    ...(accessTokenValidity === undefined ? {} : { access_token_validity: accessTokenValidity }),
    ...(requiredAcr === undefined ? {} : { required_acr: requiredAcr }),
    ...(maxAge === undefined ? {} : { max_age: maxAge }),
    dynamic_clients: resource.dynamicClients,
    ...(tokenGroups === undefined ? {} : { groups: [...tokenGroups.names], groups_claim: tokenGroups.claim }),
    ...(managedBy === undefined ? {} : { managed_by: managedBy }),
    createdAt: new Date(resource.createdAt).toISOString(),
    updatedAt: new Date(resource.updatedAt).toISOString(),
  };
}
