import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface GroupMemberRow {
  group_id: Buffer;
  user_id: Buffer;
  /** From 1 to the most groups that a user is in: it is unique for a user, so there are no more. */
  number: number;
  added_at: number;
}

export const groupMemberTable = 'group_members';

export function groupMemberEntity(dialect: Dialect): EntitySchemaOptions<GroupMemberRow> {
  const column = columnTypes(dialect);
  return {
    name: 'GroupMember',
    tableName: groupMemberTable,
    columns: {
      group_id: { ...column.bytes(16), primary: true },
      user_id: { ...column.bytes(16), primary: true },
      number: column.integer(),
      added_at: column.instant(),
    },
    indices: [{ name: 'group_members_user', columns: ['user_id', 'number'], unique: true }],
  };
}
