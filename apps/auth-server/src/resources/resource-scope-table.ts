import type { ColumnTypes } from '@gatehouse/service-kit/database';
import { EntitySchema } from 'typeorm';

/** Which resource has a scope name. The index makes names unique over all resources. */
export interface ResourceScopeRow {
  /** The id of the scope. */
  id: Buffer;
  name: string;
  resource_id: Buffer;
  taken_at: number;
}

export const resourceScopes = (column: ColumnTypes) =>
  new EntitySchema<ResourceScopeRow>({
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
