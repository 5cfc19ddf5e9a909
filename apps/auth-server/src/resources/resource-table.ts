import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface ResourceRow {
  id: Buffer;
  uri_hash: Buffer;
  resource: string;
  name: string;
  /** JSON: the name in other languages. Null where there are none, also in rows from before there were any. */
  names: string | null;
  /** JSON: one statement changes a resource with its scopes. */
  scopes: string;
  access_token_validity: number | null;
  dynamic_clients: number | boolean;
  required_acr: string | null;
  max_age: number | null;
  created_at: number;
  updated_at: number;
  /** JSON; null where its tokens carry no groups. */
  token_groups: string | null;
  managed_by: string | null;
}

export const resources = (column: ColumnTypes): EntitySchemaOptions<ResourceRow> => ({
  name: 'Resource',
  tableName: 'resources',
  columns: {
    id: { ...column.bytes(16), primary: true },
    uri_hash: column.bytes(32),
    resource: column.ascii(2048),
    name: column.unicode(128),
    names: { ...column.document(), nullable: true },
    scopes: column.document(),
    access_token_validity: { ...column.integer(), nullable: true },
    dynamic_clients: column.flag(),
    required_acr: { ...column.ascii(64), nullable: true },
    max_age: { ...column.integer(), nullable: true },
    created_at: column.instant(),
    updated_at: column.instant(),
    token_groups: { ...column.document(), nullable: true },
    managed_by: { ...column.ascii(64), nullable: true },
  },
  indices: [{ name: 'resources_uri', columns: ['uri_hash'], unique: true }],
});

/** Which resource has a scope name. The index makes names unique over all resources. */
export interface ResourceScopeRow {
  /** The id of the scope. */
  id: Buffer;
  name: string;
  resource_id: Buffer;
  taken_at: number;
}

export const resourceScopes = (column: ColumnTypes): EntitySchemaOptions<ResourceScopeRow> => ({
  name: 'ResourceScope',
  tableName: 'resource_scopes',
  columns: {
    id: { ...column.bytes(16), primary: true },
    name: column.ascii(128),
    resource_id: column.bytes(16),
    taken_at: column.instant(),
  },
  indices: [
    { name: 'resource_scopes_name', columns: ['name'], unique: true },
    { name: 'resource_scopes_resource', columns: ['resource_id'] },
  ],
});
