import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface GroupRow {
  id: Buffer;
  name: string;
  /** The folded name. */
  name_key: string;
  /** From 1 to the most groups that an organization has: it is unique, so there are no more. */
  number: number;
  description: string;
  managed_by: string | null;
  created_at: number;
  updated_at: number;
}

/** `groups` is a reserved word of MySQL. */
export const groupTable = 'user_groups';

export function groupEntity(dialect: Dialect): EntitySchemaOptions<GroupRow> {
  const column = columnTypes(dialect);
  return {
    name: 'UserGroup',
    tableName: groupTable,
    columns: {
      id: { ...column.bytes(16), primary: true },
      name: column.unicode(128),
      // A character may become three when it is folded.
      name_key: column.unicode(384),
      number: column.integer(),
      description: column.unicode(255),
      managed_by: { ...column.ascii(64), nullable: true },
      created_at: column.instant(),
      updated_at: column.instant(),
    },
    indices: [
      { name: 'user_groups_name_key', columns: ['name_key'], unique: true },
      { name: 'user_groups_number', columns: ['number'], unique: true },
    ],
  };
}
